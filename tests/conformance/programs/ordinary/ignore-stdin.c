// Reads three bytes of a large input and ends: whoever feeds it must not wait or call it a failure.
#include <stdio.h>
#include <unistd.h>

int main(void)
{
    char bytes[3];
    if (read(0, bytes, sizeof bytes) != sizeof bytes)
        return 1;
    puts("enough");
}
