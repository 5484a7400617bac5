"""Derivatives of motions, fits, exponents, and linear equations with inputs."""

import pickle

import numpy as np
import pytest

import appell as ap

SLEIGH = """appell = 1
coordinates = ["x", "y", "theta"]
parameters = { m = 1.2, I = 0.4, a = 0.3 }
inputs = { tau = 0.1 }
[energy]
kinetic = "m/2*(x'^2 + y'^2) + m*a*theta'*(y'*cos(theta) - x'*sin(theta)) + (I + m*a^2)/2*theta'^2"
[forces]
theta = "tau"
[constraints]
blade = "x'*sin(theta) - y'*cos(theta) = 0"
[initial]
state = ["x = 0", "y = 0", "theta = 0.2", "x' = 1", "theta' = 0.7"]
"""


def closed_form(t, omega, speed, m, inertia, a):
    """The sleigh without a couple: speed and angular velocity on an ellipse, by tanh and sech."""
    j = inertia + m * a * a
    k = np.sqrt(j / m)
    size = np.hypot(speed, k * omega)
    rate = a * size / k**2
    phase = np.arctanh(speed / size)
    return size * np.tanh(rate * t + phase), size / k / np.cosh(rate * t + phase)


def test_a_sleigh_moves_as_its_closed_form():
    model = ap.Model(text=SLEIGH)
    names = ["m", "I", "a", "theta'", "tau"]
    run = dict(params={"tau": 0}, rtol=1e-12, atol=1e-12, samples=11, sensitivity=names)
    motion = model.run(3, **run)
    assert motion.sensitivity.shape == (11, 6, 5)
    assert motion.derivatives.names == names and motion.derivatives.columns[:2] == ["x", "y"]
    np.testing.assert_array_equal(motion.derivatives["theta'"], motion.sensitivity[:, 5])
    speed = 1 / np.cos(0.2)
    given = {"omega": 0.7, "speed": speed, "m": 1.2, "inertia": 0.4, "a": 0.3}
    for place, name in enumerate(["m", "inertia", "a", "omega"]):
        h = 1e-3
        found = [
            closed_form(motion.t, **(given | {name: given[name] + s * h}))[1] for s in (-2, -1, 1, 2)
        ]
        slope = (found[0] - 8 * found[1] + 8 * found[2] - found[3]) / (12 * h)
        np.testing.assert_allclose(motion.derivatives["theta'"][:, place], slope, atol=1e-9)


def test_derivatives_by_inputs_and_starts_are_those_of_differences():
    model = ap.Model(text=SLEIGH)
    run = dict(rtol=1e-12, atol=1e-12, samples=3)
    found = model.run(2, inputs={"tau": "0.3*sin(t) - I*theta'"}, sensitivity="tau", **run).sensitivity
    ends = [model.run(2, inputs={"tau": f"0.3*sin(t) - I*theta' + {s * 1e-3}"}, **run).y[:, -1] for s in (-2, -1, 1, 2)]
    slope = (ends[0] - 8 * ends[1] + 8 * ends[2] - ends[3]) / 12e-3
    np.testing.assert_allclose(found[-1, :, 0], slope, atol=1e-8)
    started = model.run(2, x0={"theta'": 0.5}, sensitivity=["x'"], **run)
    ends = [model.run(2, x0={"theta'": 0.5, "x'": 1 + s * 1e-3}, **run)["E"][-1] for s in (-2, -1, 1, 2)]
    slope = (ends[0] - 8 * ends[1] + 8 * ends[2] - ends[3]) / 12e-3
    np.testing.assert_allclose(started.derivatives["E"][-1], slope, atol=1e-8)


def test_the_time_of_an_event_has_derivatives():
    fall = ap.Model(
        coordinates="z", parameters={"g": 9.81}, kinetic="z'^2/2", potential="g*z",
        initial=["z = 2", "z' = 0"], simulate={"stop": ["z < 0"]},
    )  # fmt: skip
    motion = fall.run(5, sensitivity=["g", "z"])
    t = motion.t[-1]
    np.testing.assert_allclose(motion.derivatives.event_time, [-t / (2 * 9.81), t / 4], rtol=1e-9)
    np.testing.assert_allclose(motion.derivatives.at_event("z"), 0, atol=1e-9)
    assert motion.derivatives.condition == "z < 0"
    again = pickle.loads(pickle.dumps(motion))
    np.testing.assert_array_equal(again.sensitivity, motion.sensitivity)
    with pytest.raises(ValueError, match="no condition"):
        fall.run(0.1, sensitivity=["g"]).derivatives.at_event("z")
    with pytest.raises(AttributeError, match="was not differentiated"):
        _ = fall.run(0.1).sensitivity


def between_walls(k, x, v, t):
    """`x'' = -k sign(x)` from x < 0."""
    first = (np.sqrt(v * v - 2 * k * x) - v) / k
    w = v + k * first
    count, rest = divmod(t - first, 2 * w / k)
    side = (-1) ** count
    return np.array([side * (w * rest - k * rest**2 / 2), side * (w - k * rest)])


@pytest.mark.filterwarnings("ignore::appell.ModelWarning")
def test_derivatives_go_on_through_jumps_and_corners():
    jumping = ap.Model(coordinates="x", parameters={"k": 2.0}, kinetic="x'^2/2", potential="k*abs(x)", initial=["x = -1", "x' = 2"])
    at, h = np.array([2.0, -1.0, 2.0]), 1e-6
    motion = jumping.run(7, t_eval=[0.5, 3, 7], sensitivity=["k", "x", "x'"], rtol=1e-12, atol=1e-13)
    for row, t in zip(motion.sensitivity, motion.t, strict=True):
        for d, e in enumerate(np.eye(3)):
            plain = (between_walls(*(at + h * e), t) - between_walls(*(at - h * e), t)) / (2 * h)
            assert row[:, d] == pytest.approx(plain, abs=1e-8)
    # A sample where the force jumps, and a jump that a parameter moves: x = t for t < k, then x'' = -1.
    late = ap.Model(coordinates="x", parameters={"k": 1.0}, kinetic="x'^2/2", forces={"x": "(sign(k - t) - 1)/2"}, initial=["x = 0", "x' = 1"])
    found = late.run(2, t_eval=[0, 0.5, 1, 2], sensitivity=["k"], rtol=1e-12, atol=1e-13).sensitivity[:, :, 0]
    assert found[1] == pytest.approx([0, 0]) and found[3] == pytest.approx([1, 1], abs=1e-9)
    # The same as the formula of an input.
    driven = ap.Model(coordinates="x", parameters={"k": 1.0}, inputs={"u": 0}, kinetic="x'^2/2", forces={"x": "u"}, initial=["x = 0", "x' = 1"])
    inputs = {"u": "(sign(k - t) - 1)/2"}
    found = driven.run(2, sensitivity=["k"], inputs=inputs, rtol=1e-12, atol=1e-13).sensitivity
    assert found[-1, :, 0] == pytest.approx([1, 1], abs=1e-9)
    # A corner of a smooth force: no jump.
    soft = ap.Model(coordinates="x", parameters={"k": 2.0}, kinetic="x'^2/2", potential="k*max(x, 0)^4/4", initial=["x = -1", "x' = 2"])
    given = dict(rtol=1e-13, atol=1e-14, samples=2)
    two = [soft.run(3, params={"k": 2 + s * 1e-4}, **given).y[:, -1] for s in (-1, 1)]
    assert soft.run(3, sensitivity=["k"], **given).sensitivity[-1, :, 0] == pytest.approx((two[1] - two[0]) / 2e-4, abs=1e-7)
    # Dry friction holds the body in the end.
    dry = ap.Model(coordinates="x", parameters={"k": 0.7}, kinetic="x'^2/2", potential="x^2/2", forces={"x": "-k*sign(x')"}, initial=["x = -3.3", "x' = 0"])
    found = dry.run(5, sensitivity=["k"], rtol=1e-12, atol=1e-13)
    # Half periods about -k, then k: x(5) = k - (3.3 - 3 k) cos(5).
    assert found.sensitivity[-1, :, 0] == pytest.approx([1 + 3 * np.cos(5), -3 * np.sin(5)], abs=1e-9)
    # The cut of an angle, as of a force that is written with a sign.
    base = dict(coordinates="x", parameters={"a": 1.0, "F": 0.3}, kinetic="x'^2/2", initial=["x = 0", "x' = 2"])
    laws = ["-F*atan2(x - a - 1, -1)", "-F*(atan(1 + a - x) + pi*sign(x - a - 1))", "F*(x - a)/sqrt((x - a)^2)", "F*sign(x - a)"]
    found = [ap.Model(**base, forces={"x": law}).run(4, sensitivity=["a", "F"], rtol=1e-12, atol=1e-13).sensitivity[-1] for law in laws]
    assert found[0] == pytest.approx(found[1], abs=1e-7) and found[2] == pytest.approx(found[3], abs=1e-7)
    # A stop where the force jumps, by the same sign.
    law = dict(forces={"x": "F*sign(x - a)"}, simulate={"stop": ["sign(x - a) > 0"]})
    stopped = ap.Model(**base, **law).run(4, sensitivity=["a"], samples=3)
    assert stopped.derivatives.t[-1] == pytest.approx(stopped.t[-1]) and stopped.t[-1] < 1
    # Two jumps at once have two delays: nothing is said beyond, of bodies that know nothing of each other either.
    two = ap.Model(
        coordinates="x y", parameters={"a": 1.0, "b": 1.0}, kinetic="(x'^2 + y'^2)/2",
        forces={"x": "sign(x - a) + 1", "y": "sign(y - b) + 1"}, initial=["x' = 1", "y' = 1"],
    )  # fmt: skip
    assert "not known beyond" in two.run(2, sensitivity=["a", "b"]).derivatives.message
    apart = two.run(2, sensitivity=["a", "b"], params={"b": 1.25}, rtol=1e-12, atol=1e-13)
    assert apart.sensitivity[-1][:2] == pytest.approx(np.array([[-2, 0], [0, -1.5]]), abs=1e-8)
    springs = ap.Model(
        coordinates="x y", parameters={"a": 1.0}, kinetic="(x'^2 + y'^2)/2",
        potential="9*max(0, x - a)^2 + 9*max(0, y - a)^2", initial=["x' = 1", "y' = 1"],
    )  # fmt: skip
    found = springs.run(2, sensitivity=["a"], rtol=1e-12, atol=1e-13)
    assert found.derivatives.success and found.sensitivity[-1][0] == pytest.approx(found.sensitivity[-1][1])
    held = dry.run(20, sensitivity=["k"], samples=100)
    assert "derivatives are not known beyond" in held.derivatives.message


def test_what_cannot_be_differentiated_is_refused():
    model = ap.Model(text=SLEIGH)
    with pytest.raises(ValueError, match="did you mean"):
        model.run(1, sensitivity=["mm"])
    with pytest.raises(ValueError, match="drives the input `tau` are not known"):
        model.run(1, inputs={"tau": lambda t, y: -y[5]}, sensitivity=["m"])


def test_a_fit_finds_parameters_and_starts():
    model = ap.Model(text=SLEIGH)
    t = np.linspace(0, 3, 40)
    truth = {"I": 0.55, "a": 0.25, "theta'": 0.9}
    measured = model.run(params={"I": 0.55, "a": 0.25}, x0={"theta'": 0.9}, t_eval=t)
    data = {"theta": measured["theta"], "x": measured["x"].copy()}
    data["x"][3] = np.nan
    found = model.fit(t, data, free=list(truth))
    assert found.success and found.names == list(truth)
    np.testing.assert_allclose(found.x, list(truth.values()), rtol=1e-8)
    assert found.estimates == dict(zip(truth, found.x.tolist(), strict=True))
    assert found.nfev < 20 and found.covariance.shape == (3, 3)
    np.testing.assert_allclose(found.motion["theta"], measured["theta"], atol=1e-8)
    noise = 1e-3 * np.random.default_rng(7).standard_normal((40, 3))
    states = np.stack([measured[name] for name in model.coordinates], axis=1) + noise
    found = model.fit(t, states, free={"I": 0.5, "a": 0.3}, sigma=1e-3, x0={"theta'": 0.9}, bounds=(0, 2))
    spread = np.sqrt(np.diag(found.covariance))
    assert (np.abs(found.x - [0.55, 0.25]) < 4 * spread).all() and (spread < 0.02).all()


@pytest.mark.parametrize("length", [1e-6, 1e-3, 1.0, 1e5])
@pytest.mark.parametrize("stiffness", [1e-5, 1.0, 1e6])
def test_fits_do_not_depend_on_units(length, stiffness):
    text = (
        f"appell = 1\ncoordinates = ['x']\n[parameters]\nA = {length!r}\nk = {4 * stiffness!r}\n[energy]\n"
        f"kinetic = \"{stiffness!r}*x'^2/2\"\npotential = 'k*x^2/2'\n[initial]\nstate = ['x = A']\n"
    )
    t = np.linspace(0, 3, 40)
    data = {"x": length * np.cos(np.sqrt(5) * t)}
    found = ap.Model(text=text).fit(t, data, ["k"], atol=1e-13 * length)
    assert found.estimates["k"] == pytest.approx(5 * stiffness, rel=1e-6)
    assert np.sqrt(found.covariance[0, 0]) < 1e-6 * stiffness


def test_fits_stay_within_the_limits_of_parameters():
    limited = {"value": 1, "min": 0.1, "max": 2}
    model = ap.Model(coordinates="x", parameters={"k": limited}, kinetic="x'^2/2", potential="k*x^2/2", initial=["x = 1"])
    t = np.linspace(0, 1, 20)
    data = {"x": np.cos(np.sqrt(2.5) * t)}
    assert model.fit(t, data, ["k"]).estimates["k"] == pytest.approx(2, rel=1e-6)
    assert model.fit(t, data, ["k"], bounds=(0, 1.5)).estimates["k"] == pytest.approx(1.5, rel=1e-6)


def test_fits_refuse_what_they_cannot_use():
    model = ap.Model(text=SLEIGH)
    t = np.linspace(0, 1, 5)
    with pytest.raises(ValueError, match="shape"):
        model.fit(t, np.zeros((5, 2)), free=["m"])
    with pytest.raises(ValueError, match="nothing of the model"):
        model.fit(t, np.zeros((5, 3)), free=["mm"])
    with pytest.raises(ValueError, match="free is empty"):
        model.fit(t, np.zeros((5, 3)), free=[])
    with pytest.raises(ValueError, match="`m` is named twice"):
        model.fit(t, np.zeros((5, 3)), free=["m", "m"])


def test_exponents_of_an_equilibrium_and_of_the_sleigh():
    saddle = ap.Model(coordinates="x", parameters={"k": 4}, kinetic="x'^2/2", potential="-k*x^2/2", initial=["x = 0", "x' = 0"])
    found = saddle.lyapunov(until=20, discard=8, params={"k": 9})
    np.testing.assert_allclose(found.exponents, [3, -3], atol=1e-8)
    assert found.dimension == 2 and found.history.shape == (len(found.times), 2)
    sleigh = ap.Model(text=SLEIGH)
    found = sleigh.lyapunov(1, 20, params={"tau": 0})
    assert found.exponents.shape == (1,) and found.dimension == 5
    with pytest.raises(ValueError, match="1 to 5 exponents"):
        sleigh.lyapunov(6, 1)


def test_linear_equations_of_a_cart_with_a_pole():
    cart = ap.Model(
        coordinates="x a",
        parameters={"M": 2.0, "m": 0.5, "l": 0.8, "g": 9.81},
        inputs={"F": 0.0},
        kinetic="M*x'^2/2 + m/2*(x'^2 + 2*l*x'*a'*cos(a) + l^2*a'^2)",
        potential="m*g*l*cos(a)",
        forces={"x": "F"},
        initial=["x = 0", "a = 0", "x' = 0", "a' = 0"],
    )
    found = cart.linearize(outputs=["x", "x + l*sin(a)", "E", "F - x'"])
    M, m, l, g = 2.0, 0.5, 0.8, 9.81  # noqa: E741
    A = [[0, 0, 1, 0], [0, 0, 0, 1], [0, -m * g / M, 0, 0], [0, (M + m) * g / (M * l), 0, 0]]
    np.testing.assert_allclose(found.matrix, A, atol=1e-12)
    np.testing.assert_allclose(found.B, [[0], [0], [1 / M], [-1 / (M * l)]], atol=1e-14)
    np.testing.assert_allclose(found.C, [[1, 0, 0, 0], [1, l, 0, 0], [0, 0, 0, 0], [0, 0, -1, 0]], atol=1e-14)
    np.testing.assert_allclose(found.D, [[0], [0], [0], [1]], atol=1e-14)
    assert found.inputs == ["F"] and found.outputs[1] == "x + l*sin(a)"
    plain = cart.linearize()
    assert plain.outputs == ["x", "a", "x'", "a'"]
    np.testing.assert_array_equal(plain.C, np.eye(4))
    with pytest.raises(ValueError, match="neither a column of a run nor an expression"):
        cart.linearize(outputs=["x + "])


def test_linear_equations_along_a_motion_carry_its_derivatives():
    """The flow of A and B is that of the derivatives: d/dt of W, by differences of eighth order."""
    model = ap.Model(text=SLEIGH)
    h = 0.02
    t = 0.5 + h * np.arange(-4, 5)
    motion = model.run(t_eval=t, rtol=1e-13, atol=1e-13, sensitivity=["theta'", "y", "tau"])
    states = [{"t": s, "q": y[:3], "v": y[3:]} for s, y in zip(motion.t, motion.y.T, strict=True)]
    found = model.linearize_along(states)
    places = [[*model.coordinates, "x'", "y'", "theta'"].index(name) for name in found.state_names]
    assert found.A.shape == (9, 5, 5) and found.B.shape == (9, 5, 1) and found.inputs == ["tau"]
    w = motion.sensitivity[:, places]
    c = np.array([1 / 280, -4 / 105, 1 / 5, -4 / 5, 0, 4 / 5, -1 / 5, 4 / 105, -1 / 280]) / h
    rate = np.tensordot(c, w, axes=1)
    wanted = found.A[4] @ w[4]
    wanted[:, 2] += found.B[4, :, 0]
    np.testing.assert_allclose(rate, wanted, atol=1e-9)


def test_a_constraint_leaves_the_transfer_function_as_it_is():
    numbers = {"M": 2.0, "m": 0.5, "l": 0.8, "g": 9.81}
    angle = ap.Model(
        coordinates="x a", parameters=numbers, inputs={"F": 0.0},
        kinetic="M*x'^2/2 + m/2*(x'^2 + 2*l*x'*a'*cos(a) + l^2*a'^2)", potential="m*g*l*cos(a)",
        forces={"x": "F"}, initial=["x = 0", "a = 0", "x' = 0", "a' = 0"],
    )  # fmt: skip
    places = ap.Model(
        coordinates="x u w", parameters=numbers, inputs={"F": 0.0},
        kinetic="M*x'^2/2 + m/2*(u'^2 + w'^2)", potential="m*g*w", forces={"x": "F"},
        constraints={"rod": "(u - x)^2 + w^2 = l^2"},
        initial=["x = 0", "u = 0", "w = l", "x' = 0", "u' = 0", "w' = 0"],
    )  # fmt: skip
    outputs = {"angle": ["x", "x + l*sin(a)"], "places": ["x", "u", "w", "lambda[rod]"]}
    found = {}
    for name, model in {"angle": angle, "places": places}.items():
        own = model.linearize(outputs=outputs[name])
        inverse = np.linalg.inv(1j * np.eye(4) - own.matrix)
        found[name] = own.C @ inverse @ own.B + own.D
    np.testing.assert_allclose(found["places"][:2], found["angle"], rtol=1e-12)
    np.testing.assert_allclose(found["places"][2:], 0, atol=1e-12)


@pytest.mark.parametrize("source", ["sin(t)", 0.2, ([0, 0.5, 1.1], [0.3, -0.2, 0.5])], ids=str)
def test_a_fit_adds_to_what_drives_an_input(source):
    model, t = ap.Model(text=SLEIGH), np.linspace(0, 2, 21)
    if isinstance(source, str):
        true = f"{source} + 0.3"
    else:
        true = source + 0.3 if isinstance(source, float) else (source[0], [x + 0.3 for x in source[1]])
    data = {"theta": model.run(t_eval=t, inputs={"tau": true})["theta"]}
    for free in (["tau"], {"tau": 0.1}):
        found = model.fit(t, data, free, inputs={"tau": source})
        assert found.success and found.estimates["tau"] == pytest.approx(0.3, abs=1e-7)
        np.testing.assert_allclose(found.motion["theta"], data["theta"], atol=1e-8)
    # What nothing drives has the value itself.
    data = {"theta": model.run(t_eval=t, inputs={"tau": 0.5})["theta"]}
    assert model.fit(t, data, ["tau"]).estimates["tau"] == pytest.approx(0.5, abs=1e-7)
    with pytest.raises(ValueError, match="drives the input `tau` are not known"):
        model.fit(t, data, ["tau"], inputs={"tau": lambda t, y: 0.2})


def test_a_fit_needs_something_measured_and_finite():
    model, t = ap.Model(text=SLEIGH), np.linspace(0, 1, 5)
    with pytest.raises(ValueError, match="nothing was measured"):
        model.fit(t, {"theta": np.full(5, np.nan)}, ["I"])
    with pytest.raises(TypeError, match="not real numbers"):
        model.fit(t, {"theta": 1j * t}, ["I"])
    # Of two rows that depend on each other the multipliers are not determined.
    twice = ap.Model(coordinates="x y", parameters={"m": 1}, kinetic="m*(x'^2 + y'^2)/2", constraints={"a": "y' = 0", "b": "2*y' = 0"})
    with pytest.raises(ap.NumericalError, match="not finite where something was measured"):
        twice.fit(t, {"lambda[a]": t}, ["m"], x0={"x": 0, "y": 0, "x'": 1})


def test_linear_equations_take_no_arguments_that_mean_nothing():
    spring = ap.Model(coordinates="x", parameters={"k": 4}, kinetic="x'^2/2", potential="k*x^2/2", initial=["x = 0", "x' = 0"])
    with pytest.raises(ValueError, match="crossings are looked for along a sweep"):
        spring.linearize(crossings=True)
    with pytest.raises(ValueError, match="without sweep"):
        spring.linearize(sweep=("k", 1, 3, 1), outputs=["x"])
    assert spring.linearize(outputs="x'").C.tolist() == [[0, 1]]


def test_a_state_with_expressions_moves_with_their_parameters():
    model = ap.Model(coordinates="x", parameters={"m": 2}, kinetic="m*x'^2/2")
    for start in [{"q": ["m"], "v": ["m^2"]}, {"x": "m", "x'": "m^2"}]:
        motion = model.run(1, start, samples=2, sensitivity=["m"])
        np.testing.assert_allclose(motion.y[:, -1], [6, 4], atol=1e-9)
        np.testing.assert_allclose(motion.sensitivity[-1, :, 0], [5, 4], atol=1e-9)
        found = model.adjoint(["m"], [1, 0], 1, start)
        np.testing.assert_allclose(list(found.values()), [5], atol=1e-9)


def test_a_sweep_leaves_the_parameters_as_they_were():
    model = ap.Model(coordinates="x", parameters={"k": 4}, kinetic="x'^2/2", potential="k*x^2/2", forces={"x": "-0.2*x'"})
    before = model.eval([1, 0]).states[0].accel
    model.linearize(sweep=("k", 1, 9, 1))
    np.testing.assert_array_equal(model.eval([1, 0]).states[0].accel, before)


def pendulum_of_a_mass():
    return ap.Model(
        coordinates="x y", parameters={"l": 1.5, "g": 9.81, "m": {"value": 2, "min": 0.1}},
        kinetic="m*(x'^2 + y'^2)/2", potential="m*g*y", constraints={"rod": "x^2 + y^2 = l^2"},
        initial=["x = 1", "y = -sqrt(l^2 - x^2)", "x' = 0.4"],
    )  # fmt: skip


@pytest.mark.parametrize("coordinates", ["x y", "a"])
def test_a_fit_leaves_open_what_no_datum_depends_on(coordinates):
    by_angle = ap.Model(
        coordinates="a", parameters={"l": 1.5, "g": 9.81, "m": 2}, kinetic="m*l^2*a'^2/2", potential="-m*g*l*cos(a)", initial=["a = 0.7"]
    )
    model, column = (by_angle, "a") if coordinates == "a" else (pendulum_of_a_mass(), "x")
    t = np.linspace(0, 2, 21)
    data = {column: model.run(t_eval=t)[column] + 1e-3 * np.random.default_rng(1).normal(size=21)}
    alone = model.fit(t, data, free=["g"], sigma=1e-3)
    both = model.fit(t, data, free={"m": 2.2, "g": 9.9}, sigma=1e-3)
    # Its derivatives are not zero: rounding is left of them.
    assert both.open == ["m"] and "m" in both.message and alone.open == []
    assert both.success and both.estimates["m"] == 2.2
    assert both.estimates["g"] == pytest.approx(alone.estimates["g"], rel=1e-6)
    assert both.covariance[1, 1] == pytest.approx(alone.covariance[0, 0], rel=1e-4)
    assert np.isnan(both.covariance[0]).all() and np.isnan(both.covariance[:, 0]).all()


def test_a_fit_finds_what_changes_the_data_little():
    spring = ap.Model(coordinates="x", parameters={"c": 1e-10}, kinetic="x'^2/2", forces={"x": "c"}, potential="x^2/2", initial=["x = 1"])
    t = np.linspace(0, 3, 31)
    found = spring.fit(t, {"x": np.cos(t) + 3e-10 * (1 - np.cos(t))}, ["c"], rtol=1e-13, atol=1e-15, xtol=1e-15, ftol=1e-15, gtol=1e-15)
    assert found.open == [] and np.isfinite(found.covariance).all()


def test_names_may_be_symbols():
    sympy = pytest.importorskip("sympy")
    mechanics = pytest.importorskip("sympy.physics.mechanics")
    k, x = sympy.Symbol("k"), mechanics.dynamicsymbols("x")
    spring = ap.Model(coordinates=[x], parameters={k: 4}, kinetic=x.diff() ** 2 / 2, potential=k * x**2 / 2, initial=["x = 1"])
    by_name = spring.run(1, sensitivity=["k", "x'"]).sensitivity
    np.testing.assert_array_equal(spring.run(1, sensitivity=[k, x.diff()]).sensitivity, by_name)
    assert spring.run(1, sensitivity=k).derivatives.names == ["k"]
    assert spring.adjoint([k], [1, 0], 1) == spring.adjoint(["k"], [1, 0], 1)
    at_rest = {"q": [0 * k], "v": [0]}
    assert spring.linearize(at_rest, outputs=[x + 2 * x.diff()]).C.tolist() == [[1, 2]]
    assert spring.linearize(at_rest, outputs=k * x).C.tolist() == [[4, 0]]
    assert spring.eval({"q": [sympy.pi], "v": [sympy.Rational(1, 3)]}).states[0].v[0] == 1 / 3
    assert spring.eval({"q": [sympy.pi], "v": [0]}).states[0].q[0] == np.pi
    assert spring.run(1, {"x": k / 2}).y[0, 0] == 2
    with pytest.raises(TypeError, match="no formula"):
        spring.linearize(at_rest, outputs=[3])
    with pytest.raises(TypeError, match="not a real number"):
        spring.eval({"q": [sympy.I], "v": [0]})


def test_multipliers_that_are_unique_have_derivatives_beside_others():
    model = ap.Model(
        coordinates="x y z", parameters={"a": 1.3, "m": 0.7}, kinetic="m*(x'^2 + y'^2 + 2*z'^2)/2", potential="x*y + z^2 + a*x",
        constraints={"c1": "x' = a*y'", "c2": "2*x' = 2*a*y'", "c3": "x' + z' = t*y'"},
        initial=["x = 1", "y = 0.2", "z = 0", "x' = 0.5"], simulate={"until": 1},
    )  # fmt: skip
    motion = model.run(sensitivity=["a", "x"], **{"rtol": 1e-11, "atol": 1e-13})
    assert motion.indeterminate.rows == ["c1", "c2"]
    assert np.isnan(motion.derivatives["lambda[c1]"]).all() and np.isnan(motion.derivatives["lambda[c2]"]).all()
    for place, name in enumerate(("a", "x")):
        ends = []
        for sign in (1, -1):
            value = (1.3 if name == "a" else 1.0) + sign * 1e-4
            given = {"params": {"a": value}} if name == "a" else {"x0": {"x": value}}
            ends.append(model.run(rtol=1e-12, atol=1e-14, **given)["lambda[c3]"])
        np.testing.assert_allclose(motion.derivatives["lambda[c3]"][:, place], (ends[0] - ends[1]) / 2e-4, rtol=1e-6, atol=1e-7)
