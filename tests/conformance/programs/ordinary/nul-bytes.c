// Output is bytes, not text: NULs must come through.
#include <unistd.h>

int main(void)
{
    return write(1, "a\0b\0\0c\n", 7) != 7;
}
