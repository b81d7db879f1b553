/* Uses no processor time and never ends. */
#include <unistd.h>

int main(void) {
    for (;;) {
        pause();
    }
}
