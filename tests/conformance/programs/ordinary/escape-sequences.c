// Terminal escape sequences in output and error stay bytes; a report must never act on them.
#include <stdio.h>

int main(void)
{
    fputs("\033]0;owned\a\033[2J\033[1;31mred\033[0m\r\n", stdout);
    fputs("\033]52;c;b3duZWQ=\a\033[8mhidden\033[0m\033c\n", stderr);
}
