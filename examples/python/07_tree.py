"""Recursive dynamics of a joint tree, without a run: the torques that hold an arm still, and how it falls without them."""
import dalembert as dal

m = dal.Model(space="spatial", gravity=[0, 0, -9.81])
m.body("upper", mass=2, center=[0.25, 0, 0], inertia=[0.001, 0.04, 0.04], points={"elbow": [0.5, 0, 0]})
m.body("lower", mass=1, center=[0.2, 0, 0], inertia=[0.001, 0.02, 0.02], position=[0.5, 0, 0])
m.joint("shoulder", type="revolute", connect=["ground", "upper"], axis=[0, 1, 0])
m.joint("elbow", type="revolute", connect=["upper.elbow", "lower"], axis=[0, 1, 0])

tree = m.tree()
q, rest = [0.3, -0.5], [0, 0]
torque = tree.inverse_dynamics(q, rest, rest)
acceleration = tree.forward_dynamics(q, rest)
for k, name in enumerate(tree.coordinates):
    print(f"{name:<15} {torque[k]:8.4f} N m hold it; without them it starts with {acceleration[k]:8.4f} rad/s^2")
