// The environment is small and known: nothing of the judge's own, no credentials, no hooks of the loader.
#include "contained.h"
#include <limits.h>

extern char **environ;

int main(void)
{
    const char *names[] = {"CARGO", "RUST", "SSH_", "AWS_", "GOOGLE_", "AZURE_", "TAUTO", "KUBE", "DOCKER", "DATABASE", "PG",
                           "SUDO_", "XDG_", "DBUS", "LD_", "GIT_", "NPM_", "CI", "GITHUB", "http_proxy", "https_proxy", "GCONV"};
    const char *words[] = {"tauto", "judge", "cargo", "/root", "/home/", "secret", "password", "token", "://"};
    int count = 0;
    size_t size = 0;
    for (char **variable = environ; *variable != NULL; variable++) {
        count++;
        size += strlen(*variable);
        for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++)
            if (strncmp(*variable, names[i], strlen(names[i])) == 0)
                escaped("variable %s", *variable);
        for (unsigned i = 0; i < sizeof words / sizeof words[0]; i++)
            if (strstr(*variable, words[i]) != NULL)
                escaped("variable %s", *variable);
    }
    if (count > 20 || size > 2048)
        escaped("%d variables of %zu bytes", count, size);
    if (getenv("PATH") == NULL || getenv("HOME") == NULL)
        escaped("nothing, but PATH and HOME are missing");
    return finish();
}
