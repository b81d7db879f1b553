// Sleeps for ever: uses no CPU time, so only the wall clock can end it.
#include <unistd.h>

int main(void)
{
    for (;;)
        sleep(1000);
}
