// Lets the assembler repeat for ever and ever.
__asm__(".data\n.rept 0x7fffffff\n.rept 1000\n.quad 1\n.endr\n.endr\n");

int main(void)
{
    return 0;
}
