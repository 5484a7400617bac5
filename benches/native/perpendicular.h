/* Two particles, m1 = 1, m2 = 2, pushed by s = 1 along x, with v1.v2 = 0:
   m1 v1' = s e_x + lambda v2, m2 v2' = s e_x + lambda v1, and v1'.v2 + v1.v2' = 0.
   `real` is a number, or a vector of numbers that are computed side by side. */

static inline void field(const real *restrict y, real *restrict out) {
  const double m1 = 1, m2 = 2, s = 1;
  real a = y[4], b = y[5], c = y[6], d = y[7];
  real lambda = -s * (c / m1 + a / m2) / ((c * c + d * d) / m1 + (a * a + b * b) / m2);
  out[0] = a;
  out[1] = b;
  out[2] = c;
  out[3] = d;
  out[4] = (s + lambda * c) / m1;
  out[5] = lambda * d / m1;
  out[6] = (s + lambda * a) / m2;
  out[7] = lambda * b / m2;
}
