// Reads its input, seeks back and opens it again by name: it must see nothing but the same input.
#include "contained.h"

static void check(const char *what, int descriptor)
{
    char text[64] = "";
    ssize_t length = read(descriptor, text, sizeof text - 1);
    if (length > 0 && strncmp(text, "one line\n", (size_t)length) != 0)
        escaped("%s shows other data", what);
}

int main(void)
{
    char text[64] = "";
    if (read(0, text, sizeof text - 1) != 9)
        return 2;
    if (lseek(0, 0, SEEK_SET) == 0)
        check("seeking back", 0);
    if (lseek(0, 9, SEEK_SET) == 9)
        check("reading on", 0);
    int again = open("/proc/self/fd/0", O_RDONLY | O_NONBLOCK);
    if (again >= 0)
        check("opening again", again);
    return finish();
}
