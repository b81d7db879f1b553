// Files whose names are hostile to a careless clean-up: newlines, leading dashes, escapes, broken UTF-8,
// link loops, links to system files, files without permissions.
#include "contained.h"
#include <sys/stat.h>

int main(void)
{
    const char *names[] = {"-rf",  "--no-preserve-root", "a\nb",  "\033[2J", "\xff\xfe", "*", "$(reboot)",
                           "`id`", ";",                  " ",     "..."};
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++) {
        int file = open(names[i], O_WRONLY | O_CREAT, 0);
        MUST_WORK(file);
        close(file);
    }
    MUST_WORK(symlink("loop-b", "loop-a"));
    MUST_WORK(symlink("loop-a", "loop-b"));
    MUST_WORK(symlink("/", "root"));
    MUST_WORK(symlink("/etc/passwd", "passwd"));
    MUST_WORK(symlink("../../../../..", "up"));
    MUST_FAIL(open("loop-a", O_RDONLY));
    MUST_FAIL(open("passwd", O_WRONLY | O_TRUNC));
    MUST_WORK(mkdir("closed", 0700));
    MUST_WORK(close(open("closed/inner", O_WRONLY | O_CREAT, 0)));
    MUST_WORK(chmod("closed", 0));
    return finish();
}
