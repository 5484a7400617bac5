"""What a changed parameter, a step, an input and exact derivatives cost beside a plain run.

    python benches/control.py

with the package installed from a release build. The figures of `docs/how-to/control.md` and `derivatives.md` come from here.
Each is the least processor time of several repetitions, in one process.
"""

import time

import appell as ap


def least(call, repetitions=7):
    """The shortest processor time of a call in seconds, after one that is not counted."""
    call()
    found = []
    for _ in range(repetitions):
        start = time.process_time()
        call()
        found.append(time.process_time() - start)
    return min(found)


def many(call, count):
    """The time of one of many calls in microseconds."""
    def loop():
        for _ in range(count):
            call()

    return 1e6 * least(loop, 3) / count


def right_side():
    """A right-hand side with other parameters."""
    f = ap.Model.gallery("chaplygin-sleigh").rhs()
    y, p = [0.1] * len(f.state_names), f.values
    print(f"right-hand side with other parameters: {many(lambda: f(0.0, y, p), 20_000):.2f} us")


def driven():
    """Chaplygin's sleigh with an input in each of its forms, beside itself."""
    model = ap.Model(
        coordinates="x y theta", parameters={"m": 1.2, "I": 0.4, "a": 0.5}, inputs={"push": 0}, forces={"x": "push"},
        kinetic="m/2*((x' - a*sin(theta)*theta')^2 + (y' + a*cos(theta)*theta')^2) + I/2*theta'^2",
        constraints={"blade": "x'*sin(theta) - y'*cos(theta) = 0"}, initial=["x = 0", "y = 0", "theta = 0", "x' = 0.3", "theta' = 2"],
    )
    loop = model.stepper(1e-3)
    print(f"a step of 1 ms: {many(lambda: loop.step({'push': 0.1}), 5_000):.2f} us, without an input {many(loop.step, 5_000):.2f} us")
    base = least(lambda: model.run(3, samples=2))
    inputs = {"expression": ("0.1*sin(t)", None), "function held": (lambda t, y: 0.1 * y[0], 0.1), "function": (lambda t, y: 0.1 * y[0], None)}
    for name, (push, held) in inputs.items():
        more = {} if held is None else {"sample_time": held}
        own = least(lambda push=push, more=more: model.run(3, samples=2, inputs={"push": push}, **more))
        print(f"{name}: {own / base:.1f} plain runs")


def differentiated():
    """Runs with exact derivatives by n parameters, beside plain ones."""
    for name in ("chaplygin-sleigh", "rolling-disc", "bicycle"):
        model = ap.Model.gallery(name)
        base, names = least(lambda model=model: model.run(3)), list(model.parameters)
        figures = []
        for count in (1, 2, 4, 8):
            if count <= len(names):
                own = least(lambda model=model, count=count, names=names: model.run(3, sensitivity=names[:count]), 5)
                figures.append(f"{count}: {own / base:.1f}")
        print(f"{name}, derivatives by n parameters: {', '.join(figures)} plain runs")


if __name__ == "__main__":
    right_side()
    driven()
    differentiated()
