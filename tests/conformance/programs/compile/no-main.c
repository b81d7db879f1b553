// No main function.
int not_main(void)
{
    return 0;
}
