// Starts a process and waits for it, again and again.
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv) {
  (void)argc;
  long sum = 0;
  for (long left = atol(argv[1]); left > 0; left--) {
    pid_t child = fork();
    if (child < 0)
      return 1;
    if (child == 0)
      _exit(left % 7);
    int status;
    if (waitpid(child, &status, 0) != child)
      return 1;
    sum += WEXITSTATUS(status);
  }
  printf("%ld\n", sum);
  return 0;
}
