"""SymPy objects in and out, and SymPy's own methods as oracles."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import appell as ap

sympy = pytest.importorskip("sympy")
from sympy.physics import mechanics as me  # noqa: E402

from appell._sympy import Printer  # noqa: E402
from appell._to_sympy import parse  # noqa: E402

T = me.dynamicsymbols._t


def test_names_keep_their_meaning() -> None:
    """None of these is the imaginary unit, Euler's number, a word of Python or a function."""
    inertia, e, lam, beta, gamma, s, q = sympy.symbols("I E lambda beta gamma S Q")
    theta = me.dynamicsymbols("theta")
    model = ap.Model(
        coordinates=[theta],
        parameters={inertia: 1, e: 2, lam: 3, beta: 4, gamma: 5, s: 6, q: 7},
        kinetic=inertia * theta.diff(T) ** 2 / 2,
        potential=(e + lam * beta + gamma * s + q) * sympy.cos(theta),
    )
    assert list(model.parameters) == ["I", "E", "lambda", "beta", "gamma", "S", "Q"]
    assert model.rhs()(0, [0.3, 0.0])[1] == pytest.approx((2 + 12 + 30 + 7) * np.sin(0.3), rel=1e-15)


def test_what_cannot_be_said_is_refused_in_words() -> None:
    x = me.dynamicsymbols("x")
    a, b = sympy.symbols("T a{1}")
    cases = [
        (sympy.I * x, "no counterpart"),
        (sympy.gamma(x), "gamma"),
        (a * x, "means something else"),
        (b * x, "cannot be a name"),
        (sympy.Function("f")(x), "not a function of the time"),
        (sympy.oo, "no counterpart"),
        (sympy.Derivative(sympy.Function("f")(a), a), "no derivative by the time|one time|time alone"),
    ]
    for potential, words in cases:
        with pytest.raises(ValueError, match=words):
            ap.Model(coordinates=[x], kinetic=x.diff(T) ** 2, potential=potential)
    with pytest.raises(ValueError, match="one time"):
        other = sympy.Function("y")(sympy.Symbol("tau"))
        ap.Model(coordinates=[x], kinetic=x.diff(T) ** 2 + other)
    with pytest.raises(TypeError, match="no coordinate"):
        ap.Model(coordinates=[x**2], kinetic=x.diff(T) ** 2)


def random_expression(rng: np.random.Generator, leaves: list[Any], depth: int) -> Any:
    if depth == 0 or rng.random() < 0.15:
        numbers = [sympy.Rational(int(rng.integers(-9, 9)), int(rng.integers(1, 9))), sympy.Float(rng.normal())]
        return [*leaves, *numbers][rng.integers(len(leaves) + 2)]
    a, b = (random_expression(rng, leaves, depth - 1) for _ in range(2))
    makers = [
        lambda: a + b,
        lambda: a - b,
        lambda: a * b,
        lambda: a / (1 + b**2),
        lambda: -a,
        lambda: a ** int(rng.integers(-3, 4)),
        lambda: sympy.sqrt(1 + a**2),
        lambda: (2 + sympy.sin(a)) ** sympy.Rational(int(rng.integers(1, 6)), 3),
        lambda: (2 + sympy.sin(a)) ** (b / 3),
        lambda: sympy.sin(a) * sympy.exp(-(b**2)),
        lambda: sympy.tanh(a) - sympy.cos(b),
        lambda: sympy.atan2(a, 2 + b**2),
        lambda: sympy.sec(a / 9) + sympy.Abs(b),
    ]
    return makers[rng.integers(len(makers))]()


@pytest.mark.parametrize("seed", range(60))
def test_formulas_say_what_the_expressions_say(seed: int) -> None:
    """Written for a model and read again, by the reader of derivations, an expression has its values."""
    rng = np.random.default_rng(seed)
    x, y = me.dynamicsymbols("x y")
    leaves = [x, x.diff(T), y.diff(T, 2), sympy.Symbol("I"), sympy.Symbol("lambda"), T, sympy.pi]
    expression = random_expression(rng, leaves, 4)
    text = Printer(T).formula(expression)
    values = {"x": 0.3, "x'": -1.2, "y''": 0.7, "I": 1.9, "lambda": -0.6, "t": 0.4, "pi": np.pi}
    names = {"x": x, "x'": x.diff(T), "y''": y.diff(T, 2), "t": T, "pi": sympy.pi}
    again = parse(text, lambda name: names.get(name, sympy.Symbol(name)))
    at = [(y.diff(T, 2), values["y''"]), (x.diff(T), values["x'"]), (x, values["x"]), (T, values["t"])]
    at += [(sympy.Symbol(name), values[name]) for name in ("I", "lambda")]
    wanted, found = (complex(sympy.N(e.subs(at), 20)) for e in (sympy.sympify(expression), again))
    if np.isfinite(wanted):
        assert found == pytest.approx(wanted, rel=1e-9, abs=1e-9), text


@pytest.mark.filterwarnings("ignore::appell.ModelWarning")
@pytest.mark.parametrize("seed", range(12))
def test_formulas_mean_the_same_to_the_model(seed: int) -> None:
    """The force -dV/dx of a random V that Appell derives is that of SymPy."""
    rng = np.random.default_rng(1000 + seed)
    x, y = me.dynamicsymbols("x y")
    beta = sympy.Symbol("beta")
    potential = random_expression(rng, [x, y, beta, T], 3).replace(sympy.Abs, lambda a: a) + x * y
    model = ap.Model(
        coordinates=[x, y], parameters={beta: 0.8}, kinetic=(x.diff(T) ** 2 + y.diff(T) ** 2) / 2, potential=potential
    )
    f = model.rhs()
    force = sympy.lambdify((T, x, y, beta), [-potential.diff(x), -potential.diff(y)], "numpy")
    for _ in range(3):
        t, a, b = rng.uniform(0.2, 1.3, size=3)
        with np.errstate(all="ignore"):
            wanted = np.array(force(t, a, b, 0.8), dtype=complex)
        if np.isfinite(wanted).all():
            assert f(t, [a, b, 0, 0])[2:] == pytest.approx(wanted.real, rel=1e-10, abs=1e-10)


# Oracles.


def values_of(method: Any, q: list[Any], states: np.ndarray[Any, Any], constants: dict[Any, float]) -> np.ndarray[Any, Any]:
    """The accelerations of a method of SymPy at states (q, q'), from its mass matrix."""
    n = len(q)
    rates = [x.diff(T) for x in q]
    dummies = sympy.symbols(f"d:{2 * n}")
    swap = dict(zip([*rates, *q], dummies, strict=True))
    matrix, right = (sympy.Matrix(m).subs(constants).subs(swap) for m in (method.mass_matrix_full, method.forcing_full))
    compute = sympy.lambdify(dummies, [matrix, right], "numpy")
    found = []
    for state in states:
        m, r = compute(*state[n:], *state[:n])
        found.append(np.linalg.solve(np.array(m, float), np.array(r, float).ravel())[n : 2 * n])
    return np.array(found)


@pytest.mark.parametrize("seed", range(8))
def test_nonlinear_constraints_agree_with_lagranges_method(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 4))
    q = list(me.dynamicsymbols(f"q0:{n}"))
    v = [x.diff(T) for x in q]
    m, c = sympy.symbols("m c")
    mass = sympy.diag(*[m * (1 + i) for i in range(n)])
    mass[0, 1] = mass[1, 0] = m * sympy.cos(q[0] - q[1]) / 2
    kinetic = (sympy.Matrix(v).T * mass * sympy.Matrix(v))[0] / 2
    potential = c * sum(sympy.sin(x) * int(rng.integers(1, 4)) for x in q) + c * q[0] * q[-1]
    numbers = [sympy.Rational(int(k), 3) for k in rng.integers(-6, 7, size=6)]
    degree = int(rng.integers(2, 4))
    row = numbers[0] * v[0] ** degree + v[0] * v[1] * (1 + q[0] ** 2) + numbers[1] * sympy.cos(q[1]) * v[-1] ** 2
    row += numbers[2] * v[1] + numbers[3] * q[0] + sympy.Rational(7, 5)
    lagrangian = kinetic - potential
    theirs = me.LagrangesMethod(lagrangian, q, nonhol_coneqs=[row])
    theirs.form_lagranges_equations()
    model = ap.Model.from_sympy(q, lagrangian=lagrangian, constraints=[row], parameters={m: 1.3, c: 0.7})
    f = model.rhs()
    states = rng.uniform(-1, 1, size=(5, 2 * n))
    wanted = values_of(theirs, q, states, {m: 1.3, c: 0.7})
    for state, accel in zip(states, wanted, strict=True):
        assert f(0, state)[n:] == pytest.approx(accel, rel=1e-10, abs=1e-10)


@pytest.mark.parametrize("seed", range(4))
def test_linear_constraints_agree_with_kanes_method(seed: int) -> None:
    """Two particles in space on moving points, one linear constraint, motion variables of the user."""
    rng = np.random.default_rng(100 + seed)
    q = list(me.dynamicsymbols("q0:3"))
    u = list(me.dynamicsymbols("u0:3"))
    m1, m2, g = sympy.symbols("m1 m2 g")
    k = [sympy.Rational(int(i), 2) for i in rng.integers(1, 5, size=6)]
    frame, origin = me.ReferenceFrame("N"), me.Point("O")
    origin.set_vel(frame, 0)
    turned = frame.orientnew("A", "Axis", [q[2], frame.z])
    kd = [q[0].diff(T) - u[0], q[1].diff(T) - u[1] - k[5] * u[0], q[2].diff(T) - u[2]]
    rates = sympy.solve(kd, [x.diff(T) for x in q])
    turned.set_ang_vel(frame, rates[q[2].diff(T)] * frame.z)
    first = origin.locatenew("P", q[0] * frame.x + q[1] * frame.y)
    first.set_vel(frame, rates[q[0].diff(T)] * frame.x + rates[q[1].diff(T)] * frame.y)
    second = first.locatenew("Q", k[0] * turned.x + k[1] * turned.z)
    second.v2pt_theory(first, frame, turned)
    bodies = [me.Particle("P", first, m1), me.Particle("Q", second, m2)]
    loads = [(first, -m1 * g * frame.y), (second, k[2] * turned.y), (turned, k[3] * u[2] * frame.z)]
    row = u[0] * sympy.sin(q[2]) - k[4] * u[1] * sympy.cos(q[2]) + u[2] / 3
    theirs = me.KanesMethod(frame, q, u[:2], kd, u_dependent=u[2:], velocity_constraints=[row])
    theirs.kanes_equations(bodies, loads)
    constants = {m1: 1.1, m2: 0.6, g: 9.81}
    model = ap.Model.from_sympy(
        q, bodies=bodies, forces=loads, constraints={"c": row}, parameters=constants, frame=frame, origin=origin, u=u, kd=kd
    )
    assert model.bodies == ["P", "Q"]
    f = model.rhs()
    matrix, right = (x.subs(constants) for x in (theirs.mass_matrix_full, theirs.forcing_full))
    compute = sympy.lambdify([*q, *u], [matrix, right], "numpy")
    for _ in range(4):
        at, (a, b) = rng.uniform(-1, 1, size=3), rng.uniform(-1, 1, size=2)
        dependent = -3 * (a * np.sin(at[2]) - float(k[4]) * b * np.cos(at[2]))
        speeds = np.array([a, b, dependent])
        left, forcing = compute(*at, *speeds)
        rate = np.linalg.solve(np.array(left, float), np.array(forcing, float).ravel())
        velocity, speeds_rate = rate[:3], rate[3:]
        accel = [speeds_rate[0], speeds_rate[1] + float(k[5]) * speeds_rate[0], speeds_rate[2]]
        assert f(0, [*at, *velocity])[3:] == pytest.approx(accel, rel=1e-10, abs=1e-10)


def rolling_disc() -> tuple[Any, ...]:
    x, y, yaw, lean, spin = q = me.dynamicsymbols("x y yaw lean spin")
    r, m, g = sympy.symbols("r m g")
    frame, origin = me.ReferenceFrame("N"), me.Point("O")
    origin.set_vel(frame, 0)
    heading = frame.orientnew("A", "Axis", [yaw, frame.z])
    leaning = heading.orientnew("L", "Axis", [lean, heading.x])
    turning = leaning.orientnew("R", "Axis", [spin, leaning.y])
    contact = origin.locatenew("C", x * frame.x + y * frame.y)
    contact.set_vel(frame, x.diff(T) * frame.x + y.diff(T) * frame.y)
    centre = contact.locatenew("G", r * leaning.z)
    centre.set_vel(frame, centre.pos_from(origin).dt(frame))
    inertia = me.inertia(turning, m * r**2 / 4, m * r**2 / 2, m * r**2 / 4)
    disc = me.RigidBody("disc", centre, turning, m, (inertia, centre))
    slip = centre.vel(frame) + turning.ang_vel_in(frame).cross(-r * leaning.z)
    return list(q), frame, centre, disc, slip, {r: 0.5, m: 2.0, g: 9.81}, -m * g * frame.z


def test_a_rigid_body_becomes_one() -> None:
    q, frame, centre, disc, slip, constants, weight = rolling_disc()
    rows = [slip.dot(frame.x), slip.dot(frame.y)]
    given: dict[str, Any] = {"forces": [(centre, weight)], "parameters": constants, "frame": frame}
    model = ap.Model.from_sympy(q, bodies=[disc], constraints={"roll": slip}, **given)
    assert model.bodies == ["disc"] and "[frames]" in model.text
    kinetic = disc.kinetic_energy(frame)
    theirs = me.LagrangesMethod(kinetic, q, nonhol_coneqs=rows, forcelist=[(centre, weight)], frame=frame)
    theirs.form_lagranges_equations()
    rng = np.random.default_rng(5)
    states = rng.uniform(-1, 1, size=(4, 10))
    wanted = values_of(theirs, q, states, constants)
    f, plain = model.rhs(), ap.Model.from_sympy(q, lagrangian=kinetic, constraints=rows, **given).rhs()
    for state, accel in zip(states, wanted, strict=True):
        assert f(0, state)[5:] == pytest.approx(accel, rel=1e-10, abs=1e-10)
        assert plain(0, state)[5:] == pytest.approx(accel, rel=1e-10, abs=1e-10)
    motion = model.run(0.5, x0={"lean": 0.1, "spin'": 5.0, "yaw'": 0.2})
    assert motion.success and motion.reaction("disc").shape[1] == 3


def test_turns_the_other_way_and_products_of_inertia() -> None:
    a, b = q = me.dynamicsymbols("a b")
    frame, origin = me.ReferenceFrame("N"), me.Point("O")
    origin.set_vel(frame, 0)
    first = frame.orientnew("A", "Axis", [a, -frame.z])
    second = first.orientnew("B", "Axis", [-b, first.x])
    inertia = me.inertia(second, 4, 5, 6, 0.5, 0.7, 0.9)
    body = me.RigidBody("body", origin, second, 2, (inertia, origin))
    model = ap.Model.from_sympy(q, bodies=[body], frame=frame)
    assert model.bodies == ["body"]
    theirs = me.LagrangesMethod(body.kinetic_energy(frame), list(q))
    theirs.form_lagranges_equations()
    states = np.random.default_rng(4).uniform(0.2, 1, size=(3, 4))
    wanted = values_of(theirs, list(q), states, {})
    for state, accel in zip(states, wanted, strict=True):
        assert model.rhs()(0, state)[2:] == pytest.approx(accel, rel=1e-10, abs=1e-10)


def test_a_body_turned_at_once_is_turned_three_times() -> None:
    a, b, c = q = me.dynamicsymbols("a b c")
    frame, origin = me.ReferenceFrame("N"), me.Point("O")
    origin.set_vel(frame, 0)
    turned = frame.orientnew("B", "Body", list(q), "123")
    body = me.RigidBody("top", origin, turned, 2, (me.inertia(turned, 1, 2, 3), origin))
    torque = [(turned, c * frame.x + 2 * turned.y)]
    model = ap.Model.from_sympy(q, bodies=[body], forces=torque, frame=frame)
    assert model.bodies == ["top"]
    theirs = me.LagrangesMethod(body.kinetic_energy(frame), list(q), forcelist=torque, frame=frame)
    theirs.form_lagranges_equations()
    states = np.random.default_rng(3).uniform(0.2, 1, size=(3, 6))
    wanted = values_of(theirs, list(q), states, {})
    for state, accel in zip(states, wanted, strict=True):
        assert model.rhs()(0, state)[3:] == pytest.approx(accel, rel=1e-10, abs=1e-10)


def test_equations_as_sympy_objects() -> None:
    """Solved by SymPy, the linear systems of a form give Appell's accelerations."""
    model = ap.Model.gallery("skate")
    equations = model.derive("multipliers").sympy()
    assert equations.q == [sympy.Function(name)(T) for name in ("x", "y", "theta")]
    assert equations.tables["M"] == sympy.diag(*sympy.symbols("m m I"))
    at = {**{sympy.Symbol(n): v for n, v in model.parameters.items()}}
    state = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]
    moving = dict(zip(equations.state[::-1], state[::-1], strict=True))
    accel = [x.diff(T, 2) for x in equations.q]
    found = sympy.solve(equations.equations, [*accel, sympy.Symbol("lambda[blade]")], dict=True)[0]
    values = [float(found[a].subs(at).subs(moving)) for a in accel]
    assert values == pytest.approx(model.rhs()(0, state)[3:], rel=1e-12)


@pytest.mark.parametrize("name", ["skate", "rolling-disc", "appell-particle", "roller-racer"])
def test_every_form_is_read_by_sympy(name: str) -> None:
    for form in ap.Model.gallery(name).derive(list(ap.forms()), steps=True).values():
        if isinstance(form, ap.Derivation):
            assert form.sympy().rate


def test_specified_inputs_become_inputs() -> None:
    """A function of the time that nothing gives is what a controller sets."""
    x, push = me.dynamicsymbols("x F")
    m = sympy.symbols("m")
    frame, origin = me.ReferenceFrame("N"), me.Point("O")
    origin.set_vel(frame, 0)
    point = origin.locatenew("P", x * frame.x)
    point.set_vel(frame, x.diff() * frame.x)
    for inputs in ({push: 0}, {"F": {"value": 0, "unit": "N"}}):
        model = ap.Model.from_sympy(
            [x], bodies=[me.Particle("p", point, m)], forces=[(point, push * frame.x)], frame=frame, parameters={m: 2}, inputs=inputs
        )  # fmt: skip
        assert list(model.inputs) == ["F"]
        motion = model.run(1, x0={"x": 0, "x'": 0}, inputs={"F": "2*sin(t)"}, rtol=1e-11, atol=1e-12)
        assert motion["x"][-1] == pytest.approx(1 - np.sin(1), abs=1e-10)


def test_inertias_about_axes_that_no_body_turns_about_need_no_value() -> None:
    """A cart with two links, by joints: SymPy's own equations know one moment of inertia of each link."""
    ground, cart, first, second = (me.RigidBody(name) for name in ("ground", "cart", "first", "second"))
    l, g = sympy.symbols("l g")
    system = me.System.from_newtonian(ground)
    system.add_joints(
        me.PrismaticJoint("slide", ground, cart, joint_axis=ground.x),
        me.PinJoint("p1", cart, first, joint_axis=cart.z, child_point=l / 2 * first.y),
        me.PinJoint("p2", first, second, parent_point=-l / 2 * first.y, child_point=l / 2 * second.y, joint_axis=first.z),
    )
    system.apply_uniform_gravity(-g * ground.y)
    system.form_eoms()
    matrix, right = system.mass_matrix_full, system.forcing_full
    occurring = sorted((matrix.free_symbols | right.free_symbols) - {me.dynamicsymbols._t}, key=str)
    values = {symbol: 1 + 0.1 * i for i, symbol in enumerate(occurring)}
    with pytest.warns(ap.SympyRemark, match="no motion depends on first_ixx"):
        model = ap.Model.from_sympy(system, parameters=values)
    q, u = [0.1, 0.4, -0.3], [0.2, 0.5, -0.7]
    at = dict(zip([*system.q, *system.u], [*q, *u], strict=True)) | values
    rates = np.linalg.solve(np.array(matrix.subs(at), float), np.array(right.subs(at), float).ravel())
    assert model.rhs()(0.0, [*q, *rates[:3]])[3:] == pytest.approx(rates[3:], rel=1e-12)
    # One that a motion depends on is asked for.
    del values[sympy.Symbol("first_izz")]
    with pytest.raises(ValueError, match="no value is known of first_izz:"):
        ap.Model.from_sympy(system, parameters=values)


def test_bodies_beside_a_lagrangian_with_their_energy_are_refused() -> None:
    """They would count twice; beside a potential, or the energy of other bodies, they do not."""
    x, m, k = me.dynamicsymbols("x"), *sympy.symbols("m k")
    frame, origin = me.ReferenceFrame("N"), me.Point("O")
    origin.set_vel(frame, 0)
    place = origin.locatenew("P", x * frame.x)
    place.set_vel(frame, x.diff(T) * frame.x)
    mass = me.Particle("P", place, m)
    given: dict[str, Any] = {"bodies": [mass], "frame": frame, "parameters": {m: 2, k: 3}}
    with pytest.raises(ValueError, match="already"):
        ap.Model.from_sympy([x], lagrangian=m * x.diff(T) ** 2 / 2 - k * x**2 / 2, **given)
    alone = ap.Model.from_sympy([x], lagrangian=-k * x**2 / 2, **given)
    assert alone.rhs()(0, [1, 0])[1] == pytest.approx(-1.5)
    with pytest.warns(ap.SympyRemark, match="are added"):
        both = ap.Model.from_sympy([x], lagrangian=m * x.diff(T) ** 2 - k * x**2 / 2, **given)
    assert both.rhs()(0, [1, 0])[1] == pytest.approx(-0.5)


def test_laws_of_the_state_are_taken_in_forces_only() -> None:
    """SymPy holds F fixed in a Lagrangian, a potential and a row; put in, it would be another system."""
    x, y, force = me.dynamicsymbols("x y F")
    m, k = sympy.symbols("m k")
    frame, origin = me.ReferenceFrame("N"), me.Point("O")
    origin.set_vel(frame, 0)
    place = origin.locatenew("P", x * frame.x)
    place.set_vel(frame, x.diff(T) * frame.x)
    energy, numbers = m * x.diff(T) ** 2 / 2, {m: 2, k: 3}
    read = ap.Model.from_sympy
    pushed = read([x], lagrangian=energy, forces=[(place, force * frame.x)], frame=frame, parameters=numbers, specified={force: -k * x})
    assert pushed.rhs()(0, [1, 0])[1] == pytest.approx(-1.5)
    for law in (-k * x, "-k*x", -k * x.diff(T)):
        with pytest.raises(ValueError, match="law of the state"):
            read([x], lagrangian=energy + force * x, parameters=numbers, specified={force: law})
    with pytest.raises(ValueError, match="law of the state"):
        read([x], lagrangian=energy - k * x**2 / 2, parameters={m: 2, k: 1 + x})
    flat = energy + m * y.diff(T) ** 2 / 2
    with pytest.raises(ValueError, match="constraints"):
        read([x, y], lagrangian=flat, constraints=[y - force], parameters=numbers, specified={force: x / 2})
    driven = read([x], lagrangian=energy + force * x, parameters=numbers, specified={force: sympy.sin(T)})
    assert driven.rhs()(1, [1, 0])[1] == pytest.approx(np.sin(1) / 2)


def slider() -> tuple[Any, ...]:
    """A particle on a line: coordinate, mass, point, particle, and what else `from_sympy` needs."""
    x, m = me.dynamicsymbols("x"), sympy.Symbol("m")
    frame, origin = me.ReferenceFrame("N"), me.Point("O")
    point = origin.locatenew("P", x * frame.x)
    return x, m, point, me.Particle("P", point, m), {"parameters": {m: 2}, "frame": frame, "origin": origin}


def test_forces_are_vectors() -> None:
    x, _, point, particle, given = slider()
    frame = given["frame"]
    pushed = ap.Model.from_sympy([x], bodies=[particle], forces=[(point, frame.x), (point, 0)], **given)
    assert pushed.rhs()(0, [1.0, 0.0])[1] == 0.5
    for wrong in (3, x, sympy.Integer(3), "3", None, [1, 0, 0], np.array([1, 0, 0])):
        with pytest.raises(TypeError, match=r"the force in the pair \(P, .* is no vector"):
            ap.Model.from_sympy([x], bodies=[particle], forces=[(point, wrong)], **given)
    with pytest.raises(TypeError, match=r"the torque in the pair \(N, 2\)"):
        ap.Model.from_sympy([x], bodies=[particle], forces=[(frame, 2)], **given)


def test_a_body_is_given_once() -> None:
    x, m, point, particle, given = slider()
    with pytest.raises(ValueError, match="the body P is given twice"):
        ap.Model.from_sympy([x], bodies=[particle, particle], **given)
    two = ap.Model.from_sympy([x], bodies=[particle, me.Particle("P", point, m)], forces=[(point, given["frame"].x)], **given)
    assert two.rhs()(0, [1.0, 0.0])[1] == 0.25


@pytest.mark.parametrize("force", [5, 5.0, np.float64(5), Fraction(5, 1), Decimal(5), "5", "2*m + 1", sympy.Integer(5)], ids=repr)
def test_components_are_numbers_of_any_kind(force: Any) -> None:
    x, _, _, particle, given = slider()
    assert ap.Model.from_sympy([x], bodies=[particle], forces={x: force}, **given).rhs()(0, [1.0, 0.0])[1] == 2.5


def test_components_that_are_none_are_refused() -> None:
    x, _, _, particle, given = slider()
    with pytest.raises(TypeError, match="neither a number nor a formula"):
        ap.Model.from_sympy([x], bodies=[particle], forces={x: True}, **given)
    for key in (me.dynamicsymbols("z"), sympy.Symbol("x")):
        with pytest.raises(ValueError, match="is no coordinate"):
            ap.Model.from_sympy([x], bodies=[particle], forces={key: 5}, **given)


def test_rows_on_accelerations_and_rows_that_say_nothing() -> None:
    x, y, u, v = me.dynamicsymbols("x y u v")
    m = sympy.Symbol("m")
    given: dict[str, Any] = {"lagrangian": m * (x.diff(T) ** 2 + y.diff(T) ** 2) / 2, "parameters": {m: 1}}
    model = ap.Model.from_sympy([x, y], constraints=[x.diff(T, 2) - y], **given)
    assert model.rhs()(0, [1, 2, 0.3, 0.4])[2:].tolist() == [2, 0]
    speeds = {"u": [u, v], "kd": [x.diff(T) - 2 * u, y.diff(T) - v]}
    model = ap.Model.from_sympy([x, y], constraints=[sympy.Eq(u.diff(T), y)], **speeds, **given)
    assert model.rhs()(0, [1, 2, 0.3, 0.4])[2:].tolist() == [4, 0]
    for row in (sympy.Eq(x, x), True, 0, x - x, sympy.sin(1) ** 2 + sympy.cos(1) ** 2 - 1):
        with pytest.raises(ValueError, match="constraint c1 holds whatever moves"):
            ap.Model.from_sympy([x, y], constraints=[row], **given)
    for row in (False, 1, sympy.Rational(1, 3)):
        with pytest.raises(ValueError, match="constraint c1 never holds"):
            ap.Model.from_sympy([x, y], constraints=[row], **given)
    with pytest.raises(TypeError, match="is no equation"):
        ap.Model.from_sympy([x, y], constraints=[x > y], **given)


def test_what_from_sympy_does_not_take_is_named() -> None:
    x, m, _, particle, given = slider()
    with pytest.raises(TypeError, match="no argument `parametres`.*did you mean `parameters`"):
        ap.Model.from_sympy([x], bodies=[particle], parametres={m: 2})
    for q in (None, 3):
        with pytest.raises(TypeError, match=f"q={q}: give the coordinates"):
            ap.Model.from_sympy(q)  # type: ignore[arg-type]


INVERSE = {
    "asinh": [-1e4, -3, -0.5, 0, 0.5, 3, 1e4],
    "acosh": [1.000001, 1.5, 1e4],
    "atanh": [-0.999, -0.5, 0, 0.5, 0.999],
    "acoth": [-9, -1.1, 1.1, 9],
    "acsch": [-3, -0.2, 0.2, 3],
    "asech": [0.1, 0.5, 0.99],
    "acot": [-1e3, -2, -0.1, 0.1, 2, 1e3],
    "asec": [-5, -1.1, 1.1, 5],
    "acsc": [-5, -1.1, 1.1, 5],
    "sinc": [-20, -3, -1.5, -1, 0, 1e-8, 0.5, 1, 1.4142135623730951, 3, 50],
}


@pytest.mark.filterwarnings("ignore::appell.ModelWarning")
@pytest.mark.parametrize("name", list(INVERSE))
def test_functions_by_formulas_have_the_values_and_slopes_of_sympy(name: str) -> None:
    """On all branches, and where their formulas might lose digits."""
    x, s, function = me.dynamicsymbols("x"), sympy.Symbol("s"), getattr(sympy, name)
    pushed = ap.Model(coordinates=[x], kinetic=x.diff(T) ** 2 / 2, forces={x: function(x)}).rhs()
    held = ap.Model(coordinates=[x], kinetic=x.diff(T) ** 2 / 2, potential=-function(x)).rhs()
    terms = [function(s), function(s).diff(s), function(s).diff(s, 2)]
    if name == "sinc":
        # SymPy's slopes are quotients, without a value at zero.
        terms = [(sympy.sin(s) / s).diff(s, k) for k in range(3)]
    for at in INVERSE[name]:
        if name == "sinc" and abs(at) < 1e-6:
            wanted = [1.0, -at / 3, -1 / 3]
        else:
            wanted = [float(sympy.N(term.subs(s, sympy.Rational(at)), 40)) for term in terms]
        found = [pushed(0, [at, 0])[1], pushed.jac(0, [at, 0])[1, 0], held.jac(0, [at, 0])[1, 0]]
        assert found == pytest.approx(wanted, rel=1e-12, abs=1e-12), at
        assert held(0, [at, 0])[1] == pytest.approx(wanted[1], rel=1e-12, abs=1e-12)


@pytest.mark.filterwarnings("ignore::appell.ModelWarning")
def test_functions_by_formulas_in_pieces_and_the_golden_ratio() -> None:
    x = me.dynamicsymbols("x")
    pieces = ((sympy.acosh(x), x > 1), (sympy.atanh(x), sympy.Abs(x) < 1), (sympy.sinc(x) + sympy.asinh(x), True))
    f = ap.Model(coordinates=[x], kinetic=x.diff(T) ** 2 / 2, forces={x: sympy.Piecewise(*pieces)}).rhs()
    for at, wanted in ((2.0, np.arccosh(2)), (0.5, np.arctanh(0.5)), (-3.0, np.sin(3) / 3 - np.arcsinh(3))):
        assert f(0, [at, 0])[1] == pytest.approx(wanted, rel=1e-14)
    golden = ap.Model(coordinates=[x], kinetic=x.diff(T) ** 2 / 2, forces={x: sympy.GoldenRatio**2 / sympy.GoldenRatio * x})
    assert golden.rhs()(0, [2, 0])[1] == pytest.approx(1 + np.sqrt(5), rel=1e-15)


def test_coordinates_come_as_one_or_as_a_matrix() -> None:
    x, y = me.dynamicsymbols("x y")
    alone = ap.Model.from_sympy([x], lagrangian=x.diff() ** 2 / 2)
    assert ap.Model.from_sympy(x, lagrangian=x.diff() ** 2 / 2) == alone
    assert ap.Model.from_sympy(sympy.Matrix([x]), lagrangian=x.diff() ** 2 / 2) == alone
    both = ap.Model(coordinates=sympy.Matrix([x, y]), kinetic=x.diff() ** 2 / 2 + y.diff() ** 2)
    assert both.coordinates == ["x", "y"]
