"""A double pendulum is saved half way and restored into a second simulation. Both continue with the same digits. A small push at the same place would not give
them; the motion is chaotic."""
import dalembert as dal

m = dal.Model(space="planar", gravity=[0, -9.81])
m.body("upper", mass=1, inertia="1/12", angle="30*deg", points={"P": [-0.5, 0], "Q": [0.5, 0]})
m.body("lower", mass=1, inertia="1/12", angle="60*deg", points={"Q": [-0.5, 0]})
m.joint("shoulder", type="revolute", connect=["ground", "upper.P"])
m.joint("elbow", type="revolute", connect=["upper.Q", "lower.Q"])
m.record("shoulder.angle", "elbow.angle")
m.simulate(until=10)

first, second = m.simulation(), m.simulation()
first.step_to(5)
saved = first.save()
second.restore(saved)
print(f"both are at t = {first.time:g} and {second.time:g} s")
for t in range(6, 11):
    first.step_to(t)
    second.step_to(t)
    same = "the same in every bit" if first.values.tobytes() == second.values.tobytes() else "not the same"
    print(f"t = {t:2d} s: elbow at {first['elbow.angle']:.4f} and {second['elbow.angle']:.4f} rad, {same}")
first.restore(saved)  # back
print(f"the first one is at t = {first.time:g} s again")

damaged = bytearray(saved)
damaged[len(damaged) // 2] ^= 1
try:
    second.restore(damaged)
except dal.FileError as error:
    print(error)
