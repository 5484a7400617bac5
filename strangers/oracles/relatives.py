"""Systems of the other families with more rows than needed, or rounded entries: the motion is the same."""
import re

import discs, machines, particles, robots, skates, wheeled  # noqa: E401, F401
from mechanics import ORACLES, oracle


def relative(name, parent, forces=""):
    """The states of `parent`, and those of its forces that the rows added (or entries of 1e-32) leave as they are."""
    f, note = ORACLES[parent]

    def same(model, rtol):
        return {k: v for k, v in f(model, rtol).items() if "(" not in k or (forces and re.search(forces, k))}

    oracle(name, note=f"The motion is that of {parent}.toml, for rows added say nothing new and entries of 1e-32 are no matter. " + note)(same)


relative("mecanum-five-rows", "mecanum")
relative("thermostats-and-total", "thermostats-hot-and-cold")
relative("twistcar-four-wheels", "twistcar", "R\\(")
relative("segway-with-odometer", "segway")
relative("formation-five-all-pairs", "formation-five-equal-speeds", "R\\(D1")
relative("articulated-sleigh-on-runners", "articulated-sleigh", "R\\(")
relative("trolley-two-rear-wheels", "trolley-two-castors", "R\\(")
relative("coin-on-turntable-vector", "coin-on-turntable", "R\\(")
relative("peaucellier-with-line", "peaucellier")
relative("drive-with-odometer", "drive-four-rows")
relative("spacecraft-tiny-entries", "spacecraft-three-wheels", ".")
relative("pendulum-ball-tiny-entries", "pendulum-ball-robot", ".")
relative("segway-tiny-entries", "segway-with-odometer")
relative("parallelogram-tiny-entries", "parallelogram-overbraced", ".")
