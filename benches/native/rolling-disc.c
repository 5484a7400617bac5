#include <math.h>

#define SYSTEM "rolling-disc"
#define N 12
#define SIN sin
#define COS cos
typedef double real;
#include "rolling-disc.h"

/* As in the model file; height and velocity follow from contact and rolling. */
static void start(double *y) {
  const double r = 0.5, th = 0.1, dpsi = 0.5, dph = 6;
  const double first[N] = {0, 0, r * cos(th), 0, th, 0, r * (dph + dpsi * sin(th)), 0, 0, dpsi, 0, dph};
  for (int i = 0; i < N; i++) y[i] = first[i];
}

#include "right-side.h"
#include "trajectory.h"

int main(int count, char **arguments) {
  serve(asked(count, arguments, "trajectory") ? trajectory_round : right_side_round);
  return 0;
}
