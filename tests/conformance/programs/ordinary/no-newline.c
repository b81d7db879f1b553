// Output that does not end in a newline arrives whole.
#include <stdio.h>

int main(void)
{
    printf("no newline");
}
