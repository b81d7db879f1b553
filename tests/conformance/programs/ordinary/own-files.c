// Files in every place that is the program's own: written, listed, renamed, linked, removed.
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int use(const char *directory)
{
    char text[8] = "";
    if (chdir(directory) != 0 || mkdir("inner", 0700) != 0 || chdir("inner") != 0)
        return 1;
    int file = open("first", O_RDWR | O_CREAT | O_EXCL, 0600);
    if (file < 0 || write(file, "content", 7) != 7 || fsync(file) != 0)
        return 2;
    if (ftruncate(file, 4) != 0 || pread(file, text, 7, 0) != 4 || strcmp(text, "cont") != 0)
        return 3;
    close(file);
    if (rename("first", "second") != 0 || symlink("second", "link") != 0 || link("second", "third") != 0)
        return 4;
    if (chmod("second", 0400) != 0 || access("link", R_OK) != 0)
        return 5;
    int entries = 0;
    DIR *listing = opendir(".");
    while (listing != NULL && readdir(listing) != NULL)
        entries++;
    if (listing == NULL || entries != 5 || closedir(listing) != 0)
        return 6;
    if (unlink("second") != 0 || unlink("link") != 0 || unlink("third") != 0)
        return 7;
    return chdir("..") != 0 || rmdir("inner") != 0;
}

int main(void)
{
    char here[PATH_MAX];
    const char *home = getenv("HOME");
    if (getcwd(here, sizeof here) == NULL || home == NULL)
        return 1;
    const char *places[] = {here, "/tmp", "/dev/shm", home};
    for (int i = 0; i < 4; i++) {
        int failed = use(places[i]);
        if (failed != 0)
            return printf("%s: step %d failed\n", places[i], failed), 1;
    }
    FILE *anonymous = tmpfile();
    if (anonymous == NULL || fputs("gone", anonymous) < 0)
        return 2;
    puts("files");
}
