/* V are numbers side by side, I integers, M choices, in the vector extensions of GCC and Clang. */
typedef M I;
#define INLINE static inline __attribute__((always_inline))
#define NOINLINE static __attribute__((noinline))
#define BITS(x) ((I)(x))
#define REAL(x) ((V)(x))
#define NOT(m) (~(m))
INLINE V pick(M m, V x, V y) { return (V)((m & (M)x) | (~m & (M)y)); }
