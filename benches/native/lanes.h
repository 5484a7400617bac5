/* Eight numbers side by side. */
#pragma once
#include <math.h>

#define LANES 8
typedef double real __attribute__((vector_size(8 * LANES)));

#if defined(__AVX512F__) && defined(__GLIBC__)
/* The vector functions that come with the system's mathematics. */
real _ZGVeN8v_sin(real);
real _ZGVeN8v_cos(real);
#define SIN _ZGVeN8v_sin
#define COS _ZGVeN8v_cos
#else
static inline real SIN(real x) {
  for (int i = 0; i < LANES; i++) x[i] = sin(x[i]);
  return x;
}
static inline real COS(real x) {
  for (int i = 0; i < LANES; i++) x[i] = cos(x[i]);
  return x;
}
#endif
