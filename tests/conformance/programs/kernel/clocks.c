// Setting clocks, each to the time that it has: refused even so.
#include "contained.h"
#include <sys/time.h>
#include <sys/timex.h>

int main(void)
{
    struct timespec now;
    struct timeval day;
    struct timex adjustment = {.modes = ADJ_STATUS};
    clock_gettime(CLOCK_REALTIME, &now);
    gettimeofday(&day, NULL);
    MUST_FAIL(clock_settime(CLOCK_REALTIME, &now));
    MUST_FAIL(syscall(SYS_settimeofday, &day, NULL));
    MUST_FAIL(adjtimex(&adjustment));
    MUST_FAIL(clock_adjtime(CLOCK_REALTIME, &adjustment));
    adjustment.modes = ADJ_OFFSET_SINGLESHOT;
    MUST_FAIL(adjtimex(&adjustment));
    return finish();
}
