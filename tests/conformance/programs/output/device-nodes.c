// Device nodes of its own: memory, disks, consoles. Only FIFOs, sockets and plain files may be made.
#include "contained.h"
#include <sys/stat.h>
#include <sys/sysmacros.h>

int main(void)
{
    const struct {
        const char *name;
        mode_t kind;
        unsigned major, minor;
    } devices[] = {{"mem", S_IFCHR, 1, 1},     {"kmem", S_IFCHR, 1, 2},  {"port", S_IFCHR, 1, 4}, {"kmsg", S_IFCHR, 1, 11},
                   {"null", S_IFCHR, 1, 3},    {"tty", S_IFCHR, 5, 0},   {"ptmx", S_IFCHR, 5, 2}, {"vda", S_IFBLK, 254, 0},
                   {"sda", S_IFBLK, 8, 0},     {"loop", S_IFBLK, 7, 0},  {"fuse", S_IFCHR, 10, 229}, {"kvm", S_IFCHR, 10, 232},
                   {"whiteout", S_IFCHR, 0, 0}};
    const char *places[] = {".", "/tmp", "/dev/shm", "/dev"};
    char path[64];
    for (unsigned i = 0; i < sizeof devices / sizeof devices[0]; i++)
        for (int place = 0; place < 4; place++) {
            dev_t number = makedev(devices[i].major, devices[i].minor);
            snprintf(path, sizeof path, "%s/%s-node", places[place], devices[i].name);
            // A whiteout opens nothing; some kernels let anybody make one.
            if (mknod(path, devices[i].kind | 0666, number) == 0 && devices[i].major != 0)
                escaped("made %s", path);
            if (devices[i].major != 0 && open(path, O_RDWR) >= 0)
                escaped("opened %s", path);
        }
    return finish();
}
