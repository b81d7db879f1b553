// Asks the assembler for a section of a tebibyte.
__asm__(".data\n.fill 0x10000000000, 1, 7\n");

int main(void)
{
    return 0;
}
