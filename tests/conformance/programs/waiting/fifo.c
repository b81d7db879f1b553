// Opens a FIFO in the box that nobody will ever write to.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

int main(void)
{
    return mkfifo("fifo", 0600) != 0 || open("fifo", O_RDONLY) < 0;
}
