// Starts itself again with a hundred thousand bytes of arguments and environment.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    enum { ARGUMENTS = 1000, LENGTH = 100 };
    static char text[LENGTH + 1];
    static char *arguments[ARGUMENTS + 2];
    memset(text, 'x', LENGTH);
    if (argc == 1) {
        arguments[0] = "again";
        for (int i = 1; i <= ARGUMENTS; i++)
            arguments[i] = text;
        setenv("LARGE", text, 1);
        execv("/proc/self/exe", arguments);
        return 1;
    }
    const char *large = getenv("LARGE");
    printf("%d %zu %d\n", argc, strlen(argv[argc - 1]), large != NULL && strcmp(large, text) == 0);
}
