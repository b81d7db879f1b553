// Some hundred warnings and a working program: accepted.
#include <stdio.h>
#define ONE _Pragma("GCC warning \"not an error\"")
#define TEN(x) x x x x x x x x x x
TEN(TEN(ONE))

int main(void)
{
    puts("compiled");
}
