/* A thin disc, r = 0.5, g = 9.81, rolling without slip. y = (x, y, z, psi, th, ph) and their rates. In axes
   that turn with heading and lean but do not spin, w = (th', ph' + psi' sin th, psi' cos th); the balance
   of the moment of momentum about the contact, inertia m r^2/4 (1, 2, 1), gives
     5 th'' = 6 w2 w3 - w3^2 tan th + 4 (g/r) sin th,  3 w2' = -2 w1 w3,  cos th psi'' = -2 th' ph',
   and the centre moves with v = r (w2 e1 - w1 e2), e1 = (cos psi, sin psi, 0),
   e2 = (-sin psi cos th, cos psi cos th, sin th).
   `real` is a number, or a vector of numbers that are computed side by side. */

static inline void field(const real *restrict y, real *restrict out) {
  const double r = 0.5, g = 9.81;
  real sp = SIN(y[3]), cp = COS(y[3]), st = SIN(y[4]), ct = COS(y[4]);
  real dpsi = y[9], dth = y[10], dph = y[11];
  real over = 1 / ct, tan = st * over;
  real w1 = dth, w2 = dph + dpsi * st, w3 = dpsi * ct;
  real ddth = (w3 * (6 * w2 - w3 * tan) + 4 * g / r * st) / 5;
  real dw2 = -2.0 / 3 * w1 * w3;
  real ddpsi = -2 * dth * dph * over;
  real ddph = dw2 - ddpsi * st - dpsi * dth * ct;
  real e2x = -sp * ct, e2y = cp * ct;
  out[0] = y[6];
  out[1] = y[7];
  out[2] = y[8];
  out[3] = dpsi;
  out[4] = dth;
  out[5] = dph;
  out[6] = r * (dw2 * cp - w2 * dpsi * sp - ddth * e2x - w1 * (-cp * ct * dpsi + sp * st * dth));
  out[7] = r * (dw2 * sp + w2 * dpsi * cp - ddth * e2y - w1 * (-sp * ct * dpsi - cp * st * dth));
  out[8] = r * (-ddth * st - w1 * ct * dth);
  out[9] = ddpsi;
  out[10] = ddth;
  out[11] = ddph;
}
