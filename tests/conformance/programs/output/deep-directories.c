// Directories within directories, with long names and without permissions, as deep as they go: the judge
// must be able to clear them away, and the path is far longer than PATH_MAX.
#include "contained.h"
#include <sys/stat.h>

int main(void)
{
    char name[201];
    int depth = 0;
    memset(name, 'd', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    while (depth < 5000 && mkdir(name, 0700) == 0 && chdir(name) == 0)
        depth++;
    for (int i = 0; i < depth; i++) {
        MUST_WORK(chdir(".."));
        chmod(name, 0);
    }
    if (depth < 100 || depth > 1100)
        escaped("%d directories deep", depth);
    return finish();
}
