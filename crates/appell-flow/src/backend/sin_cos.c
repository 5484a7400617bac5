/* Sine and cosine of the numbers V, where |x| <= LARGEST_ANGLE: as in Sun's fdlibm (Ng, 1993), without branches, to
   one unit in the last place. */
#define LARGEST_ANGLE 1e5
/* pi/2 in three parts, of which the first two have 33 bits: their products with n < 2^17 are exact. */
INLINE void near_sin_cos(V x, V *sine, V *cosine) {
  const double round = 6755399441055744.0;
  const V shifted = x * 6.36619772367581382433e-01 + round, n = shifted - round;
  const I quadrant = BITS(shifted);
  const V near = x - n * 1.57079632673412561417e+00, part = n * 6.07710050630396597660e-11;
  const V high = near - part, lost = (near - high) - part;
  const V rest = n * 2.02226624879595063154e-21 - lost;
  const V r = high - rest, tail = (high - r) - rest;
  const V z = r * r, w = z * z, v = z * r;
  const V p = 8.33333333332248946124e-03 +
              z * (-1.98412698298579493134e-04 + z * 2.75573137070700676789e-06) +
              z * w * (-2.50507602534068634195e-08 + z * 1.58969099521155010221e-10);
  const V s = r - ((z * (0.5 * tail - v * p) - tail) - v * -1.66666666666666324348e-01);
  const V q = z * (4.16666666666666019037e-02 +
                   z * (-1.38888888888741095749e-03 + z * 2.48015872894767294178e-05)) +
              w * w * (-2.75573143513906633035e-07 +
                       z * (2.08757232129817482790e-09 + z * -1.13596475577881948265e-11));
  const V half = 0.5 * z, one = 1.0 - half;
  const V c = one + (((1.0 - one) - half) + (z * q - r * tail));
  const M odd = (quadrant & 1) != 0;
  V a = pick(odd, c, s), b = pick(odd, s, c);
  a = REAL(BITS(a) ^ ((quadrant & 2) << 62));
  b = REAL(BITS(b) ^ (((quadrant + 1) & 2) << 62));
  /* The sign of zero. */
  *sine = pick(x == 0, x, a);
  *cosine = b;
}
