// Sends its own standard streams into a circle of sockets and ends: the end of file on its pipes comes
// late or never, and the judge must not wait for it.
#include "circle.h"

int main(void)
{
    int circle = make_circle();
    for (int stream = 0; stream < 3; stream++)
        send_descriptor(circle, stream);
    puts("gone");
    return 0;
}
