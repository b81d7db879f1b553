// Asks for more than any machine has and copes with the refusal.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    volatile size_t absurd = (size_t)1 << 60;
    puts(malloc(absurd) == NULL ? "refused" : "given");
}
