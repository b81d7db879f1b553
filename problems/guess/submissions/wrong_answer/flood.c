/* Hostile: never reads, prints digits without a line's end as fast as it can. The validator ends first. */
#include <stdio.h>
#include <string.h>

int main(void) {
    static char block[65536];
    memset(block, '1', sizeof block);
    for (;;) {
        fwrite(block, 1, sizeof block, stdout);
    }
}
