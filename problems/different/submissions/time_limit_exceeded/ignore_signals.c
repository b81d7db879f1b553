/* Hostile: refuses every signal that can be refused, then computes for ever. */
#include <signal.h>

int main(void) {
    for (int number = 1; number < 65; number++) {
        signal(number, SIG_IGN);
    }
    for (volatile unsigned turn = 0;; turn++) {
    }
}
