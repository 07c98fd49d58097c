"""A model with mistakes: all that the text alone shows are reported at once, each with its place."""
import dalembert as dal

model = """dalembert: 1
space: planar
bodies:
  rod: {mass: 1.5, inertai: 0.18}
  bob: {inertia: 0.2, position: [0, 0, 1]}
joints:
  pivot: {type: revolute, conect: [ground, rod]}
"""

try:
    dal.parse(model, file="wrong.yaml")
except dal.ModelError as error:  # str(error) shows the lines and carets as well
    for message in error.messages:
        print(f"{message.place.file}:{message.place.line}:{message.place.column}: {message.severity}: {message.text}")
    print(f"{len(error.messages)} errors; status {error.status}: the model is wrong")
