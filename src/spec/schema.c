/* Every key of the model language: what it holds, where it goes, what it means. */
#include "spec/blocks.h"

#define WORDS(shape, words) static const char words_##shape[] = words;
DAL_SHAPES(WORDS)
#undef WORDS

/* clang-format off */
#define KEY_(section, key, words, unit, shape, flags, offset, instead, text) \
    {{section, key, words, text, unit}, DAL_SHAPE_##shape, flags, offset, instead}
#define KEY(section, key, shape, unit, type, field, flags, text) \
    KEY_(section, key, words_##shape, unit, shape, flags, offsetof(type, field), NULL, text)
#define TREE(section, key, words, unit, type, field, flags, text) \
    KEY_(section, key, words, unit, TREE, flags, offsetof(type, field), NULL, text)
#define ONE_OF(section, key, words, unit, type, field, flags, text) \
    KEY_(section, key, words, unit, ONE_OF, flags, offsetof(type, field), NULL, text)
#define PLANAR(section, key, shape, unit, type, field, instead, text) \
    KEY_(section, key, words_##shape, unit, shape, DAL_PLANAR_ONLY, offsetof(type, field), instead, text)
#define SPATIAL(section, key, shape, unit, type, field, instead, text) \
    KEY_(section, key, words_##shape, unit, shape, DAL_SPATIAL_ONLY, offsetof(type, field), instead, text)
#define REPEAT(section) \
    KEY_(section, "repeat", words_REPEAT, "", REPEAT, 0, 0, NULL, "makes one element for each number: rod.1, rod.2, ...; inside, i is the number and rod.{i-1} a name; several variables nest")
#define END {{NULL, NULL, NULL, NULL, NULL}, DAL_SHAPE_TREE, 0, 0, NULL}

const dal_key dal_keys_model[] = {
#define M dal_model_trees
    TREE("model", "dalembert", "1", "", M, version, 0, "version of the language; required"),
    TREE("model", "name", "text", "", M, name, 0, "title for reports"),
    TREE("model", "space", "planar|spatial", "", M, space, 0, "required"),
    TREE("model", "parameters", "name: expression", "own", M, parameters, 0, "constants; they may use one another, in any order; --set changes them"),
    TREE("model", "define", "name: expression", "own", M, define, 0, "named expressions of time and state; or many, as {repeat: , value: }; see 'definition'"),
    TREE("model", "gravity", "vector", "m/s^2", M, gravity, 0, "acceleration of free fall, world axes; none if omitted"),
    TREE("model", "ground", "see 'ground'", "", M, ground, 0, "the body that does not move"),
    TREE("model", "bodies", "name: body", "", M, bodies, 0, "see 'body'"),
    TREE("model", "joints", "name: joint", "", M, joints, 0, "see 'joint'"),
    TREE("model", "joint-types", "name: joint type", "", M, joint_types, 0, "joints of the model's own, written as vector equations; see 'joint type'"),
    TREE("model", "forces", "name: force", "", M, forces, 0, "see 'force'"),
    TREE("model", "coordinates", "name: coordinate", "", M, coordinates, 0, "of the model's own, of the family 'user': bodies are placed by expressions in them, or systems and Lagrangians are written in them; see 'coordinate'"),
    TREE("model", "constraints", "name: constraint", "", M, constraints, 0, "expressions that are zero; see 'constraint'"),
    TREE("model", "systems", "name: system", "", M, systems, 0, "sub-systems whose equations are known; see 'system'"),
    TREE("model", "lagrangian", "see 'lagrangian'", "", M, lagrangian, 0, "a function of coordinates of the model's own, of their rates and of time"),
    TREE("model", "speeds", "name: expression", "own", M, speeds, 0, "velocities of the model's own, linear in the rates; a formulation that uses speeds chooses them otherwise"),
    TREE("model", "tables", "name: table", "", M, tables, 0, "functions given by points, used as interp(name, x); see 'table'"),
    TREE("model", "inputs", "name: expression, or name: input", "own", M, inputs, 0, "quantities that a program sets, with their values at the start; or that the run samples and holds; see 'input'"),
    TREE("model", "states", "name: state", "", M, states, 0, "further differential equations (controllers, filters); see 'state'"),
    TREE("model", "blocks", "name: block", "", M, blocks, 0, "controllers and filters; the name is the output, for every expression that may use states; see 'block'"),
    TREE("model", "sensors", "name: sensor", "", M, sensors, 0, "measured signals; the name is the output; see 'sensor'"),
    TREE("model", "models", "name: included model", "", M, models, 0, "other model files as parts of this one: left.thigh is their body; see 'included model'"),
    TREE("model", "simulate", "see 'simulate'", "", M, simulate, 0, "how to run"),
    TREE("model", "record", "list of expressions, or name: expression, or name: column", "own", M, record, 0, "columns of the result; the text is the column's name where none is given; {repeat: {i: 1..6}, value: rod.{i}.x} in the list makes many; without 'record' the usual channels are written; see 'column'"),
    TREE("model", "view", "see 'view'", "", M, view, 0, "what the page shows when it is opened"),
    END
#undef M
};

const dal_key dal_keys_definition[] = {
    KEY("definition", "value", EXPRESSION, "own", dal_pair, value, DAL_REQUIRED, "required; the expression"),
    REPEAT("definition"),
    END
};

const dal_key dal_keys_ground[] = {
    KEY("ground", "points", POINTS, "m", dal_spec, ground, 0, "named points that do not move"),
    KEY("ground", "shape", FIGURES, "", dal_spec, ground_shape, 0, "for pictures only"),
    END
};

const dal_key dal_keys_body[] = {
#define B dal_body_spec
    KEY_("body", "mass", words_EXPRESSION, "kg", EXPRESSION, DAL_REQUIRED, offsetof(B, mass), "density of", "required, or 'density'; write 'mass: 0' for a massless part"),
    KEY("body", "density", EXPRESSION, "kg/m^3", B, density, 0, "of the shapes: gives mass, centre and inertia"),
    KEY("body", "center", VECTOR, "m", B, center, 0, "centre of mass in body axes; the origin if omitted, or that of the shapes that give the inertia"),
    KEY("body", "inertia", INERTIA, "kg m^2", B, inertia, 0, "about the centre of mass, body axes, tensor entries; if omitted it follows from the shapes, which are scaled to the mass; a body with mass and with neither is a particle"),
    ONE_OF("body", "inertia-check", "refuse|warn", "", B, inertia_check, 0, "principal moments of which one is larger than the sum of the others: refused, or a warning, and they are used as written; refuse if omitted"),
    KEY("body", "from", NAME, "", B, from, 0, "the body in whose axes position and attitude are written; only where the model has coordinates of its own"),
    KEY("body", "position", START_VECTOR, "m", B, position, 0, "of the body frame's origin at the start"),
    PLANAR("body", "angle", START, "rad", B, angle, "orientation", "of the body frame at the start"),
    SPATIAL("body", "orientation", ORIENTATION, "", B, orientation, "angle", "of the body frame at the start"),
    KEY("body", "between", TWO_NAMES, "", B, between, 0, "two points: the origin is put midway, x along the line from the first to the second"),
    KEY("body", "velocity", VELOCITY, "m/s", B, velocity, 0, "of the origin at the start"),
    PLANAR("body", "rate", START, "rad/s", B, rate, "angular-velocity", "of the angle at the start"),
    SPATIAL("body", "angular-velocity", VELOCITY, "rad/s", B, angular_velocity, "rate", "at the start"),
    KEY("body", "fix", FLAG, "", B, fix, 0, "true: assembly keeps every given start value of the body"),
    TREE("body", "of", "name", "", dal_body_trees, of, 0, "a body above this one: this is its mirror image; what is given beside it replaces what follows from that body; a position leaves the attitude, and an attitude the position"),
    TREE("body", "mirror", "x|y|z", "", dal_body_trees, mirror, 0, "with 'of': the axis of the world along which the body is mirrored"),
    TREE("body", "drive", "see 'pose'", "", dal_body_trees, drive, 0, "prescribes place and attitude in space as functions of time"),
    KEY("body", "points", POINTS, "m", B, points, 0, "named points in body axes, with axes where a joint needs them"),
    KEY("body", "shape", FIGURES, "", B, shape, 0, "for pictures, and for mass, centre and inertia where they are not given; without it the joint points are connected"),
    REPEAT("body"),
    END
#undef B
};

const dal_key dal_keys_pose[] = {
    KEY("pose", "position", VECTOR, "m", dal_pose_keys, position, 0, "of the body frame's origin, world axes: functions of time; the force that this takes is NAME.drive.force"),
    PLANAR("pose", "angle", EXPRESSION, "rad", dal_pose_keys, angle, "orientation", "of the body frame: a function of time; the torque that this takes is NAME.drive.torque"),
    KEY("pose", "by", NAMES, "", dal_pose_keys, by, 0, "prismatic joints, the legs that move the body: instead of a force on the body itself each has the effort NAME.drive; the name of a repeated joint means all of them"),
    SPATIAL("pose", "orientation", ORIENTATION, "", dal_pose_keys, orientation, "angle", "of the body frame, made of functions of time; the torque that this takes is NAME.drive.torque"),
    END
};

const dal_key dal_keys_shape[] = {
#define F dal_figure_trees
    KEY_("shape", "type", words_WORD, "", WORD, DAL_REQUIRED, offsetof(F, spec.type), "box sphere cylinder capsule", "required: box, sphere, cylinder, capsule, plate, polyline or mesh"),
    TREE("shape", "box", "list of expressions", "m", F, brief[0], 0, "short for type: box with this 'size'"),
    TREE("shape", "sphere", "expression", "m", F, brief[1], 0, "short for type: sphere with this 'radius'"),
    TREE("shape", "cylinder", "two expressions: radius, length", "m", F, brief[2], 0, "short for type: cylinder with this 'radius' and 'length'"),
    TREE("shape", "capsule", "two expressions: radius, length", "m", F, brief[3], 0, "short for type: capsule with this 'radius' and 'length'"),
    KEY("shape", "size", EXPRESSIONS, "m", F, spec.size, 0, "of a box: its edges along x, y, z; in a planar model the third may be omitted"),
    KEY("shape", "radius", EXPRESSION, "m", F, spec.radius, 0, "of a sphere, cylinder or capsule; of a polyline: as a tube, a thin line if omitted"),
    KEY("shape", "length", EXPRESSION, "m", F, spec.length, 0, "of a cylinder; of a capsule without its round ends"),
    KEY("shape", "axis", EXPRESSIONS, "1", F, spec.axis, 0, "direction of a cylinder or capsule in body axes; z if omitted"),
    TREE("shape", "outline", "list of [x, y]", "m", F, outline, 0, "of a plate, in its plane, three points or more"),
    KEY("shape", "thickness", EXPRESSION, "m", F, spec.thickness, 0, "of a plate, across its plane; half of it on either side"),
    TREE("shape", "points", "list of vectors", "m", F, points, 0, "of a polyline, two or more"),
    KEY("shape", "file", TITLE, "", F, spec.file, 0, "of a mesh: an .stl or .obj file in the folder of the model or below it"),
    KEY("shape", "scale", EXPRESSION, "m", F, spec.scale, 0, "of a mesh: 0.001 where its file is in millimetres; 1 if omitted"),
    KEY("shape", "at", EXPRESSIONS, "m", F, spec.at, 0, "where its middle (of a plate, polyline or mesh its origin) lies in body axes; the origin if omitted"),
    PLANAR("shape", "angle", EXPRESSION, "rad", F, spec.angle, "orientation", "by which it is turned in the body"),
    SPATIAL("shape", "orientation", ORIENTATION, "", F, spec.orientation, "angle", "of the shape in the body"),
    KEY("shape", "density", EXPRESSION, "kg/m^3", F, spec.density, 0, "instead of the body's; beside 'mass' only the ratios count; 0: for pictures only"),
    KEY("shape", "color", TITLE, "", F, spec.color, 0, "\"#rrggbb\", or one of black, white, gray, red, green, blue, yellow, orange, brown, purple, cyan, magenta"),
    END
#undef F
};

const dal_key dal_keys_point[] = {
    TREE("point", "at", "vector", "m", dal_point_trees, at, DAL_REQUIRED, "in body axes"),
    TREE("point", "x", "vector", "1", dal_point_trees, direction[0], 0, "direction of the point's x axis; of two directions the first written is exact"),
    TREE("point", "y", "vector", "1", dal_point_trees, direction[1], 0, "direction of the point's y axis"),
    TREE("point", "z", "vector", "1", dal_point_trees, direction[2], 0, "direction of the point's z axis"),
    KEY_("point", "repeat", words_REPEAT, "", REPEAT, 0, 0, NULL, "makes one point for each number: ground.P.1, ground.P.2, ..."),
    END
};

const dal_key dal_keys_orientation[] = {
#define O dal_orientation_trees
#define EULER(index, letters) \
    TREE("orientation", "euler-" letters, "3 expressions", "rad", O, euler[index], 0, "three angles, intrinsic, in the order of the name")
    TREE("orientation", "quaternion", "{w: , x: , y: , z: }", "", O, quaternion, 0, "Euler parameters by name"),
    TREE("orientation", "axis", "vector", "1", O, axis, 0, "turned about this axis, by 'angle'"),
    TREE("orientation", "angle", "expression", "rad", O, angle, 0, "with 'axis'"),
    EULER(0, "xyz"), EULER(1, "xzy"), EULER(2, "yxz"), EULER(3, "yzx"), EULER(4, "zxy"), EULER(5, "zyx"),
    EULER(6, "xyx"), EULER(7, "xzx"), EULER(8, "yxy"), EULER(9, "yzy"), EULER(10, "zxz"), EULER(11, "zyz"),
    TREE("orientation", "rpy", "3 expressions", "rad", O, rpy, 0, "roll, pitch, yaw about fixed axes, as in URDF"),
    TREE("orientation", "x", "vector", "1", O, direction[0], 0, "direction of the body's x axis; two directions are needed, the first written is exact"),
    TREE("orientation", "y", "vector", "1", O, direction[1], 0, "direction of the body's y axis"),
    TREE("orientation", "z", "vector", "1", O, direction[2], 0, "direction of the body's z axis"),
    KEY("orientation", "fix", FLAG, "", O, fix, 0, "true: assembly keeps it"),
    END
#undef EULER
#undef O
};

const dal_key dal_keys_quaternion[] = {
#define Q dal_quaternion_trees
    TREE("quaternion", "w", "expression", "1", Q, w, DAL_REQUIRED, "cosine of half the angle"),
    TREE("quaternion", "x", "expression", "1", Q, x, DAL_REQUIRED, "component along x"),
    TREE("quaternion", "y", "expression", "1", Q, y, DAL_REQUIRED, "component along y"),
    TREE("quaternion", "z", "expression", "1", Q, z, DAL_REQUIRED, "component along z"),
    END
#undef Q
};

const dal_key dal_keys_inertia[] = {
#define I dal_inertia_trees
    TREE("inertia", "xx", "expression", "kg m^2", I, entry[0], DAL_REQUIRED, "moment about x"),
    TREE("inertia", "yy", "expression", "kg m^2", I, entry[1], DAL_REQUIRED, "moment about y"),
    TREE("inertia", "zz", "expression", "kg m^2", I, entry[2], DAL_REQUIRED, "moment about z"),
    TREE("inertia", "xy", "expression", "kg m^2", I, entry[3], 0, "tensor entry, minus the integral of x y dm; 0 if omitted"),
    TREE("inertia", "xz", "expression", "kg m^2", I, entry[4], 0, "tensor entry; 0 if omitted"),
    TREE("inertia", "yz", "expression", "kg m^2", I, entry[5], 0, "tensor entry; 0 if omitted"),
    END
#undef I
};

const dal_key dal_keys_value[] = {
    TREE("start value", "value", "as without { }", "own", dal_value_trees, value, DAL_REQUIRED, "the value at the start"),
    KEY("start value", "fix", FLAG, "", dal_value_trees, fix, 0, "true: assembly keeps it; otherwise it is changed as little as needed"),
    END
};

const dal_key dal_keys_velocity[] = {
    TREE("start velocity", "value", "vector", "m/s or rad/s", dal_value_trees, value, 0, "in world axes"),
    TREE("start velocity", "body", "vector", "m/s or rad/s", dal_value_trees, body, 0, "in body axes"),
    KEY("start velocity", "fix", FLAG, "", dal_value_trees, fix, 0, "true: assembly keeps it"),
    END
};

const dal_key dal_keys_joint[] = {
#define J dal_joint_spec
    KEY("joint", "type", WORD, "", J, type, DAL_REQUIRED, "required; which of the other keys are needed depends on it"),
    KEY("joint", "connect", CONNECT, "", J, connect, 0, "the points, M, N, P, Q in the equations of a joint type; a bare body name means its origin"),
    KEY("joint", "axis", AXIS, "1", J, axis, 0, "in the axes of the first body, carried to the second at the start"),
    KEY("joint", "normal", VECTOR, "1", J, normal, 0, "of the surface, in the first body"),
    KEY("joint", "joints", NAMES, "", J, joints, 0, "the joints that are coupled"),
    KEY("joint", "joint", NAME, "", J, joint, 0, "the joint that is driven or locked"),
    KEY("joint", "body", NAME, "", J, body, 0, "the body that is driven or locked"),
    KEY("joint", "coordinate", NAME, "", J, coordinate, 0, "which coordinate of it"),
    KEY("joint", "value", EXPRESSION, "m or rad", J, value, 0, "what the coordinate shall be"),
    KEY("joint", "ratio", EXPRESSION, "1", J, ratio, 0, "of the coupled coordinates"),
    KEY("joint", "radius", EXPRESSION, "m", J, radius, 0, "of a wheel, pinion or ball"),
    KEY("joint", "pitch", EXPRESSION, "m", J, pitch, 0, "of a screw: advance in one turn"),
    KEY("joint", "length", EXPRESSION, "m", J, length, 0, "between the points"),
    KEY("joint", "drive", EXPRESSION, "m or rad", J, drive, 0, "prescribes the joint's coordinate as a function of time"),
    KEY("joint", "drive-rate", EXPRESSION, "m/s or rad/s", J, drive_rate, 0, "prescribes the rate of the joint's coordinate as a function of time; the coordinate follows from the start"),
    KEY("joint", "zero", EXPRESSION, "m or rad", J, zero, 0, "the coordinate where the two joint frames coincide"),
    KEY("joint", "start", JOINT_START, "", J, start, 0, "the joint's coordinate at the start: the second body is placed from the first"),
    KEY("joint", "compliance", EXPRESSIONS, "m/N, rad/(N m)", J, compliance, 0, "[m/N, rad/(N m)]: how redundant reactions are distributed"),
    KEY("joint", "non-ideal", LAW, "N or N m", J, law, 0, "forces along channels that belong to the joint's reaction and do work"),
    KEY("joint", "friction", FRICTION, "", J, friction, 0, "dry friction between the surfaces of the joint, pressed together by its own reaction, or of a constant size"),
    TREE("joint", "armature", "expression, or {inertia: , ratio: }", "kg m^2", dal_joint_trees, armature, 0, "inertia of a rotor on the first body that turns with a revolute or prismatic joint; see 'armature'"),
    KEY("joint", "parameters", VALUES, "own", J, parameters, 0, "of a type of the model's own: constant expressions"),
    KEY("joint", "cut", FLAG, "", J, cut, 0, "true: with coordinates: joint, this joint closes a loop and is not in the tree"),
    REPEAT("joint"),
    END
#undef J
};

const dal_key dal_keys_joint_type[] = {
#define Y dal_joint_type_spec
    KEY("joint type", "equations", EXPRESSIONS, "own", Y, equations, 0, "each is zero, a vector in all its components: made of the points M, N, P, Q of 'connect', the axes xi yi zi, xj yj zj, ... of their sides, angle, parameters and time; with rates (M', wi) a condition on velocities"),
    KEY("joint type", "velocity", EXPRESSIONS, "own", Y, velocity, 0, "the same, each linear in the rates that it has to contain"),
    KEY("joint type", "parameters", VALUES, "own", Y, parameters, 0, "names in the equations, with the values where a joint gives none"),
    KEY("joint type", "required", NAMES, "", Y, required, 0, "names of parameters that every joint has to give"),
    KEY("joint type", "coordinates", VALUES, "own", Y, coordinates, 0, "channels of the joints: each one scalar product, angle or norm(N - M)"),
    KEY_("joint type", "repeat", words_LATER, "", LATER, 0, 0, NULL, "a type is described once, and 'repeat' stands in the joints"),
    END
#undef Y
};

const dal_key dal_keys_armature[] = {
    KEY("armature", "inertia", EXPRESSION, "kg m^2", dal_armature_keys, inertia, DAL_REQUIRED, "required; of the rotor about its axis; without { } this alone"),
    KEY("armature", "ratio", EXPRESSION, "1 or rad/m", dal_armature_keys, ratio, 0, "turns of the rotor for one of the joint, 1 if omitted; of a prismatic joint radians for one metre, required"),
    END
};

const dal_key dal_keys_start[] = {
    KEY("start", "angle", EXPRESSION, "rad", dal_start_spec, angle, 0, "of the second body relative to the first"),
    KEY("start", "distance", EXPRESSION, "m", dal_start_spec, distance, 0, "of the second body relative to the first"),
    KEY("start", "rate", EXPRESSION, "m/s or rad/s", dal_start_spec, rate, 0, "of the angle or distance"),
    KEY("start", "fix", FLAG, "", dal_start_spec, fix, 0, "true: assembly keeps them"),
    KEY("start", "within", EXPRESSION, "m or rad", dal_start_spec, within, 0, "bound: the coordinate starts no further than this from the angle or distance"),
    ONE_OF("start", "branch", "near|other", "", dal_start_spec, branch, 0, "which of the positions in which the mechanism closes: the one nearest to the angle or distance (without one: to all given values), or the nearest one that assembly does not reach by itself"),
    END
};

const dal_key dal_keys_friction[] = {
#define R dal_friction_spec
    KEY("friction", "coefficient", EXPRESSION, "1", R, coefficient, 0, "of sliding friction: force over normal force; this or a limit is needed"),
    KEY("friction", "static", EXPRESSION, "1", R, resting, 0, "the same at rest; the coefficient if it is not given"),
    KEY("friction", "limit", EXPRESSION, "N or N m", R, limit, 0, "part of it that does not depend on the normal force, on the joint's coordinate: force (prismatic, cylindrical) or torque (revolute, screw); constant, or of a brake an expression of time, inputs, states and motion; a negative one counts as zero"),
    KEY("friction", "static-limit", EXPRESSION, "N or N m", R, resting_limit, 0, "the same at rest; limit * static/coefficient if it is not given"),
    KEY("friction", "stribeck", EXPRESSION, "m/s or rad/s", R, stribeck, 0, "velocity over which what holds at rest falls to what resists sliding, m/s"),
    KEY("friction", "viscous", EXPRESSION, "N s/m or N m s/rad", R, viscous, 0, "force over velocity, N s/m, beside the dry one"),
    KEY("friction", "radius", EXPRESSION, "m", R, radius, 0, "of the sliding surface, where the joint turns; with a limit alone it is not needed, and velocities are rad/s"),
    KEY("friction", "velocity", EXPRESSION, "m/s or rad/s", R, velocity, 0, "of sliding, m/s, over which the force is made smooth; without it the joint sticks and slips exactly"),
    END
#undef R
};

const dal_key dal_keys_force[] = {
#define F dal_force_spec
    KEY("force", "type", WORD, "", F, type, DAL_REQUIRED, "required; which of the other keys are needed depends on it"),
    KEY("force", "connect", TWO_NAMES, "", F, connect, 0, "acts between two points; positive pushes apart"),
    KEY("force", "joint", NAME, "", F, joint, 0, "acts on the coordinate of this joint"),
    KEY("force", "body", NAME, "", F, body, 0, "acts on this body or point"),
    KEY("force", "coordinate", NAME, "", F, coordinate, 0, "which coordinate of the joint or body; alone: of the model's own"),
    ONE_OF("force", "axes", "world|body", "", F, axes, 0, "of the components, with 'body'"),
    KEY("force", "value", FORCE, "N or N m", F, value, 0, "the force or torque"),
    KEY("force", "stiffness", RATES, "N/m or N m/rad", F, stiffness, 0, "of a spring or bushing"),
    KEY("force", "damping", RATES, "N s/m or N m s/rad", F, damping, 0, "of a damper or bushing"),
    KEY("force", "length", EXPRESSION, "m", F, length, 0, "of the spring without force"),
    KEY("force", "free", EXPRESSION, "m or rad", F, free, 0, "angle or length of a spring on a joint without force"),
    KEY("force", "center", VECTOR, "m", F, center, 0, "of attraction"),
    KEY("force", "mu", EXPRESSION, "m^3/s^2", F, mu, 0, "gravitational parameter of the centre"),
    ONE_OF("force", "gradient", "true|false", "", F, gradient, 0, "true: with the gravity-gradient torque"),
    KEY("force", "direction", VECTOR, "1", F, direction, 0, "along which 'value' acts"),
    KEY("force", "lower", EXPRESSION, "m or rad", F, lower, 0, "coordinate or length at which an end stop begins to push it up"),
    KEY("force", "upper", EXPRESSION, "m or rad", F, upper, 0, "coordinate or length at which an end stop begins to push it down"),
    KEY("force", "gap", EXPRESSION, "m", F, gap, 0, "play of a clearance: how far the points may be apart before they touch"),
    KEY("force", "restitution", EXPRESSION, "1", F, restitution, 0, "of an end stop or clearance, 0 to 1: part of the velocity that a free impact gives back"),
    KEY("force", "velocity", EXPRESSION, "m/s or rad/s", F, velocity, 0, "with 'restitution': that over which the loss sets in, m/s or rad/s; 1e-3 if omitted"),
    KEY("force", "limit", EXPRESSIONS, "N or N m", F, limit, 0, "[lowest, highest] of an effort that is one number: beyond them its value is cut off"),
    REPEAT("force"),
    END
#undef F
};

const dal_key dal_keys_coordinate[] = {
    KEY("coordinate", "start", START, "own", dal_coordinate_trees, spec.start, 0, "value at the start; without { } the value alone"),
    KEY("coordinate", "rate", START, "own/s", dal_coordinate_trees, spec.rate, 0, "its derivative by time at the start"),
    KEY("coordinate", "fix", FLAG, "", dal_coordinate_trees, fix, 0, "true: assembly keeps them"),
    END
};

const dal_key dal_keys_constraint[] = {
    KEY("constraint", "position", EXPRESSION, "own", dal_constraint_spec, position, 0, "is zero: made of positions and time"),
    KEY("constraint", "velocity", EXPRESSION, "own", dal_constraint_spec, velocity, 0, "is zero: made of rates, positions and time"),
    KEY("constraint", "non-ideal", LAW, "N or N m", dal_constraint_spec, law, 0, "forces along channels that belong to the constraint and do work"),
    REPEAT("constraint"),
    END
};

const dal_key dal_keys_system[] = {
#define D dal_subsystem_spec
    KEY("system", "coordinates", NAMES, "", D, coordinates, DAL_REQUIRED, "required; coordinates of the model's own, in the order of the rows of 'mass'"),
    KEY("system", "mass", MATRIX, "own", D, mass, DAL_REQUIRED, "required; the mass matrix M of M q'' = force: symmetric, not indefinite; made of coordinates and time"),
    KEY("system", "force", EXPRESSIONS, "own", D, force, DAL_REQUIRED, "required; one for each coordinate: everything that stands on the right of M q'' = force, terms with products of rates included"),
    KEY("system", "kinetic", EXPRESSION, "J", D, kinetic, 0, "the kinetic energy, which is q' M q'/2; where it is missing the energy is not known, and formulations that need it do not apply"),
    KEY("system", "potential", EXPRESSION, "J", D, potential, 0, "the part of the force that has a potential, made of coordinates and time; the rest of the force counts as work; only beside 'kinetic'"),
    END
};

const dal_key dal_keys_lagrangian[] = {
    KEY("lagrangian", "L", EXPRESSION, "J", D, L, 0, "the Lagrangian, of at most second degree in the rates of the coordinates; or T and V"),
    KEY("lagrangian", "T", EXPRESSION, "J", D, T, 0, "the kinetic energy, instead of L"),
    KEY("lagrangian", "V", EXPRESSION, "J", D, V, 0, "the potential energy beside T; zero if omitted"),
    KEY("lagrangian", "dissipation", EXPRESSION, "W", D, dissipation, 0, "Rayleigh's function: its derivative by a rate, reversed, is a force on the coordinate; it may use everything that forces use"),
    END
#undef D
};

const dal_key dal_keys_table[] = {
#define T dal_table_spec
    KEY("table", "x", EXPRESSIONS, "own", T, x, 0, "increasing; constant expressions in parameters"),
    KEY("table", "y", EXPRESSIONS, "own", T, y, 0, "as many as x"),
    KEY("table", "file", TITLE, "", T, file, 0, "two columns of numbers (CSV), in the folder of the model, instead of x and y"),
    ONE_OF("table", "smooth", "0|1|2", "", T, smooth, 0, "continuous derivatives: 0 broken line, 1 and 2 cubic pieces; 2 if omitted"),
    ONE_OF("table", "outside", "error|hold|periodic", "", T, outside, 0, "what holds outside the first and last x; error if omitted"),
    END
#undef T
};

const dal_key dal_keys_input[] = {
    KEY("input", "value", EXPRESSION, "own", dal_pair, value, DAL_REQUIRED, "required; with a period anything that can be recorded, as a digital controller would measure it; without one a constant"),
    KEY("input", "period", EXPRESSION, "s", dal_pair, period, 0, "the value is computed at the start and then each time that this has passed, and held in between"),
    END
};

const dal_key dal_keys_state[] = {
    KEY("state", "start", EXPRESSION, "own", dal_state_spec, start, DAL_REQUIRED, "value at the start"),
    KEY("state", "rate", EXPRESSION, "own/s", dal_state_spec, rate, DAL_REQUIRED, "its derivative by time"),
    END
};

const dal_key dal_keys_block[] = {
#define C dal_block_keys
    ONE_OF("block", "type", "pid|lag|transfer-function|computed-torque", "", C, type, DAL_REQUIRED, "required; which of the other keys are needed depends on it"),
    KEY("block", "input", EXPRESSION, "own", C, input, 0, "of pid, lag and transfer-function, required: what forces and states may use: time, motion, states, other blocks; NAME.input can be recorded"),
    KEY("block", "kp", EXPRESSION, "own", C, kp, 0, "pid: factor of the input; all factors and times are constants"),
    KEY("block", "ki", EXPRESSION, "own", C, ki, 0, "pid: factor of its integral, which is the state NAME.integral"),
    KEY("block", "kd", EXPRESSION, "own", C, kd, 0, "pid: factor of its rate"),
    KEY("block", "filter", EXPRESSION, "s", C, filter, 0, "pid: time constant of the rate's filter, whose state is NAME.filter; 0: the exact rate, where forces may use it"),
    KEY("block", "filter-start", EXPRESSION, "own", C, filter_start, 0, "pid: the filtered input at the start; 0 if omitted"),
    KEY("block", "limit", EXPRESSIONS, "own", C, limit, 0, "pid: [lowest, highest] output; NAME.raw is what it would be without; computed-torque: the largest effort of each joint"),
    KEY("block", "tracking", EXPRESSION, "s", C, tracking, 0, "pid: time in which the integral is led back while the output is at its limit; kp/ki if omitted"),
    KEY("block", "time", EXPRESSION, "s", C, time, 0, "lag: time constant"),
    KEY("block", "gain", EXPRESSION, "own", C, gain, 0, "lag: output over input at rest; 1 if omitted"),
    KEY("block", "numerator", EXPRESSIONS, "own", C, numerator, 0, "transfer-function: coefficients, highest power of s first"),
    KEY("block", "denominator", EXPRESSIONS, "own", C, denominator, 0, "transfer-function: the same; its order is at least that of the numerator; states are NAME.x1, NAME.x2, ..."),
    KEY("block", "start", EXPRESSION, "own", C, start, 0, "lag: output at the start; transfer-function: of the state of rest that it starts from; pid: its integral at the start; 0 if omitted"),
    KEY("block", "joints", NAMES, "", C, joints, 0, "computed-torque: revolute and prismatic joints of a robot, which stands on the ground and has no loops"),
    KEY("block", "acceleration", EXPRESSIONS, "m/s^2 or rad/s^2", C, acceleration, 0, "computed-torque: the acceleration that each joint is to have, made of time, positions, velocities and states; NAME.1, NAME.2, ... are the efforts that give it"),
    KEY("block", "reference", EXPRESSIONS, "m or rad", C, reference, 0, "computed-torque, instead of 'acceleration': where each joint is to be; the error e obeys e'' + 2 damping frequency e' + frequency^2 e = 0"),
    KEY("block", "frequency", EXPRESSION, "rad/s", C, frequency, 0, "computed-torque: with 'reference'"),
    KEY("block", "damping", EXPRESSION, "1", C, damping, 0, "computed-torque: with 'reference'; 1 if omitted"),
    ONE_OF("block", "motors", "true|false", "", C, motors, 0, "computed-torque: false leaves the efforts to forces of the model; otherwise motors NAME.motor.1, ... give them"),
    REPEAT("block"),
    END
#undef C
};

const dal_key dal_keys_sensor[] = {
#define N dal_sensor_keys
    ONE_OF("sensor", "type", "distance|angle|position|velocity|angular-velocity|acceleration|force|torque|power", "", N, type, DAL_REQUIRED, "required; acceleration, force, torque and power are known after the forces: they can be recorded only"),
    KEY("sensor", "joint", NAME, "", N, joint, 0, "on a joint: distance, angle, force and torque of its reaction, power of its drive"),
    KEY("sensor", "body", NAME, "", N, body, 0, "on a body or point: position, velocity, acceleration in world axes; angle (planar); angular-velocity, in space in body axes"),
    KEY("sensor", "connect", TWO_NAMES, "", N, connect, 0, "between two points: distance"),
    KEY("sensor", "force", NAME, "", N, force, 0, "on a force element: force, torque, power"),
    KEY("sensor", "coordinate", NAME, "", N, coordinate, 0, "which coordinate of a joint: angle2"),
    ONE_OF("sensor", "component", "x|y|z", "", N, component, 0, "of a vector; all of it if omitted"),
    KEY("sensor", "lag", EXPRESSION, "s", N, lag, 0, "time constant of a first-order sensor, whose state is NAME.lag; NAME.value is what it follows"),
    KEY("sensor", "start", EXPRESSION, "own", N, start, 0, "of the lag; 0 if omitted"),
    KEY("sensor", "range", EXPRESSIONS, "own", N, range, 0, "[lowest, highest] output"),
    REPEAT("sensor"),
    END
#undef N
};

const dal_key dal_keys_include[] = {
#define I dal_include_trees
    KEY("included model", "file", TITLE, "", I, file, DAL_REQUIRED, "required; a model file, YAML or URDF, in the folder of this one or below it"),
    TREE("included model", "set", "name: expression", "own", I, set, 0, "values for its parameters: constant expressions in the parameters of this model"),
    KEY("included model", "ground", NAME, "", I, ground, 0, "the body or point, with its axes, that is the ground of the included model; the ground if omitted"),
    ONE_OF("included model", "mirror", "x|y|z", "", I, mirror, 0, "the included model is mirrored along this axis of its ground"),
    KEY("included model", "limits", FLAG, "", I, limits, 0, "of a URDF file: true makes the limits of its joints end stops"),
    REPEAT("included model"),
    END
#undef I
};

const dal_key dal_keys_simulate[] = {
#define S dal_simulate_spec
    KEY("simulate", "until", EXPRESSION, "s", S, until, 0, "end of the time"),
    KEY("simulate", "step", EXPRESSION, "s", S, step, 0, "of time"),
    KEY("simulate", "every", EXPRESSION, "s", S, every, 0, "time between recorded rows"),
    KEY("simulate", "rtol", EXPRESSION, "1", S, rtol, 0, "relative tolerance of a controlled step"),
    KEY("simulate", "atol", EXPRESSION, "1", S, atol, 0, "absolute tolerance of a controlled step, in units of the model: of its length for lengths, radians, over its time for rates (1e-10)"),
    KEY("simulate", "max-step", EXPRESSION, "s", S, max_step, 0, "largest controlled step"),
    KEY("simulate", "event-tolerance", EXPRESSION, "s", S, event_tolerance, 0, "to which events are located in time"),
    ONE_OF("simulate", "start", "given|equilibrium", "", S, start, 0, "where the run starts: where the start values place the bodies; or at rest in the static equilibrium that is found from there; given if omitted"),
    KEY("simulate", "undetermined", UNDETERMINED, "own", S, undetermined, 0, "accelerations that neither inertia nor constraints determine: refused; or the balance of the forces there is derived and taken as a constraint; or the least ones are taken, with eta those nearest to it: one expression for each velocity; refuse if omitted"),
    KEY("simulate", "coordinates", CHOICE, "", S, coordinates, 0, "family of coordinates"),
    KEY("simulate", "formulation", CHOICE, "", S, formulation, 0, "of the equations of motion"),
    KEY("simulate", "stabilization", CHOICE, "", S, stabilization, 0, "how the constraints are held"),
    KEY("simulate", "integrator", CHOICE, "", S, integrator, 0, "of time"),
    KEY("simulate", "compile", FLAG, "", S, compile, 0, "true: runs evaluate by code that is generated and compiled for the model"),
    END
#undef S
};

const dal_key dal_keys_record[] = {
    KEY("column", "value", EXPRESSION, "own", dal_record_spec, value, DAL_REQUIRED, "required; any expression of channels"),
    KEY("column", "unit", TITLE, "", dal_record_spec, unit, 0, "of the value as it is written, for headings and axes: nothing is converted; inferred if omitted"),
    END
};

const dal_key dal_keys_view[] = {
#define V dal_view_spec
    KEY("view", "traces", NAMES, "", V, traces, 0, "points or bodies whose paths are drawn"),
    KEY("view", "plots", GROUPS, "own", V, plots, 0, "the plots, each a list of recorded columns of one unit; without it the page plots what 'record' lists"),
    KEY("view", "camera", EXPRESSIONS, "1", V, camera, 0, "three numbers: the direction from the mechanism to the eye, world axes; a planar model is then seen in 3D"),
    KEY("view", "zoom", EXPRESSION, "1", V, zoom, 0, "2: everything appears twice as large as when the whole motion fits"),
    KEY("view", "focus", NAME, "", V, focus, 0, "a body that the camera is directed at"),
    KEY_("view", "colors", "body: color", "", VALUES, 0, offsetof(V, colors), NULL, "colors of bodies, as in 'shape'"),
    KEY("view", "hidden", NAMES, "", V, hidden, 0, "bodies, or ground, that are not drawn until the reader shows them"),
    KEY("view", "transparent", NAMES, "", V, transparent, 0, "bodies that are drawn transparent"),
    END
#undef V
};
/* clang-format on */

const dal_key_doc *dal_spec_key(int index)
{
    static const dal_key *const sections[] = {
        dal_keys_model,      dal_keys_definition,  dal_keys_ground,     dal_keys_pose,    dal_keys_armature,   dal_keys_body,       dal_keys_shape,
        dal_keys_point,      dal_keys_orientation, dal_keys_quaternion, dal_keys_inertia, dal_keys_value,      dal_keys_velocity,   dal_keys_joint,
        dal_keys_joint_type, dal_keys_start,       dal_keys_friction,   dal_keys_force,   dal_keys_coordinate, dal_keys_constraint, dal_keys_system,
        dal_keys_lagrangian, dal_keys_table,       dal_keys_input,      dal_keys_state,   dal_keys_block,      dal_keys_sensor,     dal_keys_include,
        dal_keys_simulate,   dal_keys_record,      dal_keys_view};
    if (index < 0)
        return NULL;
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++)
        for (const dal_key *key = sections[i]; key->doc.key; key++)
            if (index-- == 0)
                return &key->doc;
    return NULL;
}
