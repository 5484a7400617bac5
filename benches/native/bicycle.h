/* The Whipple bicycle with the benchmark's parameters (Meijaard et al. 2007, Table 1), z down.
   y = (x, y, z, psi, phi, th, ar, delta, af) and their rates: centre of the rear wheel, heading, lean and pitch
   of the rear frame, steer, and the wheels' spins, the rear one's beside the leaning axes.
   All vectors are in the axes B of the rear frame. Rolling of the rear wheel gives the velocity of its centre;
   rolling of the front wheel, three equations, gives psi', th', af' by phi', ar', delta'. The equations of motion
   are those of the power: Sum (m (a - g).V_i + (I alpha + w x I w).W_i) = 0 for the velocities V_i, W_i that go
   with each of the three. */
#include <math.h>

typedef struct {
  double x, y, z;
} vec;

static inline vec add(vec a, vec b) { return (vec){a.x + b.x, a.y + b.y, a.z + b.z}; }
static inline vec sub(vec a, vec b) { return (vec){a.x - b.x, a.y - b.y, a.z - b.z}; }
static inline vec times(double s, vec a) { return (vec){s * a.x, s * a.y, s * a.z}; }
static inline double dot(vec a, vec b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline vec cross(vec a, vec b) {
  return (vec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/* With what has nothing to the right, and with the direction to the right itself. */
static inline vec cross_flat(vec a, vec b) { return (vec){a.y * b.z, a.z * b.x - a.x * b.z, -a.y * b.x}; }
static inline vec flat_cross(vec a, vec b) { return (vec){-a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y}; }
static inline double dot_flat(vec a, vec b) { return a.x * b.x + a.z * b.z; }
static inline vec rightwards(vec a, double s) { return (vec){a.x, a.y + s, a.z}; }
static inline vec cross_right(vec a) { return (vec){-a.z, 0, a.x}; }

/* A body: mass, and moments of inertia with one product in its own axes. */
typedef struct {
  double m, xx, yy, zz, xz;
} body;

static const body REAR = {2, 0.0603, 0.12, 0.0603, 0}, FRAME = {85, 9.2, 11, 2.8, 2.4},
                  FORK = {4, 0.05892, 0.06, 0.00708, -0.00756}, FRONT = {3, 0.1405, 0.28, 0.1405, 0};

static inline vec inertia(body b, vec w) {
  if (b.xz == 0) return (vec){b.xx * w.x, b.yy * w.y, b.zz * w.z};
  return (vec){b.xx * w.x + b.xz * w.z, b.yy * w.y, b.xz * w.x + b.zz * w.z};
}

/* The three equations of motion, matrix (its upper half) and right side. */
typedef struct {
  double xx, xy, xz, yy, yz, zz, fx, fy, fz;
} equations;

/* Adds a body's share: its spin w, the part alpha, a (less g) of its accelerations that is known, and its
   velocities W, V by the three. Spins are in the body's own axes. */
static inline __attribute__((always_inline)) void share(equations *e, body b, vec w, vec alpha, const vec W[3],
                                                        vec a, const vec V[3]) {
  vec f = times(-b.m, a), n = sub(cross(inertia(b, w), w), inertia(b, alpha));
  vec p0 = times(b.m, V[0]), p1 = times(b.m, V[1]), p2 = times(b.m, V[2]);
  vec l0 = inertia(b, W[0]), l1 = inertia(b, W[1]), l2 = inertia(b, W[2]);
  e->xx += dot(p0, V[0]) + dot(l0, W[0]);
  e->xy += dot(p0, V[1]) + dot(l0, W[1]);
  e->xz += dot(p0, V[2]) + dot(l0, W[2]);
  e->yy += dot(p1, V[1]) + dot(l1, W[1]);
  e->yz += dot(p1, V[2]) + dot(l1, W[2]);
  e->zz += dot(p2, V[2]) + dot(l2, W[2]);
  e->fx += dot(f, V[0]) + dot(n, W[0]);
  e->fy += dot(f, V[1]) + dot(n, W[1]);
  e->fz += dot(f, V[2]) + dot(n, W[2]);
}

/* The accelerations by the three, by the elimination of a symmetric matrix. */
static inline vec solve(equations e) {
  double ix = 1 / e.xx, ly = e.xy * ix, lz = e.xz * ix;
  double yy = e.yy - ly * e.xy, yz = e.yz - ly * e.xz, fy = e.fy - ly * e.fx;
  double iy = 1 / yy, mz = yz * iy;
  double z = (e.fz - lz * e.fx - mz * fy) / (e.zz - lz * e.xz - mz * yz);
  double y = (fy - yz * z) * iy;
  return (vec){(e.fx - e.xy * y - e.xz * z) * ix, y, z};
}

static inline void field(const double *restrict y, double *restrict out) {
  const double g = 9.81, wb = 1.02, trail = 0.08, rr = 0.3, rf = 0.35;
  const double st = 0.30901699437494745, ct = 0.9510565162951535; /* of the steer axis, pi/10 */
  const double sp = sin(y[3]), cp = cos(y[3]), sf = sin(y[4]), cf = cos(y[4]);
  const double s5 = sin(y[5]), c5 = cos(y[5]), sd = sin(y[7]), cd = cos(y[7]);
  const double dpsi = y[12], dphi = y[13], dth = y[14], dar = y[15], ddel = y[16], daf = y[17];

  /* Directions: down, forward, from the rear wheel to its contact, the steer axis, the front assembly's axes. */
  const vec k = {-s5 * cf, sf, c5 * cf}, e = {c5, 0, s5}, l = {-s5, 0, c5}, a = {st, 0, ct};
  const vec hx = {cd + (1 - cd) * st * st, ct * sd, (1 - cd) * st * ct};
  const vec hy = {-ct * sd, cd, st * sd};
  const vec hz = {(1 - cd) * st * ct, -st * sd, cd + (1 - cd) * ct * ct};
  const double s = dot(k, hy), in = 1 / sqrt(1 - s * s);
  const vec d = times(in, sub(k, times(s, hy))); /* from the front wheel's centre to the ground */

  /* Arms: frame and steer axis beside the rear wheel, fork and front wheel beside the steer axis. */
  const vec to_frame = {0.3, 0, -0.9 + rr}, to_axis = {wb + trail, 0, rr};
  const vec to_fork = add(times(0.9 - wb - trail, hx), times(-0.7, hz));
  const vec to_front = add(times(-trail, hx), times(-rf, hz));

  /* Spins, and what of their rates does not hold second derivatives. */
  const vec wy = times(dpsi, k), wl = add(wy, times(dphi, e));
  const vec wr = rightwards(wl, dar), wf = rightwards(wl, dth);
  const vec wh = add(wf, times(ddel, a)), ww = add(wh, times(daf, hy));
  const vec turn = times(dphi, cross_flat(wy, e)), jt = cross_right(wl), hyt = cross(wh, hy);
  vec br = add(turn, times(dar, jt)), bf = add(turn, times(dth, jt));
  vec bh = add(bf, times(ddel, cross_flat(wf, a))), bw = add(bh, times(daf, hyt));

  /* The known parts of the accelerations of the rear wheel, the axis and the front wheel's centre. */
  const vec lt = cross_flat(wl, l);
  vec ar = times(-rr, add(cross_flat(br, l), cross(wr, lt)));
  const vec cf_frame = cross(wf, cross_flat(wf, to_frame)), cf_axis = cross(wf, cross_flat(wf, to_axis));
  const vec cf_fork = cross(wh, cross(wh, to_fork)), cf_front = cross(wh, cross(wh, to_front));
  const double st_ = dot(k, hyt);
  const vec dt = times(in, sub(times(s * st_ * in, d), add(times(st_, hy), times(s, hyt))));
  vec rest = add(add(ar, add(cross_flat(bf, to_axis), cf_axis)), add(cross(bh, to_front), cf_front));
  rest = add(rest, times(rf, add(cross(bw, d), cross(ww, dt))));

  /* Rolling of the front wheel by all six rates: to the left of psi', th', af', to the right of the others. */
  const vec touch = add(to_front, times(rf, d)), far = add(to_axis, touch), rear = times(-rr, l);
  const vec by_psi = cross(k, add(rear, far)), by_th = {far.z, 0, -far.x}, by_af = cross(hy, times(rf, d));
  const vec by_phi = flat_cross(e, add(rear, far)), by_ar = {rear.z, 0, -rear.x}, by_del = flat_cross(a, touch);
  const vec c0 = flat_cross(by_th, by_af), c1 = cross(by_af, by_psi), c2 = cross_flat(by_psi, by_th);
  const double over = -1 / dot(by_psi, c0);
  const vec n0 = times(over, c0), n1 = times(over, c1), n2 = times(over, c2);
  const double psi[3] = {dot(n0, by_phi), dot_flat(n0, by_ar), dot(n0, by_del)}, psi0 = dot(n0, rest);
  const double th[3] = {dot(n1, by_phi), dot_flat(n1, by_ar), dot(n1, by_del)}, th0 = dot(n1, rest);
  const double af[3] = {dot(n2, by_phi), dot_flat(n2, by_ar), dot(n2, by_del)}, af0 = dot(n2, rest);

  /* Velocities by the three. */
  vec WR[3], WF[3], WH[3], WW[3], VR[3], VF[3], VH[3], VW[3];
  for (int i = 0; i < 3; i++) {
    vec w = times(psi[i], k);
    if (i == 0) w = (vec){w.x + e.x, w.y, w.z + e.z};
    WR[i] = i == 1 ? rightwards(w, 1) : w;
    WF[i] = rightwards(w, th[i]);
    vec h = i == 2 ? (vec){WF[i].x + a.x, WF[i].y, WF[i].z + a.z} : WF[i];
    VR[i] = cross_flat(WR[i], rear);
    VF[i] = add(VR[i], cross_flat(WF[i], to_frame));
    vec at_axis = add(VR[i], cross_flat(WF[i], to_axis));
    VH[i] = add(at_axis, cross(h, to_fork));
    VW[i] = add(at_axis, cross(h, to_front));
    WH[i] = (vec){dot(hx, h), dot(hy, h), dot(hz, h)};
    WW[i] = (vec){WH[i].x, WH[i].y + af[i], WH[i].z};
  }

  /* The known parts, with those of psi'', th'', af''. */
  br = add(br, times(psi0, k));
  const vec both = rightwards(times(psi0, k), th0);
  bf = add(bf, both);
  bh = add(bh, both);
  bw = add(add(bw, both), times(af0, hy));
  ar = add(ar, cross_flat(times(psi0, k), rear));
  const vec a0 = sub(ar, times(g, k)), a1 = add(a0, add(cross_flat(bf, to_axis), cf_axis));
  const vec whh = {dot(hx, wh), dot(hy, wh), dot(hz, wh)}, bhh = {dot(hx, bh), dot(hy, bh), dot(hz, bh)};
  const vec bwh = {dot(hx, bw), dot(hy, bw), dot(hz, bw)};
  equations all = {0};
  share(&all, REAR, wr, br, WR, a0, VR);
  share(&all, FRAME, wf, bf, WF, add(a0, add(cross_flat(bf, to_frame), cf_frame)), VF);
  share(&all, FORK, whh, bhh, WH, add(a1, add(cross(bh, to_fork), cf_fork)), VH);
  share(&all, FRONT, (vec){whh.x, whh.y + daf, whh.z}, bwh, WW, add(a1, add(cross(bh, to_front), cf_front)), VW);
  const vec u = solve(all);

  /* The wheel's acceleration in the axes of the ground. */
  const vec c = add(ar, add(times(u.x, VR[0]), add(times(u.y, VR[1]), times(u.z, VR[2]))));
  const double forward = c5 * c.x + s5 * c.z, up = c5 * c.z - s5 * c.x;
  const double right = cf * c.y - sf * up;
  for (int i = 0; i < 9; i++) out[i] = y[9 + i];
  out[9] = cp * forward - sp * right;
  out[10] = sp * forward + cp * right;
  out[11] = sf * c.y + cf * up;
  out[12] = psi0 + psi[0] * u.x + psi[1] * u.y + psi[2] * u.z;
  out[13] = u.x;
  out[14] = th0 + th[0] * u.x + th[1] * u.y + th[2] * u.z;
  out[15] = u.y;
  out[16] = u.z;
  out[17] = af0 + af[0] * u.x + af[1] * u.y + af[2] * u.z;
}
