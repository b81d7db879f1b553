// If standard input is the test data itself, writing to it would change the test for everybody after.
#include "contained.h"
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>

int main(void)
{
    struct stat about;
    char byte;
    MUST_WORK(fstat(0, &about));
    MUST_WORK(read(0, &byte, 1));
    if (!S_ISREG(about.st_mode))
        return finish();
    MUST_FAIL(write(0, "x", 1));
    MUST_FAIL(ftruncate(0, 0));
    MUST_FAIL(fchmod(0, 0777));
    MUST_FAIL(open("/proc/self/fd/0", O_WRONLY));
    MUST_FAIL(open("/proc/self/fd/0", O_RDWR | O_TRUNC));
    MUST_FAIL(open("/dev/stdin", O_WRONLY));
    if (mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, 0, 0) != MAP_FAILED)
        escaped("mapped the input for writing");
    // A lock or lease would block other readers of the same file.
    MUST_FAIL(fcntl(0, F_SETLEASE, F_RDLCK));
    return finish();
}
