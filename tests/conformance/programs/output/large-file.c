// One file beyond the file size limit: the kernel answers with SIGXFSZ.
#include <fcntl.h>
#include <unistd.h>

int main(void)
{
    static char block[1 << 20];
    int file = open("large", O_WRONLY | O_CREAT, 0600);
    for (int i = 0; i < 20; i++)
        if (write(file, block, sizeof block) < 0)
            return 1;
    return 0;
}
