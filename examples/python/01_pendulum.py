"""The whole road in one page: a model as text, a run, its evidence."""
import dalembert as dal

model = """dalembert: 1
name: Pendulum
space: planar
gravity: [0, -9.81]
bodies:
  rod: {mass: 1.5, inertia: 0.18, angle: -30*deg, points: {O: [-0.6, 0]}}
joints:
  pivot: {type: revolute, connect: [ground, rod.O]}
simulate: {until: 3}
"""

m = dal.parse(model, file="pendulum")
e = m.run().evidence
info = m.info()
print(f"{m.name}: {info.freedoms} freedom, {info.constraints} constraints")
print(f"reached {e.time_end:g} s")
print(f"constraints held to 1e-9: {'yes' if e.position_residual < 1e-9 else 'no'}")
print(f"energy kept to 1e-7:      {'yes' if e.energy_drift < 1e-7 else 'no'}")
