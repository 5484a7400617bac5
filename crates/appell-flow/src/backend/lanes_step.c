/* What follows the stages of an ordinary step: projection to the manifold, the slope at the end, a first look
   for singular states; as in `ensemble/manifold.rs`, which has the words. A number of all lanes is HALVES
   vectors that stand side by side: the processor works on one half while the other waits for its results. */
typedef M Function(V t, const V *restrict y, const V *restrict p, V *restrict out);
#define HALF UNROLL(8) for (int b = 0; b < HALVES; b++)
#if STATE <= 16
#define FOR(i, first, end) UNROLL(16) for (int i = (first); i < (end); i++)
#else
#define FOR(i, first, end) for (int i = (first); i < (end); i++)
#endif
#define AT(i) ((i) * HALVES + b)

/* A step as `cc_lanes.rs` hands it over. */
typedef struct {
  const V *t, *h, *y, *p, *rows, *largest;
  V *slopes, *end, *error, *rows_end, *largest_end;
  double rtol, atol;
  unsigned active, good, strange, suspicious;
} Step;

/* What the lanes go on with, likewise. */
typedef struct {
  const V *taken, *end, *last, *error, *rows_end, *largest_end;
  V *t, *h, *y, *slopes, *rows, *largest, *steps, *rejected;
  M *rejected_last;
  double until, max_step, max_steps;
  unsigned good, refused, arrived, brief, spent;
} Advance;

INLINE unsigned all_bits(const M *m) {
  unsigned all = 0;
  HALF all |= bits(m[b]) << 8 * b;
  return all;
}

/* The largest of the rows relative to its terms; no number where one is none. */
INLINE V worst_of(const V *results, int rows) {
  V worst = ALL(0.0);
  FOR(a, 0, rows) {
    const V c = v_fabs(results[a * HALVES]), size = results[(rows + a) * HALVES];
    const V relative = pick(c == 0, ALL(0.0), c * near_inverse(v_maximum(size, c)));
    worst = pick((relative <= worst) | (worst != worst), worst, relative);
  }
  return worst;
}

typedef struct {
  /* The largest residual before, relative to its terms. */
  V before[HALVES];
  /* The square of the length of the correction in units of the tolerance. */
  V moved[HALVES];
  M failed[HALVES];
} Settled;

/* One stage of the projection: Newton's corrections of `count` components from `first` on, each kept only
   where it makes the residual smaller. `f` gives residual, sizes of the terms, correction. */
INLINE void settle(Function f, int rows, int first, int count, const V *t, const V *p, V *end, const V *inverse,
                   const M *lanes, Settled *settled) {
  V results[RESULTS * HALVES], kept[STATE * HALVES], previous[STATE * HALVES], after[HALVES];
  M failed[HALVES], moving[HALVES];
  HALF {
    FOR(c, 0, count) kept[AT(c)] = end[AT(first + c)];
    const M holds = f(t[b], end + b, p + b, results + b);
    after[b] = worst_of(results + b, rows);
    settled->before[b] = v_maximum(settled->before[b], after[b]);
    failed[b] = NOT(holds & (after[b] <= 1.7976931348623157e308));
    moving[b] = lanes[b] & NOT(failed[b]) & (AIM < after[b]);
  }
  for (int round = 0; round < CORRECTIONS && all_bits(moving); round++) {
    HALF {
      FOR(c, 0, count) {
        const V w = previous[AT(c)] = end[AT(first + c)];
        end[AT(first + c)] = pick(moving[b], w + results[AT(2 * rows + c)], w);
      }
      const M holds = f(t[b], end + b, p + b, results + b);
      const V next = worst_of(results + b, rows);
      const M fell = moving[b] & (next < after[b]), back = moving[b] & NOT(fell);
      FOR(c, 0, count) end[AT(first + c)] = pick(back, previous[AT(c)], end[AT(first + c)]);
      after[b] = pick(fell, next, after[b]);
      failed[b] |= fell & NOT(holds);
      moving[b] = fell & (AIM < after[b]);
    }
  }
  HALF {
    settled->failed[b] |= failed[b];
    FOR(c, 0, count) {
      const V moved = (end[AT(first + c)] - kept[AT(c)]) * inverse[AT(first + c)];
      settled->moved[b] += moved * moved;
    }
  }
}

/* The lanes in which the projection failed or led far away. */
INLINE M astray(const Settled *settled, int b) {
  return settled->failed[b] |
         ((settled->moved[b] > FAR * FAR * STATE) & (settled->before[b] > ROUNDING));
}

/* What is known after the stages. */
INLINE void begin(const Step *s, const M *holds, V *t, M *good, M *strange, M *suspicious, Settled *settled) {
  HALF {
    t[b] = s->t[b] + s->h[b];
    strange[b] = NOT(holds[b]) | (s->error[b] != s->error[b]);
    good[b] = (s->error[b] <= 1.0) & NOT(strange[b]) & lanes_of(s->active >> 8 * b);
    suspicious[b] = NOT(EVERY);
    settled->before[b] = settled->moved[b] = ALL(0.0);
    settled->failed[b] = NOT(EVERY);
  }
}

/* Whether all components have finite values. */
INLINE M all_finite(const V *y) {
  V sum = ALL(0.0);
  FOR(c, 0, STATE) sum += v_fabs(y[c * HALVES]);
  return sum <= 1.7976931348623157e308;
}

/* The slope at the end. */
INLINE void arrive(Function f, const Step *s, const V *t, V *last, const Settled *settled, const M *good,
                   M *strange) {
  HALF {
    const M holds = f(t[b], s->end + b, s->p + b, last + b);
    strange[b] |= good[b] & (astray(settled, b) | NOT(holds) | NOT(all_finite(last + b)));
  }
}

#ifdef MONITOR
#define OF(m, i) m[((i) * COLUMNS + c) * HALVES]
#define RAISED(m) (m + MONITORED * COLUMNS * HALVES)
/* The lower triangle of `A M^-1 A^T`, as in `ensemble/rows.rs`, which has the words; its largest entry of the diagonal. */
INLINE V gram_of(const V *rows, V *g) {
  V largest = ALL(0.0);
  FOR(i, 0, MONITORED) FOR(j, 0, i + 1) {
    V sum = ALL(0.0);
    FOR(c, 0, COLUMNS) sum += OF(rows, i) * OF(RAISED(rows), j);
    g[i * MONITORED + j] = sum;
    if (i == j) largest = v_maximum(largest, sum);
  }
  return largest;
}

/* The least pivot of a symmetric matrix, of which the lower triangle is given; zero where one is no number. */
INLINE V least_pivot(V *g) {
  V least = ALL(1.7976931348623157e308);
#define G(i, j) g[(i) * MONITORED + (j)]
  FOR(i, 0, MONITORED) {
    const V pivot = G(i, i);
    least = v_minimum(least, pick(pivot <= 1.7976931348623157e308, pivot, ALL(0.0)));
    FOR(j, i + 1, MONITORED) {
      const V factor = G(j, i) / pivot;
      FOR(l, i + 1, j + 1) G(j, l) -= factor * G(l, i);
    }
  }
#undef G
  return least;
}

/* The lanes in which rows with this least pivot are independent. */
INLINE M is_regular(V least, V largest) {
  return (SINGULAR * SINGULAR * largest < least) & (largest <= 1.7976931348623157e308);
}

/* The lanes in which no combination of the rows changes by much from one place to the next. */
INLINE M steady(const V *x, const V *y, const V *of_x, const V *of_y) {
  V g[MONITORED * MONITORED];
  FOR(i, 0, MONITORED) FOR(j, 0, i + 1) {
    const int k = i * MONITORED + j;
    V sum = ALL(0.0);
    FOR(c, 0, COLUMNS) {
      sum += OF(x, i) * OF(RAISED(y), j) + OF(x, j) * OF(RAISED(y), i);
      sum += OF(y, i) * OF(RAISED(x), j) + OF(y, j) * OF(RAISED(x), i);
    }
    g[k] = 0.25 * sum - 0.5 * STEADY * (of_x[k] + of_y[k]);
  }
  return least_pivot(g) > 0;
}
#undef RAISED
#undef OF

/* The state at a part of the step by Hermite's cubic. */
INLINE void between(const Step *s, const V *last, double theta, int b, V *out) {
  const V h = s->h[b];
  FOR(c, 0, STATE) {
    const V rise = s->end[AT(c)] - s->y[AT(c)], first = h * s->slopes[AT(c)] - rise;
    const V second = rise - h * last[AT(c)] - first;
    out[AT(c)] = s->y[AT(c)] + theta * (rise + (1.0 - theta) * (first + theta * second));
  }
}

/* Looks at parts of the step: the lanes in which a singular state may lie between. A function of its own, so that what it
   holds takes no registers from the stages. */
NOINLINE void look(const Step *s, const V *last, M *suspicious) {
  V state[STATE * HALVES], inner[(int)ROUGH - 1][ROWS * HALVES], least[HALVES];
  V grams[HALVES][2][MONITORED * MONITORED], pivots[MONITORED * MONITORED];
  M clear[HALVES];
  HALF {
    clear[b] = EVERY;
    gram_of(s->rows + b, grams[b][0]);
    s->largest_end[b] = s->largest[b];
    least[b] = ALL(1.7976931348623157e308);
  }
  for (int i = 1; i <= (int)ROUGH; i++) {
    const double theta = i / ROUGH;
    const V *before = i == 1 ? s->rows : inner[i - 2];
    V *after = i == (int)ROUGH ? s->rows_end : inner[i - 1];
    HALF {
      if (i < (int)ROUGH) between(s, last, theta, b, state);
      else FOR(c, 0, STATE) state[AT(c)] = s->end[AT(c)];
      const M known = MONITOR(s->t[b] + theta * s->h[b], state + b, s->p + b, after + b);
      V *of_before = grams[b][(i - 1) % 2], *of_after = grams[b][i % 2];
      s->largest_end[b] = v_maximum(s->largest_end[b], gram_of(after + b, of_after));
      FOR(k, 0, MONITORED) FOR(j, 0, k + 1) pivots[k * MONITORED + j] = of_after[k * MONITORED + j];
      least[b] = v_minimum(least[b], least_pivot(pivots));
      clear[b] &= known & steady(before + b, after + b, of_before, of_after);
    }
  }
  HALF suspicious[b] = NOT(clear[b] & is_regular(least[b], s->largest_end[b]));
}
#endif

/* Hands over what was found. */
INLINE void finish(Step *s, M *good, M *strange, M *suspicious) {
  HALF {
    suspicious[b] &= good[b];
    good[b] &= NOT(strange[b]);
  }
  s->good = all_bits(good), s->strange = all_bits(strange), s->suspicious = all_bits(suspicious);
}

/* `x^(-1/2^s)` to about 1e-7: a guess by the bits of `x`, then Newton's method. */
INLINE V root(V x, int s) {
  const long long one = 0x3ff0000000000000LL;
  V y = REAL(one + (one >> s) - 0x1000000000000LL - (BITS(x) >> s));
  FOR(i, 0, 4) {
    V power = y;
    FOR(j, 0, s) power *= power;
    y += y * (1.0 / (1 << s)) * (1.0 - x * power);
  }
  return y;
}

/* Takes the steps that are good, shortens those that are refused. */
ENTRY void appell_advance(Advance *restrict s) {
  M arrived[HALVES], brief[HALVES], spent[HALVES];
  HALF {
    const M good = lanes_of(s->good >> 8 * b), refused = lanes_of(s->refused >> 8 * b);
    const V h = s->taken[b], rest = s->until - s->t[b];
    FOR(c, 0, STATE) {
      s->y[AT(c)] = pick(good, s->end[AT(c)], s->y[AT(c)]);
      s->slopes[AT(c)] = pick(good, s->last[AT(c)], s->slopes[AT(c)]);
    }
    FOR(c, 0, ROWS) s->rows[AT(c)] = pick(good, s->rows_end[AT(c)], s->rows[AT(c)]);
    s->largest[b] = pick(good, s->largest_end[b], s->largest[b]);
    const V t = s->t[b] = pick(good, pick(h == rest, ALL(s->until), s->t[b] + h), s->t[b]);
    const V error = v_minimum(v_maximum(s->error[b], ALL(1e-40)), ALL(1e300));
    const V wanted = SAFETY * ROOT(error);
    const V limit = pick(s->rejected_last[b], ALL(1.0), ALL(GROW));
    const V factor = v_minimum(v_maximum(wanted, ALL(SHRINK)), limit);
    const V shorter = pick(wanted >= SHRINK, v_minimum(wanted, ALL(SAFETY)), ALL(SHRINK));
    const V next = s->h[b] = pick(good, h * factor, pick(refused, h * shorter, s->h[b]));
    s->rejected_last[b] = (s->rejected_last[b] & NOT(good)) | refused;
    s->steps[b] = pick(good, s->steps[b] + 1.0, s->steps[b]);
    s->rejected[b] = pick(refused, s->rejected[b] + 1.0, s->rejected[b]);
    arrived[b] = good & (h == rest);
    const V left = v_minimum(v_minimum(v_fabs(s->until - t), ALL(s->max_step)), ALL(LONG));
    const V least = LEAST * v_maximum(v_fabs(t), left);
    const M shrinks = good & NOT(arrived[b]) & (v_fabs(next) < v_fabs(h));
    brief[b] = (refused | shrinks) & (v_fabs(next) <= least);
    spent[b] = (good | refused) & (s->steps[b] + s->rejected[b] >= s->max_steps);
  }
  s->arrived = all_bits(arrived), s->brief = all_bits(brief), s->spent = all_bits(spent);
}
