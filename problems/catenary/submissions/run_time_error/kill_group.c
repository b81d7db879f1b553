/* Hostile: raises a signal that cannot be caught in every process of its own group, itself included.
   Where that has no effect, the exit code says so. */
#include <signal.h>
#include <unistd.h>

int main(void) {
    setpgid(0, 0);
    kill(0, SIGKILL);
    return 1;
}
