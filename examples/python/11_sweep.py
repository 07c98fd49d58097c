"""A sweep of 1,000 runs on two threads. The model is read and compiled once; each run differs in the length of a pendulum and in the angle to begin at. The
quarter of a period does not depend on the length if time is measured in small periods, T / T_0 = 1 / agm(1, cos(a / 2))."""
import math

import numpy as np

import dalembert as dal

m = dal.Model(space="planar", gravity=[0, -9.81])
m.parameter(L=1)
m.body("rod", mass=1, inertia="L^2/12", points={"O": [0, "L/2"]})
m.joint("A", type="revolute", connect=["ground", "rod.O"], start={"angle": 0.5})
m.record("A.angle")
m.simulate(until=1, every=5e-3)

runs = np.arange(1000)
values = {"L": 0.5 + 0.001 * runs, "A.angle": 0.1 + 0.002 * runs}


def quarter_period(r):
    """When does the pendulum hang down for the first time? A straight line between two rows: the angle has no curvature there."""
    angle, time = r["A.angle"], r.time
    i = int(np.argmax((angle[:-1] > 0) & (angle[1:] <= 0)))
    return time[i] + (time[i + 1] - time[i]) * angle[i] / (angle[i] - angle[i + 1])


def agm(a, b):
    while abs(a - b) > 1e-15 * a:
        a, b = (a + b) / 2, math.sqrt(a * b)
    return a


alone = m.runs(values, reduce=quarter_period)
together = m.runs(values, reduce=quarter_period, threads=2)
print("length  angle  T / T_0   1 / agm")
for i in range(0, 1000, 333):
    L, angle = values["L"][i], values["A.angle"][i]
    small = 2 * math.pi * math.sqrt(2 * L / (3 * 9.81))
    print(f"{L:.3f}   {angle:.3f}  {4 * together[i] / small:.6f}  {1 / agm(1, math.cos(angle / 2)):.6f}")
print(f"one thread and two give {'the same' if alone == together else 'different'} digits in {len(runs)} runs")
