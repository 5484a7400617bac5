/* Times a right-hand side at 64 states and prints nanoseconds for one evaluation: the fastest round. */
#include <math.h>
#include <stdio.h>
#include <time.h>

#define STATES 64
#define ROUNDS 15

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1e9 + t.tv_nsec;
}

typedef void (*right_side)(double t, const double *y, double *out);

static void measure(right_side volatile field, int inputs, int outputs) {
  double states[STATES * 32], out[32], best = INFINITY;
  const int count = 100000;
  for (int k = 0; k < STATES; k++)
    for (int i = 0; i < inputs; i++)
      states[k * inputs + i] = 0.3 + 0.1 * i + 1e-3 * k;
  for (int round = 0; round < ROUNDS; round++) {
    double start = now();
    for (int k = 0; k < count; k++) {
      field(0, states + k % STATES * inputs, out);
      __asm__ volatile("" ::"r"(out) : "memory");
    }
    double time = (now() - start) / count;
    if (time < best) best = time;
  }
  (void)outputs;
  printf("%.3f\n", best);
}
