/* Every built-in joint, written again as vector equations in a model file, is the same joint: the same rows, Jacobian, gamma and reactions at
 * random states, in every family. Over the list of joints: one without a twin fails. */
#include "gallery.h"
#include "dynamics/reactions.h"
#include "joint/joint.h"

typedef struct twin {
    const char *type;
    unsigned space;        /* DAL_IN_PLANE or DAL_IN_SPACE */
    const char *keys;      /* of the built-in joint */
    const char *axis;      /* of the twin */
    const char *equations; /* in the order of the rows */
    const char *connect;   /* of the twin; NULL: the two points */
    const char *base;      /* joints that both models have */
    bool shifted;          /* the built-in one takes a constant from the start: phi differs by it */
} twin;

#define AXES "axis: [[0.3, -0.5, 0.8], [0.45, 0.2, 0.7]]"
#define AXIS "axis: [0.83, -0.41]"
#define ROLLING "normal: [0.1, -0.2, 0.9], axis: [0.25, 0.9, 0.15], radius: 0.62"
#define ROLLING_TWIN "axis: [[0.1, -0.2, 0.9], [0.25, 0.9, 0.15]]"
#define HINGES "A: {type: revolute, connect: [f.P, s.Q]}, B: {type: prismatic, connect: [f.P2, u.Q], axis: [0.83, -0.41]}, "
#define PINS "A: {type: revolute, connect: [f.P, s.Q]}, B: {type: revolute, connect: [f.P2, u.Q]}, "

#define HINGES_IN_SPACE(second) "A: {type: revolute, connect: [f.Px, s.Qx]}, B: {type: " second ", connect: [f.P2x, u.Qx]}, "

/* Angles are those of frames, here of points with axes: revolute joints in the plane have the axes of their bodies, and so
 * have the points Px, P2x and Qx there. */

/* Rolling: ((N - M) . t)' - r sum over axes f of the second body of (f . n) (f . t)'. */
#define SLIP_2(r, n, t) "\"dot(N - M, " t ")' - " r "*(dot(xj, " n ")*dot(xj, " t ")' + dot(yj, " n ")*dot(yj, " t ")')\""
#define SLIP_3(r, n, t)                                                                                                                              \
    "\"dot(N - M, " t ")' - " r "*(dot(xj, " n ")*dot(xj, " t ")' + dot(yj, " n ")*dot(yj, " t ")' + dot(zj, " n ")*dot(zj, " t ")')\""
#define SINE "sqrt(dot(xj, zi)^2 + dot(yj, zi)^2)"

/* clang-format off */
static const twin twins[] = {
    {"revolute", DAL_IN_PLANE, "", "", "N - M", NULL, "", false},
    {"prismatic", DAL_IN_PLANE, AXIS, AXIS, "\"dot(N - M, yi)\", \"dot(yi, xj)\"", NULL, "", false},
    {"rigid", DAL_IN_PLANE, "", "", "N - M, \"dot(yi, xj)\"", NULL, "", false},
    {"distance", DAL_IN_PLANE, "length: 0.77", "", "\"(dot(N - M, N - M) - 0.77^2)/(2*0.77)\"", NULL, "", false},
    {"pin-in-slot", DAL_IN_PLANE, AXIS, AXIS, "\"dot(N - M, yi)\"", NULL, "", false},
    {"rolling-disc", DAL_IN_PLANE, "normal: [0.41, 0.83], radius: 0.62", AXIS, "\"dot(N - M, yi) - 0.62\", " SLIP_2("0.62", "yi", "xi"), NULL, "", false},
    {"rolling-ball", DAL_IN_PLANE, "normal: [0.41, 0.83], radius: 0.62", AXIS, "\"dot(N - M, yi) - 0.62\", " SLIP_2("0.62", "yi", "xi"), NULL, "", false},
    {"skate", DAL_IN_PLANE, AXIS, "axis: [[1, 0], [0.83, -0.41]]", "\"dot(N - M, yi)'*dot(xj, xi) - dot(N - M, xi)'*dot(xj, yi)\"", NULL, "", false},
    {"gear", DAL_IN_PLANE, "joints: [A, B], ratio: -1.7", "", "\"angle + 1.7*angle_ik\"", "f.P2x, u.Qx, s.Qx", PINS, true},
    {"rack-and-pinion", DAL_IN_PLANE, "joints: [A, B], radius: 0.37", "", "\"dot(N - M, 0.83*xi - 0.41*yi)/sqrt(0.83^2 + 0.41^2) - 0.37*angle_ik\"", "f.P2x, u.Qx, s.Qx", HINGES, true},
    {"driven", DAL_IN_PLANE, "joint: A, value: 0.3 + sin(1.3*t)", "", "\"angle - 0.3 - sin(1.3*t)\"", "f.Px, s.Qx", PINS, true},
    {"lock", DAL_IN_PLANE, "joint: A, value: 0.3", "", "angle - 0.3", "f.Px, s.Qx", PINS, true},

    {"revolute", DAL_IN_SPACE, AXES, AXES, "N - M, \"dot(xi, zj)\", \"dot(yi, zj)\"", NULL, "", false},
    {"prismatic", DAL_IN_SPACE, AXES, AXES, "\"dot(N - M, xi)\", \"dot(N - M, yi)\", \"dot(yi, xj)\", \"dot(zi, yj)\", \"dot(xi, zj)\"", NULL, "", false},
    {"cylindrical", DAL_IN_SPACE, AXES, AXES, "\"dot(xi, zj)\", \"dot(yi, zj)\", \"dot(N - M, xi)\", \"dot(N - M, yi)\"", NULL, "", false},
    {"spherical", DAL_IN_SPACE, "", "", "N - M", NULL, "", false},
    {"universal", DAL_IN_SPACE, AXES, AXES, "N - M, \"dot(zi, zj)\"", NULL, "", false},
    {"planar", DAL_IN_SPACE, AXES, AXES, "\"dot(N - M, zi)\", \"dot(xi, zj)\", \"dot(yi, zj)\"", NULL, "", false},
    {"rigid", DAL_IN_SPACE, "", "", "N - M, \"dot(yi, xj)\", \"dot(zi, yj)\", \"dot(xi, zj)\"", NULL, "", false},
    {"distance", DAL_IN_SPACE, "length: 0.77", "", "\"(dot(N - M, N - M) - 0.77^2)/(2*0.77)\"", NULL, "", false},
    {"point-on-line", DAL_IN_SPACE, AXES, AXES, "\"dot(N - M, xi)\", \"dot(N - M, yi)\"", NULL, "", false},
    {"point-on-plane", DAL_IN_SPACE, AXES, AXES, "\"dot(N - M, zi)\"", NULL, "", false},
    {"parallel", DAL_IN_SPACE, AXES, AXES, "\"dot(xi, zj)\", \"dot(yi, zj)\"", NULL, "", false},
    {"perpendicular", DAL_IN_SPACE, AXES, AXES, "\"dot(zi, zj)\"", NULL, "", false},
    {"screw", DAL_IN_SPACE, AXES ", pitch: 0.3", AXES,
     "\"dot(xi, zj)\", \"dot(yi, zj)\", \"dot(N - M, xi)\", \"dot(N - M, yi)\", \"dot(N - M, zi) - 0.3/(2*pi)*angle\"", NULL, "", true},
    {"gear", DAL_IN_SPACE, "joints: [A, B], ratio: -1.7", "", "\"angle + 1.7*angle_ik\"", "f.P2x, u.Qx, s.Qx", HINGES_IN_SPACE("revolute"), true},
    {"rack-and-pinion", DAL_IN_SPACE, "joints: [A, B], radius: 0.37", "", "\"dot(N - M, zi) - 0.37*angle_ik\"", "f.P2x, u.Qx, s.Qx", HINGES_IN_SPACE("cylindrical"), true},
    {"driven", DAL_IN_SPACE, "joint: A, value: 0.3 + sin(1.3*t)", "", "\"angle - 0.3 - sin(1.3*t)\"", "f.Px, s.Qx", HINGES_IN_SPACE("revolute"), true},
    {"lock", DAL_IN_SPACE, "joint: A, value: 0.3", "", "angle - 0.3", "f.Px, s.Qx", HINGES_IN_SPACE("revolute"), true},
    {"rolling-disc", DAL_IN_SPACE, ROLLING, ROLLING_TWIN,
     "\"dot(N - M, zi) - 0.62*" SINE "\", " SLIP_2("0.62/" SINE, "zi", "xi") ", " SLIP_2("0.62/" SINE, "zi", "yi"), NULL, "", false},
    {"rolling-wheel", DAL_IN_SPACE, ROLLING, ROLLING_TWIN,
     "\"dot(N - M, zi) - 0.62\", \"dot(zi, zj)\", " SLIP_2("0.62", "zi", "xi") ", " SLIP_2("0.62", "zi", "yi"), NULL, "", false},
    {"rolling-ball", DAL_IN_SPACE, "normal: [0.1, -0.2, 0.9], radius: 0.62", "axis: [0.1, -0.2, 0.9]",
     "\"dot(N - M, zi) - 0.62\", " SLIP_3("0.62", "zi", "xi") ", " SLIP_3("0.62", "zi", "yi"), NULL, "", false},
    {"skate", DAL_IN_SPACE, "normal: [0.1, -0.2, 0.9], axis: [0.25, 0.9, 0.15]", ROLLING_TWIN,
     "\"dot(N - M, zi)\", \"(dot(N - M, yi)'*dot(zj, xi) - dot(N - M, xi)'*dot(zj, yi))/sqrt(dot(zj, xi)^2 + dot(zj, yi)^2)\"", NULL, "", false},
};
/* clang-format on */

/* ---- models ------------------------------------------------------------------------- */

static const char planar_bodies[] =
    "bodies:\n"
    "  f: {mass: 1.37, inertia: 0.41, center: [0.11, -0.07], position: [0.21, -0.34], angle: 0.37, points: {P: [0.43, "
    "0.27], P2: [-0.36, 0.52], Px: {at: [0.43, 0.27], x: [1, 0]}, P2x: {at: [-0.36, 0.52], x: [1, 0]}}}\n"
    "  s: {mass: 0.618, inertia: 0.29, center: [-0.05, 0.13], position: [0.81, 0.42], angle: -0.23, points: {Q: "
    "[-0.31, 0.22], Qx: {at: [-0.31, 0.22], x: [1, 0]}}}\n"
    "  u: {mass: 0.83, inertia: 0.19, center: [0.03, 0.17], position: [-0.63, 0.55], angle: 0.71, points: {Q: [0.27, "
    "-0.18], Qx: {at: [0.27, -0.18], x: [1, 0]}}}\n";
static const char planar_own[] = "coordinates: {x1: 0.21, y1: -0.34, a1: 0.37, x2: 0.81, y2: 0.42, a2: -0.23, x3: -0.63, y3: 0.55, a3: 0.71}\n"
                                 "bodies:\n"
                                 "  f: {mass: 1.37, inertia: 0.41, center: [0.11, -0.07], position: [x1, y1], angle: a1, points: {P: [0.43, 0.27], "
                                 "P2: [-0.36, 0.52], Px: {at: [0.43, 0.27], x: [1, 0]}, P2x: {at: [-0.36, 0.52], x: [1, 0]}}}\n"
                                 "  s: {mass: 0.618, inertia: 0.29, center: [-0.05, 0.13], position: [x2, y2], angle: a2, points: {Q: [-0.31, "
                                 "0.22], Qx: {at: [-0.31, 0.22], x: [1, 0]}}}\n"
                                 "  u: {mass: 0.83, inertia: 0.19, center: [0.03, 0.17], position: [x3, y3], angle: a3, points: {Q: [0.27, -0.18], "
                                 "Qx: {at: [0.27, -0.18], x: [1, 0]}}}\n";
static const char spatial_bodies[] =
    "bodies:\n"
    "  f: {mass: 1.37, inertia: [0.41, 0.53, 0.37], center: [0.11, -0.07, 0.05], position: [0.21, -0.34, 0.17], "
    "orientation: {euler-zyx: [0.3, -0.2, 0.4]}, points: {P: [0.43, 0.27, -0.12], Px: {at: [0.43, 0.27, -0.12], x: "
    "[0.6, 0.2, -0.3], z: [0.3, -0.5, 0.4]}, P2x: {at: [-0.36, 0.52, 0.2], x: [0.6, 0.2, -0.3], z: [0.3, -0.5, "
    "0.4]}}}\n"
    "  s: {mass: 0.618, inertia: [0.29, 0.24, 0.33], center: [-0.05, 0.13, 0.08], position: [0.81, 0.42, 0.36], "
    "orientation: {euler-zyx: [0.5, 0.1, 0.2]}, points: {Q: [-0.31, 0.22, 0.14], Qx: {at: [-0.31, 0.22, 0.14], x: "
    "[-0.2, 0.7, 0.1], z: [0.45, 0.2, 0.7]}}}\n"
    "  u: {mass: 0.83, inertia: [0.19, 0.31, 0.27], center: [0.03, 0.17, -0.11], position: [-0.63, 0.55, -0.21], "
    "orientation: {euler-zyx: [0.2, 0.3, -0.1]}, points: {Qx: {at: [0.27, -0.18, 0.33], x: [-0.2, 0.7, 0.1], z: [0.45, "
    "0.2, 0.7]}}}\n";
static const char spatial_own[] = "coordinates: {x1: 0.21, y1: -0.34, z1: 0.17, a1: 0.3, b1: -0.2, c1: 0.4, x2: 0.81, y2: 0.42, z2: 0.36, a2: 0.5, "
                                  "b2: 0.1, c2: 0.2, "
                                  "x3: -0.63, y3: 0.55, z3: -0.21, a3: 0.2, b3: 0.3, c3: -0.1}\n"
                                  "bodies:\n"
                                  "  f: {mass: 1.37, inertia: [0.41, 0.53, 0.37], center: [0.11, -0.07, 0.05], position: [x1, y1, z1], orientation: "
                                  "{euler-zyx: [a1, b1, c1]}, points: {P: [0.43, 0.27, -0.12], Px: {at: [0.43, 0.27, -0.12], x: [0.6, 0.2, -0.3], z: "
                                  "[0.3, -0.5, 0.4]}, P2x: {at: [-0.36, 0.52, 0.2], x: [0.6, 0.2, -0.3], z: [0.3, -0.5, 0.4]}}}\n"
                                  "  s: {mass: 0.618, inertia: [0.29, 0.24, 0.33], center: [-0.05, 0.13, 0.08], position: [x2, y2, z2], orientation: "
                                  "{euler-zyx: [a2, b2, c2]}, points: {Q: [-0.31, 0.22, 0.14], Qx: {at: [-0.31, 0.22, 0.14], x: [-0.2, 0.7, 0.1], z: "
                                  "[0.45, 0.2, 0.7]}}}\n"
                                  "  u: {mass: 0.83, inertia: [0.19, 0.31, 0.27], center: [0.03, 0.17, -0.11], position: [x3, y3, z3], orientation: "
                                  "{euler-zyx: [a3, b3, c3]}, points: {Qx: {at: [0.27, -0.18, 0.33], x: [-0.2, 0.7, 0.1], z: [0.45, 0.2, 0.7]}}}\n";

static void write_model(const twin *t, bool written, bool own, char text[8000])
{
    const bool planar = t->space == DAL_IN_PLANE;
    const bool coupling = dal_joint_type_find(t->type)->class == DAL_JOINT_COUPLING;
    char joint[1000];
    if (written)
        snprintf(joint, sizeof joint, "{type: again, connect: [%s]%s%s}", t->connect ? t->connect : "f.P, s.Q", *t->axis ? ", " : "", t->axis);
    else
        snprintf(joint, sizeof joint, "{type: %s%s%s%s}", t->type, coupling ? "" : ", connect: [f.P, s.Q], cut: true", *t->keys ? ", " : "", t->keys);
    snprintf(text, 8000,
             "dalembert: 1\nspace: %s\ngravity: [0.7, -9.1%s]\njoint-types: {again: {equations: [%s]}}\n%sjoints: "
             "{%sJ: %s}\n",
             planar ? "planar" : "spatial", planar ? "" : ", 1.3", t->equations,
             planar ? (own ? planar_own : planar_bodies)
             : own  ? spatial_own
                    : spatial_bodies,
             t->base, joint);
}

/* NULL: refused, with the first error in `why`. */
static dal_state *compile(const char *text, const char *family, dal_system **system, char why[1024])
{
    dal_messages *messages = dal_messages_create(NULL);
    dal_spec *spec = NULL;
    *system = NULL;
    snprintf(why, 1024, "?");
    if (dal_spec_parse(NULL, "text", text, strlen(text), 0, NULL, messages, &spec) == DAL_OK) {
        dal_spec_set(spec, "coordinates", family, messages);
        dal_compile(NULL, spec, messages, system);
    }
    for (const dal_message *m = dal_messages_first(messages); m && !*system; m = m->next)
        if (m->severity == DAL_ERROR) {
            snprintf(why, 1024, "%s", m->text);
            break;
        }
    dal_spec_free(spec);
    dal_messages_free(messages);
    return *system ? dal_state_create(NULL, *system) : NULL;
}

/* ---- comparison ------------------------------------------------------------------------- */

static void entries_of(const dal_state *state, int row, double *dense)
{
    const dal_layout *layout = &state->system->layout;
    memset(dense, 0, sizeof *dense * (size_t)layout->nv);
    for (int k = layout->row[row].value; k < layout->row[row].value + layout->row[row].n_values; k++)
        dense[layout->column[k]] += state->work.A[k];
}

static void same_rows(const dal_state *built_in, const dal_state *written, const twin *t)
{
    const dal_layout *layout = &built_in->system->layout;
    double a[64], b[64], size = 1, gamma = 1;
    assert_true(layout->nv <= 64);
    assert_int_equal(layout->n_extrinsic, written->system->layout.n_extrinsic);
    for (int i = 0; i < layout->n_extrinsic; i++)
        gamma = fmax(gamma, fabs(built_in->work.gamma[i]));
    for (int i = 0; i < layout->n_extrinsic; i++) {
        entries_of(built_in, i, a);
        entries_of(written, i, b);
        for (int k = 0; k < layout->nv; k++)
            size = fmax(size, fabs(a[k]));
        for (int k = 0; k < layout->nv; k++)
            check_close(a[k], b[k], 1e-13 * size);
        check_close(built_in->work.gamma[i], written->work.gamma[i], 1e-13 * gamma);
        check_close(built_in->work.phid[i], written->work.phid[i], 1e-13 * fmax(1, fabs(built_in->work.phid[i])));
        if (!t->shifted)
            check_close(built_in->work.phi[i], written->work.phi[i], 1e-13);
    }
}

static void same_reactions(dal_state *built_in, dal_state *written)
{
    double size = 1;
    assert_int_equal(dal_state_accelerate(built_in), 0);
    assert_int_equal(dal_state_accelerate(written), 0);
    dal_need(built_in, DAL_STAGE_REACTIONS);
    dal_need(written, DAL_STAGE_REACTIONS);
    const int n = 6 * built_in->system->mechanism.n_joints;
    for (int k = 0; k < n; k++)
        size = fmax(size, fabs(built_in->reactions->wrench[k]));
    for (int k = 0; k < n; k++)
        check_close(built_in->reactions->wrench[k], written->reactions->wrench[k], 1e-13 * size);
}

/* Any positions and velocities; nothing has to be consistent. */
static void random_state(dal_state *built_in, dal_state *written, uint64_t *seed)
{
    const dal_layout *layout = &built_in->system->layout;
    double dv[64];
    dal_state_reset(built_in);
    dal_state_reset(written);
    dal_state_set_time(built_in, 0.37);
    dal_state_set_time(written, 0.37);
    memcpy(built_in->work.q, built_in->y, sizeof(double) * (size_t)layout->nq);
    for (int k = 0; k < layout->nv; k++) {
        dv[k] = 0.15 * check_random(seed);
        built_in->work.v[k] = 2 * check_random(seed);
    }
    layout->family->add(layout, built_in->work.q, dv);
    memcpy(written->work.q, built_in->work.q, sizeof(double) * (size_t)layout->nq);
    memcpy(written->work.v, built_in->work.v, sizeof(double) * (size_t)layout->nv);
    memcpy(written->work.chart, built_in->work.chart, sizeof(int) * 3 * (size_t)layout->mechanism->n_bodies);
    gallery_adopt(built_in);
    gallery_adopt(written);
}

/* False: the family does not take the model, in either form. */
static bool compare(const twin *t, const char *family)
{
    char text[8000], why[1024];
    const bool own = !strcmp(family, "user");
    dal_system *systems[2];
    uint64_t seed = 5;
    write_model(t, false, own, text);
    dal_state *built_in = compile(text, family, &systems[0], why);
    write_model(t, true, own, text);
    dal_state *written = compile(text, family, &systems[1], why);
    if (!written && built_in)
        fail_msg("%s, %s: %s\n%s", t->type, family, why, text);
    for (int round = 0; round < (check_chosen(1, 2) ? 5 : 2) && built_in; round++) {
        random_state(built_in, written, &seed);
        same_rows(built_in, written, t);
        same_reactions(built_in, written);
    }
    for (int k = 0; k < 2; k++) {
        dal_state_free(k ? written : built_in);
        dal_system_free(systems[k]);
    }
    return built_in != NULL;
}

static const twin *find_twin(const char *type, unsigned space)
{
    for (size_t i = 0; i < sizeof twins / sizeof *twins; i++)
        if (twins[i].space == space && !strcmp(twins[i].type, type))
            return &twins[i];
    return NULL;
}

static void compare_all(unsigned space, int families_expected)
{
    for (int i = 0; dal_joint_types[i]; i++) {
        if (!(dal_joint_types[i]->spaces & space))
            continue;
        const twin *t = find_twin(dal_joint_types[i]->name, space);
        int families = 0;
        if (!t)
            fail_msg("joint type %s has no twin in a %s model: write it as equations", dal_joint_types[i]->name,
                     space == DAL_IN_PLANE ? "planar" : "spatial");
        for (int k = 0; gallery_families[k]; k++)
            families += compare(t, gallery_families[k]->name);
        if (families != families_expected)
            fail_msg("%s: %d families", t->type, families);
    }
}

static void every_planar_joint_equals_its_equations_in_every_family(void **state)
{
    (void)state;
    compare_all(DAL_IN_PLANE, 6);
}

static void every_spatial_joint_equals_its_equations_in_every_family(void **state)
{
    (void)state;
    compare_all(DAL_IN_SPACE, 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_planar_joint_equals_its_equations_in_every_family),
        cmocka_unit_test(every_spatial_joint_equals_its_equations_in_every_family),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
