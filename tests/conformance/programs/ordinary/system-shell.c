// Starts other programs as library functions do: system(), popen() and posix_spawn().
#define _GNU_SOURCE
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

extern char **environ;

int main(void)
{
    char line[64] = "";
    pid_t child;
    int status;
    char *arguments[] = {"true", NULL};
    if (system("exit 7") != 7 << 8)
        return 1;
    FILE *output = popen("echo from the shell | tr a-z A-Z", "r");
    if (output == NULL || fgets(line, sizeof line, output) == NULL || pclose(output) != 0)
        return 2;
    if (posix_spawnp(&child, "true", NULL, NULL, arguments, environ) != 0)
        return 3;
    if (waitpid(child, &status, 0) != child || status != 0)
        return 4;
    fputs(line, stdout);
}
