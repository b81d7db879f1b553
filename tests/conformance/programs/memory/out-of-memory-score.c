// Tries to make another process the kernel's choice when memory ends.
#include "contained.h"

static void set(const char *path, const char *value)
{
    int file = open(path, O_WRONLY);
    if (file >= 0 && write(file, value, strlen(value)) > 0)
        escaped("wrote %s to %s", value, path);
    if (file >= 0)
        close(file);
}

int main(void)
{
    const char *paths[] = {"/proc/self/oom_score_adj", "/proc/1/oom_score_adj", "/proc/self/oom_adj",
                           "/proc/1/oom_adj"};
    for (int i = 0; i < 4; i++) {
        set(paths[i], "-1000");
        set(paths[i], "-1");
    }
    set("/proc/1/oom_score_adj", "1000");
    return finish();
}
