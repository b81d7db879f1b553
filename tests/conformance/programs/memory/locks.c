// Tries to fill the kernel's memory with locks of single bytes, which no control group counts: 4 processes with 900 files and
// 300 locks each. A lock on a file of the host would also keep the host's own programs waiting.
#include "contained.h"
#include <sys/file.h>

static void lock_all(void)
{
    static int files[900];
    for (int i = 0; i < 900; i++)
        MUST_WORK(files[i] = open("locked", O_RDWR | O_CREAT, 0600));
    int held = 0;
    for (int i = 0; i < 900; i++)
        for (int at = 0; at < 300; at++) {
            struct flock lock = {.l_type = F_WRLCK, .l_start = (i * 300 + at) * 2, .l_len = 1};
            held += fcntl(files[i], F_SETLK, &lock) == 0 || fcntl(files[i], F_SETLKW, &lock) == 0;
            held += fcntl(files[i], F_OFD_SETLK, &lock) == 0 || fcntl(files[i], F_OFD_SETLKW, &lock) == 0;
        }
    if (held > 0)
        escaped("%d locks", held);
}

int main(void)
{
    for (int i = 0; i < 4; i++)
        attempt_in_child(lock_all);
    int program;
    MUST_WORK(program = open("/proc/self/exe", O_RDONLY));
    MUST_FAIL(flock(program, LOCK_EX | LOCK_NB));
    MUST_FAIL(flock(program, LOCK_SH | LOCK_NB));
    struct flock all = {.l_type = F_RDLCK};
    MUST_FAIL(fcntl(program, F_SETLK, &all));
    return finish();
}
