// A daemon floods while the main process waits.
#include <unistd.h>

int main(void)
{
    static char block[65536];
    if (fork() == 0) {
        setsid();
        while (write(1, block, sizeof block) > 0) {
        }
        _exit(0);
    }
    for (;;)
        pause();
}
