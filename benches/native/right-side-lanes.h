/* Times a right-hand side at 64 vectors of 8 states. The file that includes this one says SYSTEM, N and
   field. */
#include "measure.h"

#define STATES 64

typedef void (*right_side)(const real *restrict y, real *restrict out);

static real states[STATES * N];

static right_side volatile called = field;

static void evaluate(long count, void *data) {
  right_side f = called;
  real out[N];
  (void)data;
  for (long k = 0; k < count; k++) {
    f(states + k % STATES * N, out);
    used(out);
  }
}

static void right_side_round(void) {
  for (int k = 0; k < STATES; k++)
    for (int i = 0; i < N; i++)
      for (int lane = 0; lane < LANES; lane++)
        states[k * N + i][lane] = 0.3 + 0.1 * i + 1e-3 * k + 1e-4 * lane;
  report(SYSTEM, "right-hand side, a lane", "C by hand, 8 lanes", seconds(evaluate, NULL) * 1e9 / LANES, "ns", "",
         0, NULL);
}

int main(void) {
  serve(right_side_round);
  return 0;
}
