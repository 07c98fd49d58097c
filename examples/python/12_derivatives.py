"""Exact derivatives of the accelerations of a four-bar linkage with a spring, by its coordinates, its velocities, a torque and a length."""
import dalembert as dal

m = dal.Model(space="planar", gravity=[0, -9.81])
m.parameter(a=0.3, b=0.8, c=0.6, k=20)
m.ground(points={"D": [0.9, 0]})
m.body("crank", mass=1, inertia=0.01, angle=1.2, rate=2, points={"B": ["a", 0]})
m.body("rod", mass=2, inertia=0.1, points={"C": ["b", 0]})
m.body("rocker", mass=1, inertia=0.05, points={"C": ["c", 0]})
m.joint("A", type="revolute", connect=["ground", "crank"])
m.joint("B", type="revolute", connect=["crank.B", "rod"])
m.joint("C", type="revolute", connect=["rod.C", "rocker.C"])
m.joint("D", type="revolute", connect=["ground.D", "rocker"])
m.force("spring", type="torsional-spring-damper", joint="A", stiffness="k", free=0)
m.simulate(coordinates="joint")

state = m.state()
d = state.forward_derivatives()
by_length = state.parameter_derivatives("b")["dvd"]


def row(numbers, form):
    return " ".join(format(x, form) for x in numbers)


for i, name in enumerate(state.velocities):
    print(f"{name:<10} {d['vd'][i]:9.4f}  by q {row(d['dq'][i], '9.3f')}  by v {row(d['dv'][i], '7.3f')}  by tau {row(d['dtau'][i], '8.4f')}"
          f"  by b {by_length[i]:9.4f}")
