"""Computes the expected numbers of the models anew and holds them against the files.

    python3 strangers/oracles/run.py              compare all
    python3 strangers/oracles/run.py NAME ...     compare some
    python3 strangers/oracles/run.py --write ...  write the numbers into the files

Each number is computed at two tolerances; what these leave open by more than 1e-9 (relative to
max(1, |value|)) is refused.
"""
import importlib
import os
import re
import sys
import textwrap

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import mechanics  # noqa: E402

EXPECT = re.compile(r"^# expect: (.+) = (\S+)$", re.M)
STOPS = re.compile(r"^# (stops): t = (\S+)$", re.M)


def scale(a):
    return max(1.0, abs(a))


def families():
    for file in sorted(os.listdir(HERE)):
        if file.endswith(".py") and file not in ("run.py", "compare.py", "mechanics.py"):
            importlib.import_module(file[:-3])


def path(name):
    return os.path.join(mechanics.FOLDER, name + ".toml")


def computed(name):
    f, _ = mechanics.ORACLES[name]
    model = mechanics.model(name)
    fine, coarse = f(model, 1e-13), f(model, 1e-12)
    loose = {k: abs(fine[k] - coarse[k]) / scale(fine[k]) for k in fine}
    worst = max(loose, key=loose.get)
    if not loose[worst] < (1e-6 if "stops" in fine else 1e-9):
        raise ArithmeticError(f"{name}: {worst} is determined to {loose[worst]:.1e} only")
    return fine if "stops" in fine else {"t": model.T, **fine}, loose[worst]


def write(name, values):
    with open(path(name)) as file:
        text = file.read()
    text = re.sub(r"\n*(^# (expect|from|stops): .*\n?)+\Z", "\n", text, flags=re.M).rstrip("\n") + "\n\n"
    for key, value in values.items():
        value = 0.0 if value == 0 else value
        text += f"# stops: t = {value:.9g}\n" if key == "stops" else f"# expect: {key} = {value:.13g}\n"
    note = textwrap.wrap(mechanics.ORACLES[name][1], 110)
    text += "".join(f"# from: {line}\n" for line in note)
    with open(path(name), "w") as file:
        file.write(text)


def compare(name, values):
    with open(path(name)) as file:
        text = file.read()
    said = dict(EXPECT.findall(text) + STOPS.findall(text))
    if set(said) != set(values):
        return f"names differ: {sorted(set(said) ^ set(values))}"
    worst = max(values, key=lambda k: abs(values[k] - float(said[k])) / scale(values[k]))
    off = abs(values[worst] - float(said[worst])) / scale(values[worst])
    return None if off < (1e-6 if worst == "stops" else 1e-9) else f"{worst} is {values[worst]:.13g}, the file says {said[worst]}"


def main(arguments):
    families()
    wanted = [a for a in arguments if a != "--write"] or sorted(mechanics.ORACLES)
    bad = 0
    for name in wanted:
        try:
            values, loose = computed(name)
            if "--write" in arguments:
                write(name, values)
            wrong = compare(name, values)
        except Exception as error:  # the other models are still to be computed
            wrong, loose = f"{type(error).__name__}: {error}", float("nan")
        bad += wrong is not None
        print(f"{name:40} {loose:8.1e}  {wrong or 'as the file says'}", flush=True)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
