"""Computed torque on a robot of six joints. A controller is called every millisecond; it reads the state, asks the inverse dynamics for torques and sets
them, and they hold until it is called again. With continuous torques each error would obey

    e'' + kd e' + kp e = 0,     e = wanted angle - angle,     kp = w^2, kd = 2 w:     e = (e0 + (e0' + w e0) t) exp(-w t)

Held torques are late by half a period on average: the difference from this closed form is proportional to the period."""
import sys
import warnings

import numpy as np

import dalembert as dal

w = 8.0  # 1/s, of the errors
k = np.arange(6)
offset, amplitude, rate = 0.3 - 0.1 * k, 0.4, 1.5 + 0.2 * k


def wanted(t):
    """The motion that is wanted, and its derivatives: it starts away from the robot, which is at rest at zero."""
    return offset + amplitude * np.sin(rate * t), amplitude * rate * np.cos(rate * t), -amplitude * rate * rate * np.sin(rate * t)


def closed_form(t):
    start, speed, _ = wanted(0)
    return (start + (speed + w * start) * t) * np.exp(-w * t)


# A URDF file has no motors. The robot becomes a model in the language, and gets an input and a motor for every joint.
warnings.simplefilter("ignore", dal.DalembertWarning)  # about what the file has for other programs
robot = dal.load(sys.argv[1] if len(sys.argv) > 1 else "models/ur5.urdf")
joints = [name for name in robot.joints if name.endswith("_joint") and name in robot.tree().coordinates]
text = robot.convert("yaml") + "inputs: {" + ", ".join(f"u{i}: 0" for i in range(6)) + "}\nforces:\n"
text += "".join(f"  m{i}: {{type: motor, joint: {name}, value: u{i}}}\n" for i, name in enumerate(joints))
m = dal.parse(text)
tree = m.tree()


def control(sim):
    q, v = sim.q, sim.v
    d, d1, d2 = wanted(sim.time)
    torque = tree.inverse_dynamics(q, v, d2 + 2 * w * (d1 - v) + w * w * (d - q))
    for i in range(6):
        sim.inputs[f"u{i}"] = torque[i]


def largest_difference(period, shown):
    """From the closed form over all joints, in 1 s at 20 instants; `shown`: a line for some of them."""
    sim, most = m.simulation(control=control, period=period), 0.0
    for i in range(1, 21):
        t = 0.05 * i
        sim.step_to(t)
        error, closed = wanted(t)[0] - sim.q, closed_form(t)
        most = max(most, np.max(np.abs(error - closed)))
        if shown and i % 4 == 0:
            print(f"t = {t:.1f} s: {joints[1]} is {error[1]:8.5f} rad off, closed form {closed[1]:8.5f}")
    return most


largest_difference(1e-3, True)
for period in (4e-3, 2e-3, 1e-3, 0.5e-3):
    print(f"period {1e3 * period:3.1f} ms: {largest_difference(period, False):.1e} rad from the closed form at most")
