// Files in the box are memory too: with a large box and little memory the memory limit must strike.
#include <fcntl.h>
#include <unistd.h>

int main(void)
{
    static char block[1 << 20];
    int file = open("/dev/shm/large", O_WRONLY | O_CREAT, 0600);
    for (int i = 0; i < 300; i++)
        if (write(file, block, sizeof block) != sizeof block)
            return 1;
    return 0;
}
