/* A member of an ensemble from its start to its end, as `ensemble/march.rs` takes lanes of them there. Component c of
   member i stands at `c count + i`, so that neighbouring threads read neighbouring numbers. */
typedef struct {
  const double *y, *p;
  double *end, *t;
  unsigned *steps, *rejected, *ending;
  /* The times of samples, component c of sample k of member i at `(k STATE + c) count + i`, and how many it has. */
  const double *times;
  double *samples;
  unsigned *sampled;
  long long count, time_count;
  double t0, until, max_step, max_steps, rtol, atol;
} Members;

/* How a motion ended: at the last time, with its budget of steps used up; or it is to be run from its start where one
   can look closer. */
enum { GOES_ON, FINISHED, SPENT, ALONE };

/* The next step, made to end at the last time rather than just before it; else as long as the time becomes later by it. */
INLINE V clipped(const Members *m, V t, V h) {
  const V rest = m->until - t, length = v_minimum(v_fabs(h), m->max_step);
  const V next = v_copysign(length, rest), made = (t + next) - t;
  if (v_fabs(rest) <= length * STRETCH) return rest;
  return made != 0.0 && v_fabs(made - next) > ROUNDED_TIME * v_fabs(next) ? made : next;
}

#ifdef SAMPLED
INLINE void keep_sample(const Members *m, long long i, unsigned k, const V *y) {
  FOR(c, 0, STATE) m->samples[(k * (long long)STATE + c) * m->count + i] = y[c];
}

/* The samples within a step that is taken, projected; whether the dense output has values. */
INLINE M keep_samples(const Members *m, long long i, const Step *s, unsigned *next) {
  V f[STATE * DENSE];
  const V t = *s->t, h = *s->h;
  const V last = h == m->until - t ? m->until : t + h;
  M known = false;
  for (; *next < m->time_count; ++*next) {
    const V time = m->times[*next], theta = v_minimum((time - t) / h, ALL(1.0));
    if (!((time - last) / h <= 0.0) || (m->until - time) / h < 0.0) return true;
    if (theta <= 0.0) continue;
    if (!known && !dense(t, h, s->y, s->p, s->slopes, s->end, f)) return false;
    known = true;
    V state[STATE], projected[STATE], inverse[STATE];
    FOR(c, 0, STATE) {
      V sum = 0.0;
      UNROLL(16) for (int k = DENSE - 1; k >= 0; k--) sum = (k % 2 ? 1.0 - theta : theta) * (f[k * STATE + c] + sum);
      state[c] = projected[c] = theta >= 1.0 ? s->end[c] : sum + s->y[c];
      inverse[c] = 1.0;
    }
    const V at = t + theta * h;
    const M all = true;
    Settled settled = {{0}};
    project(&at, s->p, projected, inverse, &all, &settled);
    keep_sample(m, i, *next, settled.failed[0] ? state : projected);
  }
  return true;
}
#endif

KERNEL void appell_members(const Members m PLACE) {
  const long long i = MEMBER;
  if (i >= m.count) return;
  V y[STATE], p[PARAMETERS + 1], slopes[STATE * SLOPES], end[STATE], rows[ROWS + 1], rows_end[ROWS + 1], h, largest;
  FOR(c, 0, STATE) y[c] = m.y[c * m.count + i];
  FOR(c, 0, PARAMETERS) p[c] = m.p[c * m.count + i];
  V t = m.t0, steps = 0, rejected = 0;
  M rejected_last = false;
  Begin first = {&t, p, y, slopes, &h, rows, &largest, m.until, m.max_step, m.rtol, m.atol};
  appell_begin(&first);
  unsigned ending = first.ready ? GOES_ON : ALONE;
#ifdef SAMPLED
  unsigned next = 0;
  for (; next < m.time_count && m.times[next] == m.t0; next++) keep_sample(&m, i, next, y);
#endif
  while (ending == GOES_ON) {
    const V taken = clipped(&m, t, h);
    V error, largest_end = largest;
    Step s = {&t, &taken, y, p, rows, &largest, slopes, end, &error, rows_end, &largest_end, m.rtol, m.atol, 1};
    appell_step(&s);
    if (s.strange | s.suspicious) {
      ending = ALONE;
      break;
    }
#ifdef SAMPLED
    if (s.good && !keep_samples(&m, i, &s, &next)) {
      ending = ALONE;
      break;
    }
#endif
    Advance a = {&taken, end, slopes + STATE * STAGES, &error, rows_end, &largest_end, &t, &h, y, slopes, rows,
                 &largest, &steps, &rejected, &rejected_last, m.until, m.max_step, m.max_steps, s.good, !s.good};
    appell_advance(&a);
    ending = a.arrived ? FINISHED : a.brief ? ALONE : a.spent ? SPENT : GOES_ON;
  }
  FOR(c, 0, STATE) m.end[c * m.count + i] = y[c];
  m.t[i] = t, m.steps[i] = steps, m.rejected[i] = rejected, m.ending[i] = ending;
#ifdef SAMPLED
  m.sampled[i] = next;
#endif
}
