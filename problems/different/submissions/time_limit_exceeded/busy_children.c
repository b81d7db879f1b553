/* Hostile: lets four children compute for ever and itself only waits, to hide the time in them. */
#include <sys/wait.h>
#include <unistd.h>

enum { CHILDREN = 4 };

int main(void) {
    for (int child = 0; child < CHILDREN; child++) {
        if (fork() == 0) {
            for (volatile unsigned turn = 0;; turn++) {
            }
        }
    }
    while (wait(NULL) > 0) {
    }
    for (;;) {
        pause();
    }
}
