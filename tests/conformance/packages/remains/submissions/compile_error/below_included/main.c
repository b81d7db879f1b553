// Beside it is a folder with the name of a file that the problem adds.
#include "grader.h"
#include <stdio.h>

int main(void) { printf("%d\n", ANSWER); }
