// Loading kernel code: modules, another kernel.
#include "contained.h"

int main(void)
{
    static char image[4096] = "\177ELF";
    int own = open("/proc/self/exe", O_RDONLY);
    MUST_FAIL(syscall(SYS_init_module, image, sizeof image, ""));
    MUST_FAIL(syscall(SYS_finit_module, own, "", 0));
    MUST_FAIL(syscall(SYS_delete_module, "no_such_module", O_NONBLOCK));
    MUST_FAIL(syscall(SYS_kexec_load, 0ul, 0ul, NULL, 0ul));
    MUST_FAIL(syscall(SYS_kexec_file_load, own, own, 1ul, "", 0ul));
    // Harmless if it does work: it only says what Ctrl-Alt-Del is to do.
    MUST_FAIL(syscall(SYS_reboot, 0xfee1dead, 672274793, 0, NULL));
    MUST_FAIL(syscall(SYS_reboot, 0xfee1dead, 672274793, 0x89abcdef, NULL));
    return finish();
}
