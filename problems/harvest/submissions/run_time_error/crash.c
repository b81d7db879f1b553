/* Reads trees of a row that was never planted: no group is solved. */
#include <stdio.h>
#include <stdlib.h>

int main(void) {
    volatile int *row = NULL;
    printf("%d\n", row[0]);
    return 0;
}
