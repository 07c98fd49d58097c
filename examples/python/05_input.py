"""Inputs of a model are set between evaluations: here the force on a cart with a pendulum. The accelerations are linear in it, which is how a controller
or an optimiser would find its gain."""
import dalembert as dal

m = dal.Model(space="planar", gravity=[0, -9.81])
m.input(u=0)
m.body("cart", mass=2, inertia=0.1, position=[0, 0], angle=0)
m.body("pole", mass=0.5, inertia="0.5*1/12", angle="80*deg", points={"P": [-0.5, 0]})
m.joint("track", type="prismatic", connect=["ground", "cart"], axis=[1, 0])
m.joint("pin", type="revolute", connect=["cart", "pole.P"])
m.force("push", type="force", joint="track", value="u")

state = m.state()
for u in (-10, 0, 10):
    state.set_input("u", u)
    state.evaluate()
    print(f"u = {u:3d} N: cart {state.body('cart').acceleration[0]:8.5f} m/s^2, pole {state.body('pole').alpha[2]:8.5f} rad/s^2")
