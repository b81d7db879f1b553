// Uses 0.4 s of 1 s: must be accepted, however often it is measured.
#include "burn.h"
#include <stdio.h>

int main(void)
{
    burn_seconds(0.4);
    puts("done");
}
