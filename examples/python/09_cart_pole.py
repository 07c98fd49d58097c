"""A pole on a cart, caught by a controller in a plain loop: the force is set between the steps. It is linear in the state, u = -K (x, angle, x', angle');
the gains place all poles of the linear equations at -4/s and -6/s."""
import math

import dalembert as dal

m = dal.Model(space="planar", gravity=[0, -9.81])
m.input(u=0)
m.body("cart", mass=1, inertia=0.1, position=[0, 0], angle=0, fix=True)
m.body("pole", mass=0.2, inertia="0.2*0.6^2/12", angle="90*deg - 0.4", fix=True, points={"P": [-0.3, 0]})
m.joint("track", type="prismatic", connect=["ground", "cart"], axis=[1, 0])
m.joint("pin", type="revolute", connect=["cart", "pole.P"])
m.force("push", type="force", joint="track", value="u")
m.simulate(coordinates="joint")
m.record("track.distance", "pin.angle", "track.distance'", "pin.angle'", "u")

# Near the upright pole x'' = a tilt + p u, tilt'' = b tilt + r u, and A and B are exact: with u = -K (x, tilt, x', tilt') the characteristic polynomial
#     s^4 + (p K2 + r K3) s^3 + (p K0 + r K1 - b) s^2 - (p b - r a) (K2 s + K0)    has to be    (s + 4)^2 (s + 6)^2
near = m.linearize(at={"q": {"track.distance": 0, "pin.angle": math.pi / 2}}, states=["track.distance", "pin.angle"])
(a, b), (p, r) = near.A[2:, 1], near.B[2:, 0]
wanted = 576, 480, 148, 20  # of 1, s, s^2, s^3
K0, K2 = -wanted[0] / (p * b - r * a), -wanted[1] / (p * b - r * a)
K1, K3 = (wanted[2] + b - p * K0) / r, (wanted[3] - p * K2) / r

sim, period = m.simulation(), 5e-3
for k in range(801):
    x, tilt = sim["track.distance"], sim["pin.angle"] - math.pi / 2
    u = -(K0 * x + K1 * tilt + K2 * sim["track.distance'"] + K3 * sim["pin.angle'"])
    if k % 100 == 0:
        print(f"t = {sim.time:.1f} s: cart at {x:7.4f} m, pole {math.degrees(tilt):8.4f} deg from upright, force {u:8.4f} N")
    sim.inputs["u"] = u
    sim.step_to((k + 1) * period)
