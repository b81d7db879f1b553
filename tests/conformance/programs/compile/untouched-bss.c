// A gibibyte and a half of memory that the program declares and never touches: costs nothing.
#include <stdio.h>

static char huge[3ul << 29];

int main(int argc, char **argv)
{
    (void)argv;
    volatile char *first = &huge[argc];
    *first = 1;
    printf("%d\n", *first);
}
