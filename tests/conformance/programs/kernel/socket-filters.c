// No programs for the kernel on sockets: their machine code takes room that all share, without which no
// other run gets its own filter.
#include "contained.h"
#include <linux/filter.h>
#include <sys/socket.h>

int main(void)
{
    struct sock_filter accept_all = {BPF_RET | BPF_K, 0, 0, 0xffff};
    struct sock_fprog program = {1, &accept_all};
    for (int type = SOCK_STREAM; type <= SOCK_DGRAM; type++) {
        int end = socket(AF_UNIX, type, 0);
        MUST_WORK(end);
        MUST_FAIL(setsockopt(end, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program));
        MUST_FAIL(setsockopt(end, SOL_SOCKET, SO_ATTACH_REUSEPORT_CBPF, &program, sizeof program));
        MUST_FAIL(syscall(SYS_setsockopt, end, SOL_SOCKET, SO_ATTACH_FILTER | 1L << 32, &program,
                          sizeof program));
        close(end);
    }
    return finish();
}
