/* Eight numbers side by side in V. What lies outside the range of a series is left to the scalar functions, lane by
   lane. */
#include <math.h>
#define ENTRY
#define RARE(x) __builtin_expect(x, 0)
#define PRAGMA(x) _Pragma(#x)
#define UNROLL(n) PRAGMA(GCC unroll n)
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
#define BEYOND(name)                                                                                     \
  static V __attribute__((noinline, cold)) far_##name(V x, unsigned far, V r) {                          \
    for (int i = 0; i < 8; i++)                                                                          \
      if (far >> i & 1) r[i] = name(x[i]);                                                               \
    return r;                                                                                            \
  }

/* A bit for each choice, and back. */
INLINE unsigned bits(M m) {
#if defined(__AVX512DQ__)
  return __builtin_ia32_cvtq2mask512(m);
#else
  unsigned r = 0;
  for (int i = 0; i < 8; i++) r |= (unsigned)(m[i] & 1) << i;
  return r;
#endif
}
INLINE M lanes_of(unsigned bits) {
  const M each = {1, 2, 4, 8, 16, 32, 64, 128};
  return (M)((each & (long long)bits) != 0);
}
INLINE V v_sqrt(V x) {
#if defined(__AVX512F__) && defined(__GNUC__) && !defined(__clang__)
  return __builtin_ia32_sqrtpd512_mask(x, x, -1, 4);
#else
  V r;
  for (int i = 0; i < 8; i++) r[i] = sqrt(x[i]);
  return r;
#endif
}
/* `1/x` of positive normal numbers, to about 1e-8: for what is only compared. */
INLINE V near_inverse(V x) {
#if defined(__AVX512F__) && defined(__GNUC__) && !defined(__clang__) && !defined(EXACT_INVERSE)
  const V r = __builtin_ia32_rcp14pd512_mask(x, x, -1);
  return r + r * (1.0 - x * r);
#else
  return 1.0 / x;
#endif
}
