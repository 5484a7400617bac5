/* V is one number, that of the member of a thread: CUDA C, and the same as plain C for tests without a GPU. */
#ifndef __CUDACC__
#include <math.h>
#include <stdbool.h>
#include <string.h>
#endif
typedef double V;
typedef bool M;
typedef long long I;
#ifdef __CUDACC__
#define restrict __restrict__
#define NAN __longlong_as_double(0x7ff8000000000000LL)
#define INFINITY __longlong_as_double(0x7ff0000000000000LL)
#define INLINE static __device__ __forceinline__
#define NOINLINE static __device__ __noinline__
#define KERNEL extern "C" __global__
#define BITS(x) __double_as_longlong(x)
#define REAL(x) __longlong_as_double(x)
#define MEMBER (blockIdx.x * (long long)blockDim.x + threadIdx.x)
#define PLACE
#define UNROLL(n) _Pragma("unroll")
#else
#define INLINE static inline __attribute__((always_inline))
#define NOINLINE static __attribute__((noinline))
#define KERNEL
INLINE I BITS(V x) {
  I bits;
  memcpy(&bits, &x, sizeof x);
  return bits;
}
INLINE V REAL(I bits) {
  V x;
  memcpy(&x, &bits, sizeof x);
  return x;
}
#define MEMBER place
#define PLACE , long long place
#define UNROLL(n)
#endif
#define ENTRY INLINE
#define RARE(x) __builtin_expect(x, 0)
#define ALL(x) (x)
#define EVERY true
#define NOT(m) (!(m))
#define EACH(name) INLINE V v_##name(V x) { return name(x); }
#define EACH_PAIR(name) INLINE V v_##name(V x, V y) { return name(x, y); }
#define BEYOND(name) NOINLINE V far_##name(V x, unsigned far, V near) { return name(x); }
INLINE V pick(M m, V x, V y) { return m ? x : y; }
INLINE unsigned bits(M m) { return m; }
INLINE M lanes_of(unsigned bits) { return bits & 1; }
INLINE V v_sqrt(V x) { return sqrt(x); }
/* `1/x` of positive normal numbers, to about 1e-8: for what is only compared. */
INLINE V near_inverse(V x) {
#ifdef __CUDACC__
  V r;
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(x));
  return r + r * (1.0 - x * r);
#else
  return 1.0 / x;
#endif
}
