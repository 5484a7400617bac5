/* A whole trial step: the stages, projection, the slope at the end, a first look for singular states. */
ENTRY void appell_step(Step *s) {
  V *last = s->slopes + STATE * STAGES * HALVES, inverse[STATE * HALVES], t[HALVES];
  M holds[HALVES], good[HALVES], strange[HALVES], suspicious[HALVES];
  Settled settled;
  stages(s, s->y, s->p, s->slopes, s->end, inverse, holds);
  begin(s, holds, t, good, strange, suspicious, &settled);
  project(t, s->p, s->end, inverse, good, &settled);
  arrive(f0, s, t, last, &settled, good, strange);
#ifdef MONITOR
  look(s, last, suspicious);
#endif
  finish(s, good, strange, suspicious);
}

/* How motions begin: put on the constraints, the slope, the first step; as in `ensemble/block.rs`, which has the
   words. */
typedef struct {
  const V *t, *p;
  V *y, *slopes, *h, *rows, *largest;
  double until, max_step, rtol, atol;
  unsigned ready;
} Begin;

/* The tolerance of a component. */
INLINE V tolerance(const Begin *s, V y) {
  return v_maximum(s->atol + s->rtol * v_fabs(y), ALL(2.2250738585072014e-308));
}

/* Euler's method would err by a hundredth of the tolerance. */
INLINE V first_step(Function f, const Begin *s, int b) {
  V end[STATE * HALVES], second[STATE * HALVES], position = ALL(0.0), speed = ALL(0.0), change = ALL(0.0);
  FOR(c, 0, STATE) {
    const V size = tolerance(s, s->y[AT(c)]), x = s->y[AT(c)] / size, k = s->slopes[AT(c)] / size;
    position += x * x;
    speed += k * k;
  }
  position = v_sqrt(position / STATE), speed = v_sqrt(speed / STATE);
  const V rest = s->until - s->t[b], limit = v_minimum(v_fabs(rest), ALL(s->max_step));
  const M tiny = (position < 1e-5) | (speed < 1e-5);
  const V guess = v_minimum(pick(tiny, ALL(1e-6), 0.01 * position / speed), limit);
  const V signed_guess = v_copysign(guess, rest);
  FOR(c, 0, STATE) end[AT(c)] = s->y[AT(c)] + signed_guess * s->slopes[AT(c)];
  const M holds = f(s->t[b] + signed_guess, end + b, s->p + b, second + b);
  FOR(c, 0, STATE) {
    const V x = (second[AT(c)] - s->slopes[AT(c)]) / tolerance(s, s->y[AT(c)]);
    change += x * x;
  }
  const V largest = v_maximum(speed, v_sqrt(change / STATE) / guess);
  const V wanted = v_exp(v_log(0.01 / largest) / ORDER);
  V step = pick(largest <= 1e-15, v_maximum(guess * 1e-3, ALL(1e-6)), wanted);
  step = v_minimum(v_minimum(step, 100.0 * guess), limit);
  const M usable = all_finite(second + b) & holds & (largest <= 1e300);
  return v_copysign(pick(usable, step, guess), rest);
}

ENTRY void appell_begin(Begin *s) {
  V inverse[STATE * HALVES];
  M lanes[HALVES], ready[HALVES];
  Settled settled;
  HALF {
    V size = ALL(0.0);
    FOR(c, 0, STATE) {
      size += v_fabs(s->y[AT(c)]);
      inverse[AT(c)] = near_inverse(tolerance(s, s->y[AT(c)]));
    }
    FOR(c, 0, PARAMETERS) size += v_fabs(s->p[AT(c)]);
    ready[b] = size <= 1.7976931348623157e308;
    lanes[b] = EVERY;
    settled.before[b] = settled.moved[b] = ALL(0.0);
    settled.failed[b] = NOT(EVERY);
  }
  project(s->t, s->p, s->y, inverse, lanes, &settled);
  HALF {
    ready[b] &= NOT(settled.failed[b]) & (settled.before[b] <= OFF);
    s->largest[b] = ALL(0.0);
#ifdef MONITOR
    const M known = MONITOR(s->t[b], s->y + b, s->p + b, s->rows + b);
    V gram[MONITORED * MONITORED];
    s->largest[b] = gram_of(s->rows + b, gram);
    ready[b] &= known & is_regular(least_pivot(gram), s->largest[b]);
#endif
    ready[b] &= f0(s->t[b], s->y + b, s->p + b, s->slopes + b) & all_finite(s->slopes + b);
    s->h[b] = first_step(f0, s, b);
  }
  s->ready = all_bits(ready);
}
