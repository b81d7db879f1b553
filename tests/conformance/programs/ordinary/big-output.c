// Prints seven MiB, just below the limit, in small pieces.
#include <stdio.h>

int main(void)
{
    for (int line = 0; line < 7 * 1024 * 1024 / 16; line++)
        printf("%015d\n", line);
}
