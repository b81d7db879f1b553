// Multiplies matrices of numbers with a fraction.
#include <cstdio>
#include <cstdlib>
#include <vector>

int main(int argc, char **argv) {
  (void)argc;
  const int n = std::atoi(argv[1]);
  std::vector<double> a(n * n, 1.5), b(n * n, 0.25), c(n * n);
  for (int i = 0; i < n; i++)
    for (int k = 0; k < n; k++)
      for (int j = 0; j < n; j++)
        c[i * n + j] += a[i * n + k] * (b[k * n + j] + i - j);
  double sum = 0;
  for (double x : c)
    sum += x;
  std::printf("%.3f\n", sum);
}
