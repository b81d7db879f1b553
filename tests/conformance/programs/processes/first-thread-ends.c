// Tries to go on for ever in the way that standard input says.
#include "goes-on.h"

int main(int count, char **arguments)
{
    char line[32] = "";
    if (count == 1 && strchr(arguments[0], '/') == NULL)
        go_on(arguments[0]);
    ssize_t length = read(0, line, sizeof line - 1);
    line[length < 0 ? 0 : strcspn(line, "\n")] = 0;
    go_on(line);
}
