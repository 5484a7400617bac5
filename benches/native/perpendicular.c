#define SYSTEM "perpendicular"
#define N 8
typedef double real;
#include "perpendicular.h"

/* As in the model file. */
static void start(double *y) {
  const double first[N] = {1, -2, 1, 2, 0.3, 0.4, 0.4, -0.3};
  for (int i = 0; i < N; i++) y[i] = first[i];
}

#include "right-side.h"
#include "trajectory.h"

int main(int count, char **arguments) {
  serve(asked(count, arguments, "trajectory") ? trajectory_round : right_side_round);
  return 0;
}
