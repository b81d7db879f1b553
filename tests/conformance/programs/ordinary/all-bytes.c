// Every byte value, alone and as broken UTF-8: the judge must not choke on it.
#include <unistd.h>

int main(void)
{
    unsigned char bytes[256 + 8] = {[256] = 0xc0, 0xaf, 0xed, 0xa0, 0x80, 0xf5, 0xff, 0xfe};
    for (int i = 0; i < 256; i++)
        bytes[i] = (unsigned char)i;
    return write(1, bytes, sizeof bytes) != sizeof bytes;
}
