/* Many trajectories of the pucks by DOP853 in eight lanes, t = 0..10. Each lane has its own time, step and
   step control (Hairer, Norsett & Wanner, II.10), and takes the next member when it is done. No projection,
   no watch. */
#include "lanes.h"

#define SYSTEM "perpendicular ensemble"
#define N 8
#include "perpendicular.h"

#include "dop853.h"
#include "measure.h"

#define END 10.0
#define CHECKED 64 /* members whose ends are compared with the truth */
enum { MEMBERS = 1 << 14 };

typedef long long mask __attribute__((vector_size(8 * LANES)));
#define ALL(x) ((real){} + (x))
static inline real pick(mask m, real x, real y) { return (real)((m & (mask)x) | (~m & (mask)y)); }
static inline real size_of(real x) { return (real)((mask)x & 0x7fffffffffffffffLL); }
static inline real larger(real x, real y) { return pick(x > y, x, y); }
static inline real root(real x) {
  for (int i = 0; i < LANES; i++) x[i] = __builtin_sqrt(x[i]);
  return x;
}

static double starts[MEMBERS][N], ends[MEMBERS][N];

/* The members that all participants have, as ../peers/systems.py says them. */
static void make_starts(void) {
  for (int k = 0; k < MEMBERS; k++) {
    double share = fmod(k * 0.6180339887498949, 1), other = fmod(k * 0.7548776662466927, 1);
    double angle = 0.9272952180016122 + (share - 0.5), size = 0.4 + 0.2 * other;
    double a = size * cos(angle), b = size * sin(angle);
    const double start[N] = {1, -2, 1, 2, a, b, b, -a};
    memcpy(starts[k], start, sizeof start);
  }
}

/* First steps such that Euler's method would err by a hundredth of the tolerance. */
static real first_step(const real *y, const real *slope, double tolerance) {
  real z[N], next[N], size = ALL(0), speed = ALL(0), change = ALL(0);
  for (int c = 0; c < N; c++) {
    real over = 1 / (tolerance + tolerance * size_of(y[c]));
    size += y[c] * over * y[c] * over;
    speed += slope[c] * over * slope[c] * over;
  }
  real guess = 0.01 * root(size / speed);
  for (int c = 0; c < N; c++) z[c] = y[c] + guess * slope[c];
  field(z, next);
  for (int c = 0; c < N; c++) {
    real d = (next[c] - slope[c]) / (tolerance + tolerance * size_of(y[c]));
    change += d * d;
  }
  real largest = larger(root(speed / N), root(change / N) / guess);
  real step = root(root(root(0.01 / largest)));
  return pick(step > 100 * guess, 100 * guess, step);
}

/* What the lanes are doing. */
struct march {
  real y[N], slope[N], t, h;
  int member[LANES]; /* -1 for a lane that has nothing to do */
  int next;
};

/* Eight members that are about to begin, prepared side by side. */
struct fresh {
  real y[N], slope[N], h;
};

static void prepare(struct fresh *all, int first, double tolerance) {
  for (int lane = 0; lane < LANES; lane++)
    for (int c = 0; c < N; c++) all->y[c][lane] = starts[first + lane][c];
  field(all->y, all->slope);
  all->h = first_step(all->y, all->slope, tolerance);
}

/* Gives new members to the lanes that have none. */
static void begin(struct march *all, struct fresh *fresh, double tolerance) {
  for (int lane = 0; lane < LANES && all->next < MEMBERS; lane++) {
    if (all->member[lane] >= 0) continue;
    int from = all->next % LANES;
    if (from == 0) prepare(fresh, all->next, tolerance);
    for (int c = 0; c < N; c++) {
      all->y[c][lane] = fresh->y[c][from];
      all->slope[c][lane] = fresh->slope[c][from];
    }
    all->h[lane] = fresh->h[from];
    all->t[lane] = 0;
    all->member[lane] = all->next++;
  }
}

/* Keeps the ends of the members that are done; says whether there were any. */
static int finish(struct march *all, mask done) {
  int any = 0;
  for (int lane = 0; lane < LANES; lane++) {
    if (!done[lane] || all->member[lane] < 0) continue;
    for (int c = 0; c < N; c++) ends[all->member[lane]][c] = all->y[c][lane];
    all->member[lane] = -1;
    all->t[lane] = 0; /* an idle lane goes on with steps that nobody counts */
    any = 1;
  }
  return any;
}

static int busy(const struct march *all) {
  int any = 0;
  for (int lane = 0; lane < LANES; lane++) any |= all->member[lane] >= 0;
  return any;
}

static void integrate(double tolerance) {
  struct march all = {.member = {-1, -1, -1, -1, -1, -1, -1, -1}};
  struct fresh fresh;
  real k[12][N], z[N];
  begin(&all, &fresh, tolerance);
  while (busy(&all)) {
    real rest = END - all.t;
    real h = pick(1.01 * all.h >= rest, rest, all.h);
    memcpy(k[0], all.slope, sizeof all.slope);
    trial(all.y, h, k, z);
    real fine = ALL(0), coarse = ALL(0);
    for (int c = 0; c < N; c++)
      estimates(k, c, tolerance + tolerance * larger(size_of(all.y[c]), size_of(z[c])), &fine, &coarse);
    real error = h * fine / root((fine + 0.01 * coarse) * N + 1e-300);
    mask good = error <= 1;
    real slope[N];
    field(z, slope);
    for (int c = 0; c < N; c++) {
      all.y[c] = pick(good, z[c], all.y[c]);
      all.slope[c] = pick(good, slope[c], all.slope[c]);
    }
    all.t = pick(good, all.t + h, all.t);
    real factor = 0.9 / root(root(root(larger(error, ALL(1e-20)))));
    factor = pick(factor > 6, ALL(6), larger(factor, ALL(1.0 / 3)));
    all.h = h * pick(good | (factor < 0.9), factor, ALL(0.9));
    if (finish(&all, good & (h == rest))) begin(&all, &fresh, tolerance);
  }
}

static void integrate_all(long count, void *data) {
  for (long i = 0; i < count; i++) {
    integrate(*(double *)data);
    used(ends);
  }
}

static void ensemble_round(void) {
  for (int quarter = 26; quarter <= 32; quarter += 2) {
    char note[32];
    double tolerance = pow(10, -quarter / 4.0);
    double time = seconds(integrate_all, &tolerance) / MEMBERS;
    snprintf(note, sizeof note, "tolerance %.1e", tolerance);
    report(SYSTEM, "ensemble", "C by hand, 8 lanes", time * 1e6, "us", note, N * CHECKED, ends[0]);
  }
}

int main(void) {
  make_starts();
  serve(ensemble_round);
  return 0;
}
