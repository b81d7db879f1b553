// Reads an endless file of random bytes as a header.
#include "/dev/urandom"

int main(void)
{
    return 0;
}
