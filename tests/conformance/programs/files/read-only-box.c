// A problem that does not allow file writing: the working directory can be read but not changed.
#include "contained.h"
#include <sys/stat.h>

int main(void)
{
    MUST_FAIL(open("file", O_WRONLY | O_CREAT, 0600));
    MUST_FAIL(mkdir("directory", 0700));
    MUST_FAIL(symlink("x", "link"));
    MUST_FAIL(chmod(".", 0777));
    MUST_FAIL(mkfifo("fifo", 0600));
    MUST_FAIL(open(".", O_TMPFILE | O_WRONLY, 0600));
    MUST_WORK(close(open("/tmp/scratch", O_WRONLY | O_CREAT, 0600)));
    return finish();
}
