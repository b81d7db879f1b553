// Allocates and touches heap memory until it is killed.
#include <stdlib.h>
#include <string.h>

// Volatile, so that no optimiser drops memory that is never read.
static char *volatile kept;

int main(void)
{
    for (;;) {
        char *block = malloc(1 << 20);
        if (block == NULL)
            return 1;
        kept = block;
        memset(kept, 1, 1 << 20);
    }
}
