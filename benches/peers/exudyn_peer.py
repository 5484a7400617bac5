"""EXUDYN: the Whipple bicycle of four rigid bodies, revolute joints and rolling discs, IFToMM's motion M2; and the
pucks with their constraint as a function of Python's.

Of the bicycle, Meijaard's parameters as in the model file, whose axes (z down) are turned by half a turn about x, for
EXUDYN's ground has its normal upwards: y and z change their signs, and with them products of inertia.
"""

import math
import time

import exudyn
import numpy
from exudyn.itemInterface import (
    CoordinateVectorConstraint,
    LoadForceVector,
    MarkerBodyPosition,
    MarkerNodeCoordinates,
    MassPoint2D,
    NodePoint2D,
)
from exudyn.utilities import RigidBodyInertia, SensorBody

import common
import systems
from common import result

V, ROLL = 4.6, 0.5
END = 20.0
SAMPLE = 0.1
G = 9.81
TILT = math.pi / 10
W, C = 1.02, 0.08
# Name: mass, centre, moments (xx, yy, zz), product xz, spin about y.
BODIES = {
    "rear": (2.0, [0, 0, 0.3], (0.0603, 0.12, 0.0603), 0.0, V / 0.3),
    "frame": (85.0, [0.3, 0, 0.9], (9.2, 11.0, 2.8), -2.4, 0.0),
    "fork": (4.0, [0.9, 0, 0.7], (0.05892, 0.06, 0.00708), 0.00756, 0.0),
    "front": (3.0, [W, 0, 0.35], (0.1405, 0.28, 0.1405), 0.0, V / 0.35),
}
PUCK_STEPS = [40_000, 100_000]
STEPS = [8000, 32000] if common.QUICK else [4000, 8000, 16000, 32000]
SENSORS = {
    "place": exudyn.OutputVariableType.Position,
    "velocity": exudyn.OutputVariableType.Velocity,
    "spin": exudyn.OutputVariableType.AngularVelocityLocal,
    "turn": exudyn.OutputVariableType.RotationMatrix,
}


def inertia(name):
    mass, _, (xx, yy, zz), xz, _ = BODIES[name]
    return mass, numpy.array([[xx, 0, xz], [0, yy, 0], [xz, 0, zz]])


def bicycle():
    """The system and its sensors; all bodies lean about the line of contact at the start."""
    mbs = exudyn.SystemContainer().AddSystem()
    ground = mbs.CreateGround()
    body = {}
    for name, (_, centre, _, _, spin) in BODIES.items():
        mass, tensor = inertia(name)
        body[name] = mbs.CreateRigidBody(
            referencePosition=centre,
            initialVelocity=[V, -ROLL * centre[2], 0],
            initialAngularVelocity=[ROLL, spin, 0],
            inertia=RigidBodyInertia(mass=mass, inertiaTensor=tensor),
            gravity=[0, 0, -G],
        )
    joints = [
        ("frame", "rear", BODIES["rear"][1], [0, 1, 0]),
        ("fork", "front", BODIES["front"][1], [0, 1, 0]),
        ("frame", "fork", [W + C, 0, 0], [math.sin(TILT), 0, -math.cos(TILT)]),
    ]
    for first, second, place, axis in joints:
        mbs.CreateRevoluteJoint(itemNumbers=[body[first], body[second]], position=place, axis=axis)
    for wheel, radius in (("rear", 0.3), ("front", 0.35)):
        mbs.CreateRollingDisc(
            bodyNumbers=[ground, body[wheel]],
            axisPosition=[0, 0, 0],
            axisVector=[0, 1, 0],
            discRadius=radius,
        )
    sensors = {
        (name, what): mbs.AddSensor(
            SensorBody(bodyNumber=body[name], storeInternal=True, outputVariableType=kind)
        )
        for name in BODIES
        for what, kind in SENSORS.items()
    }
    mbs.Assemble()
    return mbs, sensors


def energy(values):
    """T + V at every sample."""
    total = 0
    for name in BODIES:
        mass, tensor = inertia(name)
        velocity, spin = values[name, "velocity"], values[name, "spin"]
        total = total + mass / 2 * (velocity**2).sum(axis=1) + mass * G * values[name, "place"][:, 2]
        total = total + numpy.einsum("ti,ij,tj->t", spin, tensor, spin) / 2
    return total


def angles(values, sample):
    """Lean and steer in the model file's sense."""
    frame, fork = (values[name, "turn"][sample].reshape(3, 3) for name in ("frame", "fork"))
    axis = numpy.array([math.sin(TILT), 0, -math.cos(TILT)])
    across = numpy.array([0.0, 1, 0])
    between = frame.T @ fork @ across
    return math.asin(frame[2, 1]), math.atan2(axis @ numpy.cross(across, between), across @ between)


def how(steps, end):
    """The trapezoidal rule with constraints on velocities: the most accurate of those that run."""
    settings = exudyn.SimulationSettings()
    settings.timeIntegration.numberOfSteps = steps
    settings.timeIntegration.endTime = end
    settings.timeIntegration.generalizedAlpha.useIndex2Constraints = True
    settings.timeIntegration.generalizedAlpha.useNewmark = True
    settings.timeIntegration.newton.useModifiedNewton = True
    settings.timeIntegration.verboseMode = 0
    settings.solution.file.write = False
    settings.solution.sensors.writePeriod = SAMPLE
    settings.show.computationTime = False
    return settings


def motion(steps):
    def measure():
        settings = how(steps, END)
        begin = time.process_time()
        mbs, sensors = bicycle()
        start = time.process_time()
        mbs.SolveDynamic(settings)
        end = time.process_time()
        values = {key: mbs.GetSensorStoredData(sensor)[:, 1:] for key, sensor in sensors.items()}
        course = energy(values)
        change = 100 * (course.max() - course.min()) / abs(course[0])
        lean, steer = angles(values, round(2 / SAMPLE))
        note = f"{steps} steps; at 2 s lean {lean:.4f}, steer {steer:.4f}"
        yield result("EXUDYN, the solver", "bicycle", "M2", end - start, "s", note, error=change)
        yield result("EXUDYN, model and solver", "bicycle", "M2", end - begin, "s", note, error=change)

    return measure


def motions():
    return [motion(steps) for steps in STEPS]


def pucks():
    """Two particles pushed along x, with v1.v2 = 0."""
    mbs = exudyn.SystemContainer().AddSystem()
    start = common.start(systems.PERPENDICULAR)
    nodes, markers = [], []
    for i, mass in enumerate((1, 2)):
        node = NodePoint2D(
            referenceCoordinates=start[2 * i : 2 * i + 2], initialVelocities=start[2 * i + 4 : 2 * i + 6]
        )
        nodes.append(mbs.AddNode(node))
        body = mbs.AddObject(MassPoint2D(mass=mass, nodeNumber=nodes[i]))
        marker = mbs.AddMarker(MarkerBodyPosition(bodyNumber=body))
        mbs.AddLoad(LoadForceVector(markerNumber=marker, loadVector=[1, 0, 0]))
        markers.append(mbs.AddMarker(MarkerNodeCoordinates(nodeNumber=nodes[i])))

    def row(mbs, t, item, q, v, on_velocities):
        return [v[0] * v[2] + v[1] * v[3]]

    def jacobian(mbs, t, item, q, v, on_velocities):
        return exudyn.MatrixContainer(numpy.array([[v[2], v[3], v[0], v[1]]]))

    one = numpy.zeros((1, 1))
    constraint = CoordinateVectorConstraint(
        markerNumbers=markers, scalingMarker0=one, scalingMarker1=one, velocityLevel=True,
        constraintUserFunction=row, jacobianUserFunction=jacobian,
    )
    mbs.AddObject(constraint)
    mbs.Assemble()
    return mbs, nodes


def trajectory():
    def measurement(steps):
        def measure():
            mbs, nodes = pucks()
            settings = how(steps, 10)
            start = time.process_time()
            mbs.SolveDynamic(settings)
            spent = time.process_time() - start
            kinds = exudyn.OutputVariableType.Position, exudyn.OutputVariableType.Velocity
            state = [x for kind in kinds for node in nodes for x in mbs.GetNodeOutput(node, kind)[:2]]
            note = f"{steps} steps"
            yield result("EXUDYN", "perpendicular", "trajectory", spent * 1e6, "us", note, state=state)

        return measure

    return [measurement(steps) for steps in PUCK_STEPS]


if __name__ == "__main__":
    # Its warnings would stand among the results.
    exudyn.config.printToConsole = False
    common.serve({"bicycle": motions, "trajectory": trajectory})
