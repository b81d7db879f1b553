// Sends every signal to the first process of its namespace and to its parent, by every call there is. None
// may end, stop or disturb it: the run goes on and its result is reported.
#include "contained.h"
#include <sys/prctl.h>
#include <sys/socket.h>

static void send_all(pid_t target)
{
    siginfo_t information = {.si_code = SI_QUEUE};
    int descriptor = (int)syscall(SYS_pidfd_open, target, 0);
    for (int number = 1; number <= SIGRTMAX; number++) {
        kill(target, number);
        syscall(SYS_tkill, target, number);
        syscall(SYS_tgkill, target, target, number);
        syscall(SYS_rt_sigqueueinfo, target, number, &information);
        syscall(SYS_rt_tgsigqueueinfo, target, target, number, &information);
        if (descriptor >= 0)
            syscall(SYS_pidfd_send_signal, descriptor, number, NULL, 0);
    }
    if (descriptor >= 0) {
        MUST_FAIL(syscall(SYS_pidfd_getfd, descriptor, 0, 0));
        MUST_FAIL(syscall(SYS_process_mrelease, descriptor, 0));
        MUST_FAIL(syscall(SYS_setns, descriptor, 0x20000));
        close(descriptor);
    }
}

// Input and output signals are sent by the kernel on behalf of whoever set the owner.
static void by_descriptor(pid_t target)
{
    int pair[2];
    MUST_WORK(socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
    fcntl(pair[0], F_SETOWN, target);
    fcntl(pair[0], F_SETSIG, SIGKILL);
    fcntl(pair[0], F_SETFL, O_ASYNC | O_NONBLOCK);
    MUST_WORK(write(pair[1], "x", 1));
    close(pair[0]);
    close(pair[1]);
}

int main(void)
{
    send_all(1);
    by_descriptor(1);
    if (getppid() > 1) {
        send_all(getppid());
        by_descriptor(getppid());
    }
    pause_ms(50);
    if (kill(1, 0) == -1 && errno == ESRCH)
        escaped("the first process is gone");
    return finish();
}
