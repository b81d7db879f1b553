// Exits with the code it reads: non-zero codes are run-time errors, whatever was printed before.
#include <stdio.h>

int main(void)
{
    int code;
    if (scanf("%d", &code) != 1)
        return 99;
    puts("right");
    return code;
}
