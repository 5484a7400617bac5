/* One trajectory by DOP853, t = 0..10, at a sweep of tolerances. The file that includes this one says SYSTEM,
   N, field and start. */
#include "dop853.h"
#include "measure.h"

#define END 10.0

static inline double larger(double a, double b) { return a > b ? a : b; }
static inline double smaller(double a, double b) { return a < b ? a : b; }

/* A first step such that Euler's method would err by a hundredth of the tolerance. */
static double first_step(const double *y, const double *slope, double tolerance) {
  double z[N], next[N], size = 0, speed = 0, change = 0;
  for (int c = 0; c < N; c++) {
    double over = 1 / (tolerance + tolerance * fabs(y[c]));
    size += y[c] * over * y[c] * over;
    speed += slope[c] * over * slope[c] * over;
  }
  double guess = 0.01 * sqrt(size / speed);
  for (int c = 0; c < N; c++) z[c] = y[c] + guess * slope[c];
  field(z, next);
  for (int c = 0; c < N; c++) {
    double d = (next[c] - slope[c]) / (tolerance + tolerance * fabs(y[c]));
    change += d * d;
  }
  double largest = larger(sqrt(speed / N), sqrt(change / N) / guess);
  return smaller(pow(0.01 / largest, 1.0 / 8), smaller(100 * guess, END));
}

/* Takes y from 0 to END. */
static void integrate(double *restrict y, double tolerance) {
  double k[12][N], z[N], t = 0, before = 1e-4, h;
  int rejected = 0;
  const double power = 1.0 / 8 - 0.2 * 0.04;
  field(y, k[0]);
  h = first_step(y, k[0], tolerance);
  while (t < END) {
    int last = t + 1.01 * h >= END;
    if (last) h = END - t;
    trial(y, h, k, z);
    double fine = 0, coarse = 0;
    for (int c = 0; c < N; c++)
      estimates(k, c, tolerance + tolerance * larger(fabs(y[c]), fabs(z[c])), &fine, &coarse);
    double error = fine == 0 ? 0 : h * fine / sqrt((fine + 0.01 * coarse) * N);
    if (error <= 1) {
      double factor = 0.9 * pow(before, 0.04) / pow(larger(error, 1e-20), power);
      t = last ? END : t + h;
      for (int c = 0; c < N; c++) y[c] = z[c];
      field(y, k[0]);
      h *= smaller(larger(factor, 1.0 / 3), rejected ? 1 : 6);
      before = larger(error, 1e-4);
      rejected = 0;
    } else {
      double factor = 0.9 / pow(error, power);
      h *= factor >= 1.0 / 3 ? smaller(factor, 0.9) : 1.0 / 3;
      rejected = 1;
    }
  }
}

struct run {
  double tolerance, y[N];
};

static void integrate_all(long count, void *data) {
  struct run *run = data;
  for (long i = 0; i < count; i++) {
    start(run->y);
    used(run->y);
    integrate(run->y, run->tolerance);
    used(run->y);
  }
}

static void trajectory_round(void) {
  for (int quarter = 28; quarter <= 58; quarter += 2) {
    char note[32];
    struct run run = {.tolerance = pow(10, -quarter / 4.0)};
    double time = seconds(integrate_all, &run);
    snprintf(note, sizeof note, "tolerance %.1e", run.tolerance);
    report(SYSTEM, "trajectory", "C by hand, DOP853", time * 1e6, "us", note, N, run.y);
  }
}
