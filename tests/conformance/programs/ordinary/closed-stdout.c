// Closes its standard output and ends well: a run without output, neither an error nor a hang.
#include <unistd.h>

int main(void)
{
    close(1);
    close(0);
    return 0;
}
