/* 8-lane DOP853 written by hand: two particles, m1 = 1, m2 = 2, pushed by s = 1, with v1.v2 = 0, t = 0..10.
   Each lane has its own time, step and step control (Hairer, Norsett & Wanner, II.10), and takes the next
   member when it is done. No projection, no watch. The tolerance is the first argument; prints trajectories
   for a second of processor time, and the mean number of steps. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
typedef double V __attribute__((vector_size(64)));
typedef long long M __attribute__((vector_size(64)));
#define ALL(x) ((V){x, x, x, x, x, x, x, x})
enum { N = 8, LANES = 8, COUNT = 200000 };
static inline V pick(M m, V x, V y) { return (V)((m & (M)x) | (~m & (M)y)); }
static inline V size_of(V x) { return (V)((M)x & 0x7fffffffffffffffLL); }
static inline V larger(V x, V y) { return pick(x > y, x, y); }
static inline V root(V x) {
  V r;
  for (int i = 0; i < LANES; i++) r[i] = __builtin_sqrt(x[i]);
  return r;
}

static inline void field(const V *y, V *out) {
  const double m1 = 1, m2 = 2, s = 1;
  const V a = y[4], b = y[5], c = y[6], d = y[7];
  const V lambda = -s * (c / m1 + a / m2) / ((c * c + d * d) / m1 + (a * a + b * b) / m2);
  out[0] = a;
  out[1] = b;
  out[2] = c;
  out[3] = d;
  out[4] = (s + lambda * c) / m1;
  out[5] = lambda * d / m1;
  out[6] = (s + lambda * a) / m2;
  out[7] = lambda * b / m2;
}

#define K(j) k[j][c]
#define EACH for (int c = 0; c < N; c++)
/* x^(-1/8) */
static inline V shrink(V x) { return 1.0 / root(root(root(x))); }

static V trial(const V *y, V h, double tol, V k[12][N], V *end) {
  V a[N], fine = ALL(0.0), coarse = ALL(0.0);
  EACH a[c] = y[c] + h * (0.05260015195876773 * K(0));
  field(a, k[1]);
  EACH a[c] = y[c] + h * (0.0197250569845379 * K(0) + 0.0591751709536137 * K(1));
  field(a, k[2]);
  EACH a[c] = y[c] + h * (0.02958758547680685 * K(0) + 0.08876275643042054 * K(2));
  field(a, k[3]);
  EACH a[c] = y[c] + h * (0.2413651341592667 * K(0) + -0.8845494793282861 * K(2) + 0.924834003261792 * K(3));
  field(a, k[4]);
  EACH a[c] = y[c] + h * (0.037037037037037035 * K(0) + 0.17082860872947386 * K(3) + 0.12546768756682242 * K(4));
  field(a, k[5]);
  EACH a[c] = y[c] + h * (0.037109375 * K(0) + 0.17025221101954405 * K(3) + 0.06021653898045596 * K(4) + -0.017578125 * K(5));
  field(a, k[6]);
  EACH a[c] = y[c] + h * (0.03709200011850479 * K(0) + 0.17038392571223998 * K(3) + 0.10726203044637328 * K(4) + -0.015319437748624402 * K(5) + 0.008273789163814023 * K(6));
  field(a, k[7]);
  EACH a[c] = y[c] + h * (0.6241109587160757 * K(0) + -3.3608926294469414 * K(3) + -0.868219346841726 * K(4) + 27.59209969944671 * K(5) + 20.154067550477894 * K(6) + -43.48988418106996 * K(7));
  field(a, k[8]);
  EACH a[c] = y[c] + h * (0.47766253643826434 * K(0) + -2.4881146199716677 * K(3) + -0.590290826836843 * K(4) + 21.230051448181193 * K(5) + 15.279233632882423 * K(6) + -33.28821096898486 * K(7) + -0.020331201708508627 * K(8));
  field(a, k[9]);
  EACH a[c] = y[c] + h * (-0.9371424300859873 * K(0) + 5.186372428844064 * K(3) + 1.0914373489967295 * K(4) + -8.149787010746927 * K(5) + -18.52006565999696 * K(6) + 22.739487099350505 * K(7) + 2.4936055526796523 * K(8) + -3.0467644718982196 * K(9));
  field(a, k[10]);
  EACH a[c] = y[c] + h * (2.273310147516538 * K(0) + -10.53449546673725 * K(3) + -2.0008720582248625 * K(4) + -17.9589318631188 * K(5) + 27.94888452941996 * K(6) + -2.8589982771350235 * K(7) + -8.87285693353063 * K(8) + 12.360567175794303 * K(9) + 0.6433927460157636 * K(10));
  field(a, k[11]);
  EACH end[c] = y[c] + h * (0.054293734116568765 * K(0) + 4.450312892752409 * K(5) + 1.8915178993145003 * K(6) + -5.801203960010585 * K(7) + 0.3111643669578199 * K(8) + -0.1521609496625161 * K(9) + 0.20136540080403034 * K(10) + 0.04471061572777259 * K(11));
  EACH {
    const V inverse = 1.0 / (tol + tol * larger(size_of(y[c]), size_of(end[c])));
    const V e = (0.01312004499419488 * K(0) + -1.2251564463762044 * K(5) + -0.4957589496572502 * K(6) + 1.6643771824549864 * K(7) + -0.35032884874997366 * K(8) + 0.3341791187130175 * K(9) + 0.08192320648511571 * K(10) + -0.022355307863886294 * K(11)) * inverse;
    const V g = (-0.18980075407240762 * K(0) + 4.450312892752409 * K(5) + 1.8915178993145003 * K(6) + -5.801203960010585 * K(7) + -0.4226823213237919 * K(8) + -0.1521609496625161 * K(9) + 0.20136540080403034 * K(10) + 0.02265179219836082 * K(11)) * inverse;
    fine += e * e;
    coarse += g * g;
  }
  return size_of(h) * fine / root(N * (fine + 0.01 * coarse) + 1e-300);
}

/* The first step of Hairer, Norsett & Wanner, II.4, for one lane. */
static void single(const double *y, double *out) {
  const double a = y[4], b = y[5], c = y[6], d = y[7];
  const double lambda = -(c + a / 2) / (c * c + d * d + (a * a + b * b) / 2);
  const double all[N] = {a, b, c, d, 1 + lambda * c, lambda * d, (1 + lambda * a) / 2, lambda * b / 2};
  for (int i = 0; i < N; i++) out[i] = all[i];
}
static double first_step(const double *y, double tol) {
  double k[N], z[N], l[N], x = 0, v = 0, w = 0;
  single(y, k);
  for (int i = 0; i < N; i++) {
    const double scale = tol + tol * fabs(y[i]);
    x += y[i] * y[i] / (scale * scale), v += k[i] * k[i] / (scale * scale);
  }
  const double guess = 0.01 * sqrt(x / v);
  for (int i = 0; i < N; i++) z[i] = y[i] + guess * k[i];
  single(z, l);
  for (int i = 0; i < N; i++) {
    const double scale = tol + tol * fabs(y[i]);
    w += (l[i] - k[i]) * (l[i] - k[i]) / (scale * scale);
  }
  const double largest = fmax(sqrt(v / N), sqrt(w / N) / guess);
  return fmin(100 * guess, sqrt(sqrt(sqrt(0.01 / largest))));
}

static int next;
/* A member begins near the state of the model's file: both velocities turned together and scaled. */
static void begin(V *y, V *h, V *t, int lane, double tol) {
  const double part = (double)next++ / COUNT, angle = 0.6 * (part - 0.5), s = sin(angle), c = cos(angle);
  const double a = 1 + 0.2 * part, b = 1.1 - 0.1 * part;
  const double start[N] = {1, -2, 1, 2, a * (c * 0.3 - s * 0.4), a * (s * 0.3 + c * 0.4),
                           b * (c * 0.4 + s * 0.3), b * (s * 0.4 - c * 0.3)};
  for (int i = 0; i < N; i++) y[i][lane] = start[i];
  (*t)[lane] = 0;
  (*h)[lane] = first_step(start, tol);
}

static double run(double tol, double *steps) {
  V y[N], end[N], k[12][N], t = ALL(0.0), h = ALL(0.0), slope[N];
  int done = 0, live[LANES], count = 0;
  next = 0;
  for (int i = 0; i < LANES; i++) begin(y, &h, &t, i, tol), live[i] = 1;
  field(y, k[0]);
  double sum = 0;
  while (done < COUNT) {
    const V rest = 10.0 - t;
    const V step = pick(h * 1.01 >= rest, rest, h);
    const V error = trial(y, step, tol, k, end);
    const M good = error <= 1.0;
    field(end, slope);
    EACH y[c] = pick(good, end[c], y[c]), k[0][c] = pick(good, slope[c], k[0][c]);
    t = pick(good, t + step, t);
    V factor = 0.9 * shrink(larger(error, ALL(1e-20)));
    factor = pick(factor > 6.0, ALL(6.0), larger(factor, ALL(1.0 / 3)));
    h = step * pick(good, factor, pick(factor > 0.9, ALL(0.9), factor));
    const M ends = good & (step == rest);
    int fresh = 0;
    for (int i = 0; i < LANES; i++) {
      count += good[i] && live[i] ? 1 : 0;
      if (!ends[i] || !live[i]) continue;
      for (int c = 0; c < N; c++) sum += y[c][i];
      done++;
      if (next < COUNT)
        begin(y, &h, &t, i, tol), fresh = 1;
      else
        live[i] = 0, t[i] = 0;
    }
    if (fresh) field(y, k[0]);
  }
  *steps = (double)count / COUNT;
  return sum;
}

int main(int count, char **arguments) {
  const double tol = count > 1 ? atof(arguments[1]) : 1e-8;
  double best = 0, steps = 0;
  for (int round = 0; round < 5; round++) {
    const clock_t start = clock();
    volatile double sum = run(tol, &steps);
    (void)sum;
    const double rate = COUNT / ((double)(clock() - start) / CLOCKS_PER_SEC);
    if (rate > best) best = rate;
  }
  printf("%.0f a second, %.1f steps\n", best, steps);
  return 0;
}
