// Calls a function that no library has.
int missing_function(void);

int main(void)
{
    return missing_function();
}
