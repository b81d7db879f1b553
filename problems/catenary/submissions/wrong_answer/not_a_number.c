/* Divides zero by zero: a "nan" is within no tolerance of anything. */
#include <stdio.h>

int main(void) {
    int chains;
    if (scanf("%d", &chains) != 1) {
        return 1;
    }
    volatile double nothing = 0;
    while (chains-- > 0) {
        printf("%f\n", nothing / nothing);
    }
    return 0;
}
