/* Times a right-hand side at 64 states. The file that includes this one says SYSTEM, N and field. */
#include "measure.h"

#define STATES 64
#ifndef PEER
#define PEER "C by hand"
#endif

typedef void (*right_side)(const double *restrict y, double *restrict out);

static double states[STATES * N];

/* The function is called, as by any integrator that is given one. */
static right_side volatile called = field;

static void evaluate(long count, void *data) {
  right_side f = called;
  double out[N];
  (void)data;
  for (long k = 0; k < count; k++) {
    f(states + k % STATES * N, out);
    used(out);
  }
}

static void right_side_round(void) {
  for (int k = 0; k < STATES; k++)
    for (int i = 0; i < N; i++) states[k * N + i] = 0.3 + 0.1 * i + 1e-3 * k;
  report(SYSTEM, "right-hand side", PEER, seconds(evaluate, NULL) * 1e9, "ns", "", 0, NULL);
  double rates[N];
  called(states, rates);
  report(SYSTEM, "rates", PEER, 0, "", "", N, rates);
}
