// Walks the whole visible file system for answers and other people's work: *.ans, paths with "secret",
// "submission", "testdata", other boxes than ours.
#define _GNU_SOURCE
#include "contained.h"
#include <dirent.h>
#include <strings.h>
#include <sys/stat.h>

static int directories;

// Parts of the operating system have such names (documentation with .ans pictures, secret sharing libraries).
static int system_place(const char *path)
{
    return strncmp(path, "/usr/", 5) == 0 || strncmp(path, "/lib", 4) == 0 || strncmp(path, "/bin", 4) == 0 ||
           strncmp(path, "/sbin", 5) == 0 || strncmp(path, "/opt/", 5) == 0;
}

static int expected_at_the_top(const char *name)
{
    const char *expected[] = {".",   "..",  "usr",  "bin", "sbin", "lib",     "lib32", "lib64", "libx32",
                              "etc", "dev", "proc", "tmp", "box",  "program", "opt"};
    for (unsigned i = 0; i < sizeof expected / sizeof expected[0]; i++)
        if (strcmp(name, expected[i]) == 0)
            return 1;
    return 0;
}

// Homes, mounts, the machine's state, other people's folders: not there, or at least empty.
static void report_if_not_empty(const char *name)
{
    char path[300];
    struct dirent *entry;
    snprintf(path, sizeof path, "/%s", name);
    DIR *listing = opendir(path);
    while (listing != NULL && (entry = readdir(listing)) != NULL)
        // Some toolchains keep libraries in /var/lib and compiled ones in /var/cache.
        if (entry->d_name[0] != '.' && !(strcmp(name, "var") == 0 &&
                                         (strcmp(entry->d_name, "lib") == 0 || strcmp(entry->d_name, "cache") == 0))) {
            escaped("%s is there and has %s", path, entry->d_name);
            break;
        }
    if (listing != NULL)
        closedir(listing);
}

static void judge(const char *path, const char *name)
{
    size_t length = strlen(name);
    if (system_place(path))
        return;
    if (length > 4 && strcmp(name + length - 4, ".ans") == 0)
        escaped("an answer file: %s", path);
    const char *words[] = {"secret", "submission", "testdata", "judgemessage", "feedback", "problem.yaml", "id_rsa",
                           "id_ed25519", "shadow", "kubeconfig", "docker.sock", "containerd.sock"};
    for (unsigned i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcasestr(name, words[i]) != NULL && access(path, R_OK) == 0)
            escaped("readable: %s", path);
}

static void walk(const char *path, int depth)
{
    char inner[4096];
    struct dirent *entry;
    struct stat about;
    if (depth > 15 || ++directories > 50000 || escapes > 20)
        return;
    DIR *listing = opendir(path[0] != '\0' ? path : "/");
    while (listing != NULL && (entry = readdir(listing)) != NULL) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        snprintf(inner, sizeof inner, "%s/%s", path, entry->d_name);
        judge(inner, entry->d_name);
        int is_directory = entry->d_type == DT_DIR ||
                           (entry->d_type == DT_UNKNOWN && lstat(inner, &about) == 0 && S_ISDIR(about.st_mode));
        // The root link of a process leads back to where we are.
        if (is_directory && strncmp(inner, "/proc/", 6) != 0)
            walk(inner, depth + 1);
    }
    if (listing != NULL)
        closedir(listing);
}

int main(void)
{
    DIR *top = opendir("/");
    struct dirent *entry;
    while (top != NULL && (entry = readdir(top)) != NULL)
        if (!expected_at_the_top(entry->d_name))
            report_if_not_empty(entry->d_name);
    walk("", 0);
    return finish();
}
