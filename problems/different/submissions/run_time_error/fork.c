/* Hostile: wants 200 processes at once. Accepted if it gets them, ends with 1 when it is refused. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CHILDREN = 200 };

int main(void) {
    pid_t children[CHILDREN];
    int started = 0;
    while (started < CHILDREN) {
        pid_t child = fork();
        if (child < 0) {
            break;
        }
        if (child == 0) {
            pause();
            _exit(0);
        }
        children[started++] = child;
    }
    for (int child = 0; child < started; child++) {
        kill(children[child], SIGKILL);
    }
    while (wait(NULL) > 0) {
    }
    if (started < CHILDREN) {
        return 1;
    }
    long long a, b;
    while (scanf("%lld %lld", &a, &b) == 2) {
        printf("%lld\n", llabs(a - b));
    }
    return 0;
}
