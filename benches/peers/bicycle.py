"""The Whipple bicycle's right-hand side as in ../native/bicycle.h, for peers that compute with expressions."""


def add(*vectors):
    return tuple(sum(components[1:], components[0]) for components in zip(*vectors))


def times(s, a):
    return tuple(s * x for x in a)


def dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def cross(a, b):
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def solve(matrix, right):
    """The unknowns of three equations with a symmetric matrix."""
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = matrix
    ly, lz = xy / xx, xz / xx
    yy, yz, fy = yy - ly * xy, yz - ly * xz, right[1] - ly * right[0]
    mz = yz / yy
    z = (right[2] - lz * right[0] - mz * fy) / (zz - lz * xz - mz * yz)
    y = (fy - yz * z) / yy
    return ((right[0] - xy * y - xz * z) / xx, y, z)


def field(mathematics, state):
    """Rates of (x, y, z, psi, phi, th, ar, delta, af) and their rates; vectors are in the rear frame's axes."""
    number, sin, cos = mathematics.number, mathematics.sin, mathematics.cos
    nothing, one = number("0"), number("1")
    g, rr, rf = number("9.81"), number("0.3"), number("0.35")
    st, ct = number("0.309016994374947424102"), number("0.951056516295153572116")
    sp, cp, sf, cf, s5, c5 = (f(state[i]) for i in (3, 4, 5) for f in (sin, cos))
    sd, cd = sin(state[7]), cos(state[7])
    dpsi, dphi, dth, dar, ddel, daf = (state[i] for i in range(12, 18))

    k, e, l = (-s5 * cf, sf, c5 * cf), (c5, nothing, s5), (-s5, nothing, c5)
    j, a = (nothing, one, nothing), (st, nothing, ct)
    hx = (cd + (1 - cd) * st * st, ct * sd, (1 - cd) * st * ct)
    hy = (-ct * sd, cd, st * sd)
    hz = ((1 - cd) * st * ct, -st * sd, cd + (1 - cd) * ct * ct)
    s = dot(k, hy)
    n = (1 - s * s) ** number("0.5")
    d = times(1 / n, add(k, times(-s, hy)))
    to_frame, to_axis = (number("0.3"), nothing, number("-0.6")), (number("1.1"), nothing, rr)
    to_fork = add(times(number("-0.2"), hx), times(number("-0.7"), hz))
    to_front = add(times(number("-0.08"), hx), times(-rf, hz))

    wy = times(dpsi, k)
    wl = add(wy, times(dphi, e))
    wr, wf = add(wl, times(dar, j)), add(wl, times(dth, j))
    wh = add(wf, times(ddel, a))
    ww = add(wh, times(daf, hy))
    turn, jt, hyt = times(dphi, cross(wy, e)), cross(wl, j), cross(wh, hy)
    br, bf = add(turn, times(dar, jt)), add(turn, times(dth, jt))
    bh = add(bf, times(ddel, cross(wf, a)))
    bw = add(bh, times(daf, hyt))
    centre = times(-rr, add(cross(br, l), cross(wr, cross(wl, l))))
    s_t = dot(k, hyt)
    d_t = times(1 / n, add(times(s * s_t / n, d), times(-s_t, hy), times(-s, hyt)))
    frame_turn, axis_turn = (cross(wf, cross(wf, arm)) for arm in (to_frame, to_axis))
    fork_turn, front_turn = (cross(wh, cross(wh, arm)) for arm in (to_fork, to_front))
    rest = add(
        centre, cross(bf, to_axis), axis_turn, cross(bh, to_front), front_turn,
        times(rf, add(cross(bw, d), cross(ww, d_t))),
    )  # fmt: skip

    rear, touch = times(-rr, l), add(to_front, times(rf, d))
    far = add(to_axis, touch)
    by_psi, by_th, by_af = cross(k, add(rear, far)), cross(j, far), cross(hy, times(rf, d))
    right = [cross(e, add(rear, far)), cross(j, rear), cross(a, touch)]
    minors = [cross(by_th, by_af), cross(by_af, by_psi), cross(by_psi, by_th)]
    over = -1 / dot(by_psi, minors[0])
    psi, th, af = ([over * dot(minor, x) for x in [*right, rest]] for minor in minors)

    WR, WF, WH, WW, VR, VF, VH, VW = ([] for _ in range(8))
    for i, own in enumerate([e, j, a]):
        w = times(psi[i], k)
        w = add(w, own) if i == 0 else w
        WR.append(add(w, own) if i == 1 else w)
        WF.append(add(w, times(th[i], j)))
        h = add(WF[i], own) if i == 2 else WF[i]
        VR.append(cross(WR[i], rear))
        VF.append(add(VR[i], cross(WF[i], to_frame)))
        at_axis = add(VR[i], cross(WF[i], to_axis))
        VH.append(add(at_axis, cross(h, to_fork)))
        VW.append(add(at_axis, cross(h, to_front)))
        WH.append((dot(hx, h), dot(hy, h), dot(hz, h)))
        WW.append((WH[i][0], WH[i][1] + af[i], WH[i][2]))
    br = add(br, times(psi[3], k))
    bf = add(bf, times(psi[3], k), times(th[3], j))
    bh = add(bh, times(psi[3], k), times(th[3], j))
    bw = add(bw, times(psi[3], k), times(th[3], j), times(af[3], hy))
    centre = add(centre, cross(times(psi[3], k), rear))
    a0 = add(centre, times(-g, k))
    a1 = add(a0, cross(bf, to_axis), axis_turn)

    own_axes = lambda v: (dot(hx, v), dot(hy, v), dot(hz, v))
    wh = own_axes(wh)
    shares = [
        (("2", "0.0603", "0.12", "0.0603", "0"), wr, br, WR, a0, VR),
        (("85", "9.2", "11", "2.8", "2.4"), wf, bf, WF, add(a0, cross(bf, to_frame), frame_turn), VF),
        (("4", "0.05892", "0.06", "0.00708", "-0.00756"), wh, own_axes(bh), WH,
         add(a1, cross(bh, to_fork), fork_turn), VH),
        (("3", "0.1405", "0.28", "0.1405", "0"), (wh[0], wh[1] + daf, wh[2]), own_axes(bw), WW,
         add(a1, cross(bh, to_front), front_turn), VW),
    ]  # fmt: skip
    matrix, forces = [[0] * 3 for _ in range(3)], [0] * 3
    for numbers, w, alpha, W, acceleration, V in shares:
        m, xx, yy, zz, xz = (number(x) for x in numbers)
        inertia = lambda v: (xx * v[0] + xz * v[2], yy * v[1], xz * v[0] + zz * v[2])
        force = times(-m, acceleration)
        couple = add(cross(inertia(w), w), times(-1, inertia(alpha)))
        for i in range(3):
            forces[i] += dot(force, V[i]) + dot(couple, W[i])
            for n in range(i, 3):
                matrix[i][n] += m * dot(V[i], V[n]) + dot(inertia(W[i]), W[n])
    u = solve(matrix, forces)

    c = add(centre, *(times(u[i], VR[i]) for i in range(3)))
    forward, up = c5 * c[0] + s5 * c[2], c5 * c[2] - s5 * c[0]
    sideways = cf * c[1] - sf * up
    by_three = lambda row: row[3] + row[0] * u[0] + row[1] * u[1] + row[2] * u[2]
    return [
        *(state[i] for i in range(9, 18)),
        cp * forward - sp * sideways,
        sp * forward + cp * sideways,
        sf * c[1] + cf * up,
        by_three(psi),
        u[0],
        by_three(th),
        u[1],
        u[2],
        by_three(af),
    ]
