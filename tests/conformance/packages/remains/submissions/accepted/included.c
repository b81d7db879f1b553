// It gets the file of the problem, as handed in.
#include "grader.h"
#include <stdio.h>

int main(void) { printf("%d\n", ANSWER); }
