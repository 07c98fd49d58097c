"""The same model under every family of coordinates and every formulation."""
import sys

import dalembert as dal

m = dal.load(sys.argv[1] if len(sys.argv) > 1 else "models/slider-crank.yaml")
reference = None
for family in dal.known("coordinates"):
    for formulation in dal.known("formulation"):
        settings = dict(coordinates=family, formulation=formulation, integrator="rk6", until=1)
        try:
            r = m.run(page=False, **settings)
        except dal.Error as error:  # not every one applies to every model: it says why
            why = next(message.text for message in error.messages if message.severity == "error")
            print(f"{family:<8} {formulation:<18} {why}")
            continue
        info = m.info(**settings)
        speed = r.values[-1, 2]
        reference = speed if reference is None else reference
        print(f"{family:<8} {formulation:<18} {info.nq:2d} coordinates, {info.constraints:2d} constraints, speed of the slider after 1 s: "
              f"{speed:.8f} m/s, the same to 1e-10: {'yes' if abs(speed - reference) < 1e-10 else 'no'}")
