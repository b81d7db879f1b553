// Sleeps 1.5 s with a CPU limit of 1 s: sleeping is not CPU time.
#include <stdio.h>
#include <unistd.h>

int main(void)
{
    usleep(1500000);
    puts("awake");
}
