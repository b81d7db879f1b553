// The classic: every process forks for ever. The process limit stops its growth, the CPU limit ends it.
#include <unistd.h>

int main(void)
{
    for (;;)
        fork();
}
