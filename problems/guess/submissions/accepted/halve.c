#include <stdio.h>
#include <string.h>

int main(void) {
    long long low = 1, high;
    int soundings;
    char answer[16] = "";
    if (scanf("%lld %d", &high, &soundings) != 2) {
        return 1;
    }
    while (strcmp(answer, "touched") != 0) {
        long long depth = low + (high - low) / 2;
        printf("%lld\n", depth);
        fflush(stdout);
        if (scanf("%15s", answer) != 1) {
            return 1;
        }
        if (strcmp(answer, "deeper") == 0) {
            low = depth + 1;
        } else {
            high = depth - 1;
        }
    }
    return 0;
}
