// Reads an endless file of zeros as a header.
#include "/dev/zero"

int main(void)
{
    return 0;
}
