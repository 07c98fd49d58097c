"""One evaluation by hand: no run, only accelerations and reactions at a state. A beam on a hinge and a string, held level; then the string is cut, which
is another model."""
import dalembert as dal


def beam(held):
    m = dal.Model(space="planar", gravity=[0, -9.81])
    m.ground(points={"hook": [2, 1.5]})
    m.body("beam", mass=10, inertia="10*4/12", position=[1, 0], angle=0, points={"foot": [-1, 0], "tip": [1, 0]})
    m.joint("hinge", type="revolute", connect=["ground", "beam.foot"])
    if held:
        m.joint("string", type="distance", connect=["ground.hook", "beam.tip"])
    return m


for title, held in (("held", True), ("cut", False)):
    state = beam(held).state()  # at the assembled start values
    state.evaluate()
    alpha = state.body("beam").alpha[2]
    alpha = 0 if abs(alpha) < 1e-9 else alpha  # rounding errors are printed as zero
    print(f"{title}: the beam turns with {alpha:.4f} rad/s^2, the hinge carries {state.reaction('hinge').force[1]:.4f} N")
    if held:
        print(f"{title}: the string pulls the tip up with {state.reaction('string').force[1]:.4f} N")
