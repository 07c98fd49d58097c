"""The rows of a run are arrays. Here they give the period of a pendulum that swings 60 degrees to each side, from the instants at which its angle comes
up through -90 degrees. Beside it the closed solution: T = 4 K(sin 30 deg) sqrt(J / (m g l))."""
import math

import dalembert as dal

m = dal.Model(space="planar", gravity=[0, -9.81])
m.body("rod", mass=1.5, inertia=0.18, angle="-30*deg", points={"O": [-0.6, 0]})
m.joint("pivot", type="revolute", connect=["ground", "rod.O"])
m.record("pivot.angle", "pivot.angle'")
m.simulate(until=20, every=0.01, rtol=1e-11, atol=1e-13)

r = m.run()
print("columns:", *(f"{name} [{r.units[name]}]" for name in r.columns))
time, x, rate = r.time, r["pivot.angle"] + math.pi / 2, r["pivot.angle'"]
passes = []
for i in range(1, len(r)):
    x0, x1 = x[i - 1], x[i]
    if x0 < 0 <= x1:
        # the zero of the cubic through both values and rates, by Newton's method
        h = time[i] - time[i - 1]
        d0, d1, s = h * rate[i - 1], h * rate[i], -x0 / (x1 - x0)
        for _ in range(4):
            a, b = d0 + d1 - 2 * (x1 - x0), 3 * (x1 - x0) - 2 * d0 - d1
            s -= (((a * s + b) * s + d0) * s + x0) / ((3 * a * s + 2 * b) * s + d0)
        passes.append(time[i - 1] + s * h)

a, b = 1.0, math.sqrt(1 - 0.25)
for _ in range(8):
    a, b = (a + b) / 2, math.sqrt(a * b)
K = math.pi / (2 * a)  # K(0.5) by the arithmetic-geometric mean
print(f"period from the run:       {(passes[-1] - passes[0]) / (len(passes) - 1):.7f} s")
print(f"period in closed form:     {4 * K * math.sqrt((0.18 + 1.5 * 0.36) / (1.5 * 9.81 * 0.6)):.7f} s")
