/* Sounds once, then crashes on the answer unless the wreck was touched at once. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
    long long bound;
    int soundings;
    char answer[16];
    if (scanf("%lld %d", &bound, &soundings) != 2) {
        return 1;
    }
    printf("%lld\n", bound / 2 + bound % 2);
    fflush(stdout);
    if (scanf("%15s", answer) != 1 || strcmp(answer, "touched") != 0) {
        abort();
    }
    return 0;
}
