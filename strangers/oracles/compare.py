"""Runs models with a given program and holds the end states and forces against the files.

    python3 strangers/oracles/compare.py PROGRAM [--forms] [--fine] [--all] [NAME ...]

Without --forms the default run only; with it every form that applies. --fine adds a run at
`--rtol 1e-13 --atol 1e-15` where a default run misses, to tell truncation from faults.
Prints the largest deviation relative to max(1, |value|) and where it is: of the default run, of the runs
that miss by more than 1e-8 or fail, and with --all of every run.
"""
import csv
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

HERE = os.path.dirname(os.path.abspath(__file__))
FOLDER = os.path.dirname(HERE)
FORMS = ("multipliers projector gibbs-appell gauss udwadia-kalaba hamilton maggi boltzmann-hamel voronec "
         "chaplygin kane connection").split()
EXPECT = re.compile(r"^# expect: (.+) = (\S+)$", re.M)
STOPS = re.compile(r"^# stops: t = (\S+)$", re.M)
REFUSED = re.compile(r"^# refused: ", re.M)
FORCE = re.compile(r"^dot\((R|torque_R)\((\w+)\), N\.([xyz])\)$")
MULTIPLIER = re.compile(r"^multiplier\((.+)\)$")
LIMIT = 1e-8


def value(expression, last):
    """The value of an expectation at the last row of a file of samples, None if the file has it not."""
    if expression in last:
        return last[expression]
    force = FORCE.match(expression)
    if force:
        kind, body, axis = force.groups()
        kind = {"R": "R", "torque_R": "torque"}[kind]
        if kind == "torque" or lost(last):
            return None
        parts = [v for k, v in last.items() if re.fullmatch(rf"{kind}\[.+ on {body}\]\.{axis}", k)]
        return sum(parts) if parts else None
    multiplier = MULTIPLIER.match(expression)
    if multiplier:
        return last.get(f"lambda[{multiplier.group(1)}]")
    return None


def lost(last):
    """Has a constraint a force of which the file of samples does not say where it acts?"""
    shown = {k[k.index("[") + 1:].split(" on ")[0] for k in last if k.startswith(("R[", "torque["))}
    forces = {k[7:-1].split(".")[0] for k, v in last.items() if k.startswith("lambda[") and v and not k.startswith("lambda[unit_")}
    return bool(forces - shown)


def run(program, name, more, limit=120):
    """(exit code, expectation -> value, message, seconds)"""
    begin = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "m.csv")
        try:
            done = subprocess.run([program, "run", os.path.join(FOLDER, name + ".toml"), "--json", "-o", file, *more],
                                  capture_output=True, text=True, timeout=limit)
        except subprocess.TimeoutExpired:
            return 124, {}, f"no end after {limit} s", limit
        seconds = time.monotonic() - begin
        last = {}
        if os.path.exists(file):
            with open(file, newline="") as f:
                rows = list(csv.reader(f))
            if len(rows) > 1:
                last = {k: float(v) if v else float("nan") for k, v in zip(rows[0], rows[-1])}
    message = ""
    try:
        answer = json.loads(done.stdout)
        message, last["ended"] = answer.get("outcome", ""), answer.get("t", float("nan"))
    except ValueError:
        pass
    if done.returncode:
        errors = [l for l in done.stderr.splitlines() if l.startswith("error")]
        message = errors[0] if errors else message or done.stderr.strip()[:300]
    return done.returncode, last, message, seconds


def deviation(expected, last):
    """(largest deviation, where, expectations that the file of samples does not have)"""
    worst, where, missing = 0.0, "", []
    for key, want in expected.items():
        got = value(key, last)
        if got is None:
            missing.append(key)
            continue
        off = abs(got - want) / max(1.0, abs(want))
        off = off if off == off else float("inf")          # an empty cell
        if off > worst:
            worst, where = off, f"{key}: {got:.12g} for {want:.12g}"
    return worst, where, missing


def judge(program, name, form, fine):
    with open(os.path.join(FOLDER, name + ".toml")) as file:
        text = file.read()
    expected = {k: float(v) for k, v in EXPECT.findall(text)}
    stops = STOPS.search(text)
    more = ["--form", form] if form != "default" else []
    code, last, message, seconds = run(program, name, more)
    if code == 2 and ("does not apply" in message or "no end time" in message):
        return (name, form, "-", 0.0, "", seconds)
    if REFUSED.search(text):
        return (name, form, "ok" if code == 2 else "WRONG", 0.0, message if code == 2 else "not refused", seconds)
    if stops:
        off = abs(last.get("ended", float("nan")) - float(stops.group(1)))
        return (name, form, "ok" if code == 3 and off < 1e-3 else "WRONG", off, f"exit {code}: {message}", seconds)
    if code not in (0, 1):
        return (name, form, "FAILED", float("nan"), f"exit {code}: {message}", seconds)
    worst, where, missing = deviation(expected, last)
    word = ("ok" if expected else "ran") if worst <= LIMIT else "WRONG"
    if word == "WRONG" and fine and worst < 1:
        code, last, _, _ = run(program, name, more + ["--rtol", "1e-13", "--atol", "1e-15"])
        again, _, _ = deviation(expected, last)
        if code in (0, 1) and again <= LIMIT:
            word = "coarse"
        where += f" (fine: {again:.1e})"
    if code == 1:
        where += " a claim fails"
    if missing:
        where += f" not in the file: {', '.join(missing)}"
    return (name, form, word, worst, where, seconds)


def main(arguments):
    options = {a for a in arguments if a.startswith("--")}
    program, *names = [a for a in arguments if not a.startswith("--")]
    names = names or sorted(f[:-5] for f in os.listdir(FOLDER) if f.endswith(".toml"))
    forms = ["default"] + (FORMS if "--forms" in options else [])
    with ThreadPoolExecutor(2) as pool:
        answers = list(pool.map(lambda job: judge(program, *job, "--fine" in options), [(n, f) for n in names for f in forms]))
    bad = 0
    for name in names:
        mine = [a for a in answers if a[0] == name and a[2] != "-"]
        if not mine:
            print(f"{name:36} has no end time")
            continue
        wrong = [a for a in mine if a[2] in ("WRONG", "FAILED", "coarse")]
        bad += sum(a[2] != "coarse" for a in wrong)
        shown = mine if "--all" in options else [mine[0], *[a for a in wrong if a is not mine[0]]]
        if len(shown) > 1 and all(a[2] == "FAILED" and a[4] == mine[0][4] for a in mine):
            shown = shown[:1]
        for _, form, word, worst, where, seconds in shown:
            where = where[:400]
            print(f"{name:36} {form:16} {word:7} {worst:8.1e} {seconds:6.2f} s  {where}")
        if len(mine) > 1:
            worst = max(mine, key=lambda a: a[3] if a[3] == a[3] else float("inf"))
            print(f"{'':36} {len(mine) - 1} forms, worst {worst[1]} {worst[3]:.1e}; slowest {max(a[5] for a in mine):.2f} s")
    print(f"{len(names)} models, {sum(a[2] != '-' for a in answers)} runs, {bad} wrong or failed")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
