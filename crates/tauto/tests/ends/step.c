// Is any step of a judging, and goes on for ever unless it finds the word "fine": in its first line of input, or in the
// first line of a file that an argument names. How it goes on is in the file "way" next to it.
#include "goes-on.h"

static int is_fine(const char *path, char *line, int size)
{
    FILE *file = fopen(path, "r");
    int fine = file != NULL && fgets(line, size, file) != NULL && strstr(line, "fine") != NULL;
    if (file != NULL)
        fclose(file);
    return fine;
}

// Reads no byte more than the first line: the rest is for whoever comes next.
static void read_line(char *line, int size)
{
    int length = 0;
    while (length < size - 1 && read(0, line + length, 1) == 1 && line[length] != '\n')
        length++;
    line[length] = 0;
}

int main(int count, char **arguments)
{
    char line[64] = "", chosen[64] = "", path[4096] = "";
    if (strchr(arguments[0], '/') == NULL)
        go_on(arguments[0]);
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 16);
    if (length < 0)
        return 1;
    strcpy(strrchr(path, '/'), "/way");
    FILE *file = fopen(path, "r");
    if (file == NULL || fscanf(file, "%63s", chosen) != 1)
        return 1;
    fclose(file);
    write(2, "begun\n", 6);
    read_line(line, sizeof line);
    int fine = strstr(line, "fine") != NULL;
    for (int i = 1; i < count && !fine; i++)
        fine = is_fine(arguments[i], line, sizeof line);
    if (fine)
        return 42;
    // A grader is asked only about those that are accepted.
    if (strncmp(line, "WA", 2) == 0) {
        puts("WA 0");
        return 0;
    }
    go_on(chosen);
}
