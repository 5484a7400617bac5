/* Eight numbers side by side in V, integers in M. Elementary functions as in Sun's fdlibm (Ng, 1993), without
   branches: to about one unit in the last place. What lies outside the range of the series is left to the
   scalar functions, lane by lane. */
#include <math.h>
#define ALL(x) ((V){(x), (x), (x), (x), (x), (x), (x), (x)})
#define EVERY ((M){-1, -1, -1, -1, -1, -1, -1, -1})
#define EACH(name)                                                                                       \
  static V v_##name(V x) {                                                                               \
    V r;                                                                                                 \
    for (int i = 0; i < 8; i++) r[i] = name(x[i]);                                                       \
    return r;                                                                                            \
  }
#define EACH_PAIR(name)                                                                                  \
  static V v_##name(V x, V y) {                                                                          \
    V r;                                                                                                 \
    for (int i = 0; i < 8; i++) r[i] = name(x[i], y[i]);                                                 \
    return r;                                                                                            \
  }

static inline unsigned bits(M m) {
#if defined(__AVX512DQ__)
  return __builtin_ia32_cvtq2mask512(m);
#else
  unsigned r = 0;
  for (int i = 0; i < 8; i++) r |= (unsigned)(m[i] & 1) << i;
  return r;
#endif
}
static inline V v_fabs(V x) { return (V)((M)x & 0x7fffffffffffffffLL); }
static inline V v_sqrt(V x) {
#if defined(__AVX512F__) && defined(__GNUC__) && !defined(__clang__)
  return __builtin_ia32_sqrtpd512_mask(x, x, -1, 4);
#else
  V r;
  for (int i = 0; i < 8; i++) r[i] = sqrt(x[i]);
  return r;
#endif
}
/* `1/x` of positive normal numbers, to about 1e-8: for what is only compared. */
static inline V near_inverse(V x) {
#if defined(__AVX512F__) && defined(__GNUC__) && !defined(__clang__)
  const V r = __builtin_ia32_rcp14pd512_mask(x, x, -1);
  return r + r * (1.0 - x * r);
#else
  return 1.0 / x;
#endif
}
static inline V v_minimum(V x, V y) { return pick((x < y) | (y != y), x, y); }
static inline V v_maximum(V x, V y) { return pick((x > y) | (y != y), x, y); }
static inline V v_sign(V x) {
  const V one = (V)(((M)x & (-0x7fffffffffffffffLL - 1)) | (M)ALL(1.0));
  return pick(x == 0, ALL(0.0), pick(x != x, x, one));
}
EACH(tan)
EACH(asin)
EACH(acos)
EACH(atan)
EACH(sinh)
EACH(cosh)
EACH(tanh)
EACH_PAIR(atan2)
EACH_PAIR(pow)

static void __attribute__((noinline, cold)) far_sin_cos(V x, unsigned far, V *s, V *c) {
  for (int i = 0; i < 8; i++)
    if (far >> i & 1) (*s)[i] = sin(x[i]), (*c)[i] = cos(x[i]);
}
static inline void v_sin_cos(V x, V *sine, V *cosine) {
  near_sin_cos(x, sine, cosine);
  const unsigned far = bits(~(v_fabs(x) <= FAR));
  if (__builtin_expect(far, 0)) far_sin_cos(x, far, sine, cosine);
}
static inline V v_sin(V x) {
  V s, c;
  v_sin_cos(x, &s, &c);
  return s;
}
static inline V v_cos(V x) {
  V s, c;
  v_sin_cos(x, &s, &c);
  return c;
}

static V __attribute__((noinline, cold)) far_exp(V x, unsigned far, V r) {
  for (int i = 0; i < 8; i++)
    if (far >> i & 1) r[i] = exp(x[i]);
  return r;
}
static inline V v_exp(V x) {
  const double round = 6755399441055744.0;
  const V shifted = x * 1.44269504088896338700e+00 + round, n = shifted - round;
  const V high = x - n * 6.93147180369123816490e-01, low = n * 1.90821492927058770002e-10;
  const V r = high - low, t = r * r;
  const V c = r - t * (1.66666666666666019037e-01 +
                       t * (-2.77777777770155933842e-03 +
                            t * (6.61375632143793436117e-05 +
                                 t * (-1.65339022054652515390e-06 + t * 4.13813679705723846039e-08))));
  const V y = 1.0 - ((low - (r * c) / (2.0 - c)) - high);
  const V value = (V)((M)y + ((M)shifted << 52));
  const unsigned far = bits(~(v_fabs(x) <= 700.0));
  return __builtin_expect(far, 0) ? far_exp(x, far, value) : value;
}

static V __attribute__((noinline, cold)) far_log(V x, unsigned far, V r) {
  for (int i = 0; i < 8; i++)
    if (far >> i & 1) r[i] = log(x[i]);
  return r;
}
static inline V v_log(V x) {
  /* From the bits of sqrt(1/2) on; the power as an integer in the last bits of 1.5 2^52. */
  const M power = ((M)x - 0x3fe6a09e667f3bcdLL) >> 52;
  const V m = (V)((M)x - (power << 52)), k = (V)(power + 0x4338000000000000LL) - 6755399441055744.0;
  const V f = m - 1.0, s = f / (2.0 + f), z = s * s, w = z * z;
  const V even = w * (3.999999999940941908e-01 +
                      w * (2.222219843214978396e-01 + w * 1.531383769920937332e-01));
  const V odd = z * (6.666666666666735130e-01 +
                     w * (2.857142874366239149e-01 +
                          w * (1.818357216161805012e-01 + w * 1.479819860511658591e-01)));
  const V half = 0.5 * f * f;
  const V value = k * 6.93147180369123816490e-01 -
                  ((half - (s * (half + (even + odd)) + k * 1.90821492927058770002e-10)) - f);
  const unsigned far = bits(~((x >= 2.3e-308) & (x <= 1.7e308)));
  return __builtin_expect(far, 0) ? far_log(x, far, value) : value;
}
