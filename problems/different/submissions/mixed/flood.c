/*
 * @EXPECTED_RESULTS@: OUTPUT-LIMIT
 * Hostile: prints 64 MiB, eight times what is allowed.
 */
#include <stdio.h>
#include <string.h>

enum { BLOCK_BYTES = 1 << 16, BLOCKS = 1024 };

int main(void) {
    static char block[BLOCK_BYTES];
    memset(block, '7', sizeof block);
    for (int line = 0; line < BLOCKS; line++) {
        fwrite(block, 1, sizeof block, stdout);
    }
    return 0;
}
