// Spends its time in the kernel: system time counts like user time.
#include <sys/syscall.h>
#include <unistd.h>

int main(void)
{
    for (;;)
        syscall(SYS_getppid);
}
