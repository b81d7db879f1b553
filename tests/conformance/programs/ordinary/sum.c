// The plainest program: reads n and n numbers, prints their sum.
#include <stdio.h>

int main(void)
{
    int n;
    long long sum = 0, value;
    if (scanf("%d", &n) != 1)
        return 1;
    while (n-- > 0 && scanf("%lld", &value) == 1)
        sum += value;
    printf("%lld\n", sum);
}
