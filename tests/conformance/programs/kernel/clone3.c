// clone3 hides its flags behind a pointer, where a filter cannot look: it must say that it does not exist
// (ENOSYS), so that libraries use clone() instead; threads and processes still work.
#include "contained.h"
#include <pthread.h>

static void *nothing(void *unused)
{
    return unused;
}

int main(void)
{
    unsigned long long arguments[11] = {0};
    arguments[4] = SIGCHLD;
    for (int with_user = 0; with_user < 2; with_user++) {
        arguments[0] = with_user ? 0x10000000 : 0;
        errno = 0;
        long child = syscall(435, arguments, sizeof arguments);
        if (child == 0)
            _exit(0);
        if (child > 0)
            escaped("clone3 with flags %#llx", arguments[0]);
        else if (errno != ENOSYS)
            escaped("clone3 answers %s instead of ENOSYS", strerror(errno));
    }
    pthread_t thread;
    if (pthread_create(&thread, NULL, nothing, NULL) != 0 || pthread_join(thread, NULL) != 0)
        escaped("nothing, but threads do not work");
    return finish();
}
