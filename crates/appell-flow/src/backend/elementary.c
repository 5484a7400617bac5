/* Elementary functions of the numbers V, as in Sun's fdlibm (Ng, 1993), without branches: to about one unit in the last
   place. */
#define SIGN_BIT (-0x7fffffffffffffffLL - 1)
INLINE V v_fabs(V x) { return REAL(BITS(x) & 0x7fffffffffffffffLL); }
INLINE V v_copysign(V x, V y) { return REAL((BITS(x) & 0x7fffffffffffffffLL) | (BITS(y) & SIGN_BIT)); }
INLINE V v_minimum(V x, V y) { return pick((x < y) | (y != y), x, y); }
INLINE V v_maximum(V x, V y) { return pick((x > y) | (y != y), x, y); }
INLINE V v_smaller(V x, V y) { return pick((x < y) | (x != x), x, y); }
INLINE V v_larger(V x, V y) { return pick((x > y) | (x != x), x, y); }
INLINE V v_or_zero(V x) { return pick(x == x, x, ALL(0.0)); }
INLINE V v_sign(V x) { return pick(x == 0, ALL(0.0), pick(x != x, x, v_copysign(ALL(1.0), x))); }
EACH(tan)
EACH(asin)
EACH(acos)
EACH(atan)
EACH(sinh)
EACH(cosh)
EACH(tanh)
EACH_PAIR(atan2)
EACH_PAIR(pow)
BEYOND(sin)
BEYOND(cos)
BEYOND(exp)
BEYOND(log)

INLINE void v_sin_cos(V x, V *sine, V *cosine) {
  near_sin_cos(x, sine, cosine);
  const unsigned far = bits(NOT(v_fabs(x) <= LARGEST_ANGLE));
  if (RARE(far)) *sine = far_sin(x, far, *sine), *cosine = far_cos(x, far, *cosine);
}
INLINE V v_sin(V x) {
  V s, c;
  v_sin_cos(x, &s, &c);
  return s;
}
INLINE V v_cos(V x) {
  V s, c;
  v_sin_cos(x, &s, &c);
  return c;
}

INLINE V v_exp(V x) {
  const double round = 6755399441055744.0;
  const V shifted = x * 1.44269504088896338700e+00 + round, n = shifted - round;
  const V high = x - n * 6.93147180369123816490e-01, low = n * 1.90821492927058770002e-10;
  const V r = high - low, t = r * r;
  const V c = r - t * (1.66666666666666019037e-01 +
                       t * (-2.77777777770155933842e-03 +
                            t * (6.61375632143793436117e-05 +
                                 t * (-1.65339022054652515390e-06 + t * 4.13813679705723846039e-08))));
  const V y = 1.0 - ((low - (r * c) / (2.0 - c)) - high);
  const V value = REAL(BITS(y) + (BITS(shifted) << 52));
  const unsigned far = bits(NOT(v_fabs(x) <= 700.0));
  return RARE(far) ? far_exp(x, far, value) : value;
}

INLINE V v_log(V x) {
  /* From the bits of sqrt(1/2) on; the power as an integer in the last bits of 1.5 2^52. */
  const I power = (BITS(x) - 0x3fe6a09e667f3bcdLL) >> 52;
  const V m = REAL(BITS(x) - (power << 52)), k = REAL(power + 0x4338000000000000LL) - 6755399441055744.0;
  const V f = m - 1.0, s = f / (2.0 + f), z = s * s, w = z * z;
  const V even = w * (3.999999999940941908e-01 +
                      w * (2.222219843214978396e-01 + w * 1.531383769920937332e-01));
  const V odd = z * (6.666666666666735130e-01 +
                     w * (2.857142874366239149e-01 +
                          w * (1.818357216161805012e-01 + w * 1.479819860511658591e-01)));
  const V half = 0.5 * f * f;
  const V value = k * 6.93147180369123816490e-01 -
                  ((half - (s * (half + (even + odd)) + k * 1.90821492927058770002e-10)) - f);
  const unsigned far = bits(NOT((x >= 2.3e-308) & (x <= 1.7e308)));
  return RARE(far) ? far_log(x, far, value) : value;
}
