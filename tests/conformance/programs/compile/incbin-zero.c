// Lets the assembler read an endless file into the object.
__asm__(".data\n.incbin \"/dev/zero\"\n");

int main(void)
{
    return 0;
}
