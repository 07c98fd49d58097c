/* Mechanisms that close in several ways: which one assembly took, what else there is, and how a model chooses. The closed form of a
 * four-bar is the intersection of two circles. */
#include "text_runs.h"

#include <stdlib.h>
#include <unistd.h>

static const double deg = 3.14159265358979323846 / 180;

/* ---- what is said ------------------------------------------------------------------- */

typedef struct outcome {
    bool ok;
    int warnings, notes; /* warnings: of the kind start-moved */
    double number;       /* of the first of them */
    char text[6000], first[1200], error[600];
    int line, column; /* of the error */
    double value[12]; /* the first row */
} outcome;

static dal_status keep_first(void *user, int n, const double *values)
{
    outcome *o = user;
    if (values[0] == 0)
        memcpy(o->value, values + 1, sizeof *values * (size_t)(n - 1 < 12 ? n - 1 : 12));
    return DAL_OK;
}

static dal_status need_nothing(void *user, const dal_system_info *info, int n, const dal_column *columns)
{
    (void)user, (void)info, (void)n, (void)columns;
    return DAL_OK;
}

static outcome start_file(const char *path, const char *text)
{
    outcome o = {0};
    dal_messages *messages = dal_messages_create(NULL);
    dal_spec *spec = NULL;
    dal_system *system = NULL;
    dal_evidence evidence;
    const dal_sink sink = {&o, need_nothing, keep_first};
    const dal_run_options options = {.sink = &sink};
    dal_status status =
        text ? dal_spec_parse(NULL, "text.yaml", text, strlen(text), 0, NULL, messages, &spec) : dal_spec_read(NULL, path, 0, NULL, messages, &spec);
    o.ok = status == DAL_OK && dal_compile(NULL, spec, messages, &system) == DAL_OK && dal_run(system, &options, messages, &evidence) == DAL_OK;
    for (const dal_message *m = dal_messages_first(messages); m; m = m->next) {
        size_t used = strlen(o.text);
        snprintf(o.text + used, sizeof o.text - used, "%s\n", m->text);
        o.notes += m->severity == DAL_NOTE;
        if (m->severity == DAL_ERROR && !*o.error) {
            snprintf(o.error, sizeof o.error, "%s", m->text);
            o.line = m->mark.line, o.column = m->mark.column;
        }
        if (m->severity != DAL_WARNING || strcmp(m->code, "start-moved"))
            continue;
        if (!o.warnings++) {
            o.number = m->number;
            snprintf(o.first, sizeof o.first, "%s", m->text);
        }
    }
    dal_system_free(system);
    dal_spec_free(spec);
    dal_messages_free(messages);
    return o;
}

static outcome start(const char *text)
{
    outcome o = start_file(NULL, text);
    if (!o.ok && !*o.error)
        fail_msg("it fails without a word:\n%s", text);
    return o;
}

static outcome start_well(const char *text)
{
    outcome o = start(text);
    if (!o.ok)
        fail_msg("%s\n%s", o.error, text);
    return o;
}

static void has(const outcome *o, const char *words)
{
    if (!strstr(o->text, words))
        fail_msg("'%s' is not in: %s", words, o->text);
}

/* ---- a four-bar ----------------------------------------------------------------------- */

/* Crank 0.3, coupler 1, rocker 0.8, the ground 1.2: in lengths of `size`. The crank stands at 60 degrees, and stays there. */
typedef struct four_bar {
    double coupler[2], rocker[2]; /* angles: 0 elbow up, 1 elbow down */
} four_bar;

static four_bar closed_form(void)
{
    four_bar f;
    const double bx = 0.3 * cos(60 * deg), by = 0.3 * sin(60 * deg), dx = 1.2 - bx, dy = -by, d = hypot(dx, dy);
    const double along = atan2(dy, dx), inner = acos((1 + d * d - 0.64) / (2 * d));
    for (int k = 0; k < 2; k++) {
        f.coupler[k] = along + (k ? -inner : inner);
        f.rocker[k] = atan2(by + sin(f.coupler[k]), bx + cos(f.coupler[k]) - 1.2);
    }
    return f;
}

static void write_four_bar(char *text, size_t size, double unit, const char *coupler, const char *rocker, const char *start_of_c)
{
    snprintf(text, size,
             "dalembert: 1\nspace: planar\nparameters: {u: %g}\nground: {points: {D: [1.2*u, 0]}}\nbodies:\n"
             "  crank: {mass: 1, inertia: 0.01*u^2, points: {A: [0, 0], B: [0.3*u, 0]}}\n"
             "  coupler: {mass: 1, inertia: 0.1*u^2, %s points: {B: [0, 0], C: [u, 0]}}\n"
             "  rocker: {mass: 1, inertia: 0.1*u^2, %s points: {D: [0, 0], C: [0.8*u, 0]}}\n"
             "joints:\n  A: {type: revolute, connect: [ground, crank.A], start: {angle: 60*deg, rate: 0, fix: true}}\n"
             "  B: {type: revolute, connect: [crank.B, coupler.B]}\n"
             "  C: {type: revolute, connect: [coupler.C, rocker.C]%s}\n"
             "  D: {type: revolute, connect: [ground.D, rocker.D]}\n"
             "record: [coupler.angle, rocker.angle, C.angle]\nsimulate: {until: 1e-4}\n",
             unit, coupler, rocker, start_of_c);
}

static int branch_of(const outcome *o, const four_bar *f)
{
    for (int k = 0; k < 2; k++)
        if (fabs(remainder(o->value[0] - f->coupler[k], 360 * deg)) < 1e-9 && fabs(remainder(o->value[1] - f->rocker[k], 360 * deg)) < 1e-9)
            return k;
    fail_msg("coupler at %g, rocker at %g: neither %g, %g nor %g, %g", o->value[0], o->value[1], f->coupler[0], f->rocker[0], f->coupler[1],
             f->rocker[1]);
    return -1;
}

/* The number behind "turned by 0.6 rad, to " in what is said about another position. */
static double other_angle(const outcome *o)
{
    const char *found = strstr(o->first, "also closes with");
    found = found ? strstr(found, ", to ") : NULL;
    if (!found) {
        fail_msg("no other angle in '%s'", o->first);
        return 0;
    }
    return strtod(found + 5, NULL);
}

/* Given angles from all around: every turn of more than 0.5 rad is a warning with the angle of the other branch, every smaller one none.
 * In metres, in millimetres and in kilometres. */
static void what_moves_far_is_a_warning_that_names_the_other_branch(void **unused)
{
    const four_bar f = closed_form();
    int far = 0, near = 0, nearer = 0;
    (void)unused;
    for (int i = 0; i < 48; i++) {
        char text[2000], coupler[80], rocker[80];
        const double c = -170 + 360 * (i % 8) / 8.0, r = -160 + 360 * (i / 8) / 6.0;
        snprintf(coupler, sizeof coupler, "angle: %.17g,", c * deg);
        snprintf(rocker, sizeof rocker, "angle: %.17g,", r * deg);
        write_four_bar(text, sizeof text, i % 3 == 0 ? 1 : i % 3 == 1 ? 1e-3 : 1e3, coupler, rocker, "");
        outcome o = start(text);
        if (!o.ok)
            continue; /* too far off to close at all: an error, which is said */
        const int k = branch_of(&o, &f);
        const double turn[2] = {fabs(remainder(f.coupler[k] - c * deg, 360 * deg)), fabs(remainder(f.rocker[k] - r * deg, 360 * deg))};
        assert_int_equal(o.warnings, (turn[0] > 0.5) + (turn[1] > 0.5));
        if (!o.warnings) {
            near++;
            continue;
        }
        far++;
        nearer += strstr(o.first, "nearer to") != NULL;
        check_close(o.number, turn[0] > 0.5 ? turn[0] : turn[1], 1e-9);
        check_small(remainder(other_angle(&o) - (turn[0] > 0.5 ? f.coupler : f.rocker)[1 - k], 360 * deg), 1e-3); /* four digits */
    }
    assert_true(far >= 20 && near >= 1 && nearer >= 1);
}

static void a_start_chooses_its_branch(void **unused)
{
    const four_bar f = closed_form();
    (void)unused;
    for (int k = 0; k < 2; k++)
        for (int given = 0; given < 3; given++) {
            static const char *const couplers[] = {"", "angle: 100*deg,", "angle: -130*deg,"}, *const rockers[] = {"", "angle: -60*deg,",
                                                                                                                   "angle: 20*deg,"};
            const double C = remainder(f.rocker[k] - f.coupler[k], 360 * deg);
            char text[2000], choice[160];
            snprintf(choice, sizeof choice, ", start: {angle: %.17g, branch: near}", C + 0.4);
            write_four_bar(text, sizeof text, 1, couplers[given], rockers[given], choice);
            outcome near = start_well(text);
            assert_int_equal(branch_of(&near, &f), k);
            check_close(near.value[2], C, 1e-9);
            snprintf(choice, sizeof choice, ", start: {angle: %.17g, within: 40*deg}", C - 0.3);
            write_four_bar(text, sizeof text, 1, couplers[given], rockers[given], choice);
            outcome within = start_well(text);
            assert_int_equal(branch_of(&within, &f), k);
            assert_int_equal(near.warnings + within.warnings, 0); /* it was asked for */
        }
}

/* Of two branches the other one is the one that is not reached without it; `near` without a value is the nearest to all that is given. */
static void other_is_the_branch_that_is_not_reached(void **unused)
{
    const four_bar f = closed_form();
    (void)unused;
    for (int i = 0; i < 6; i++) {
        char text[2000], coupler[80], rocker[80];
        snprintf(coupler, sizeof coupler, "angle: %d*deg,", -150 + 60 * i);
        snprintf(rocker, sizeof rocker, "angle: %d*deg,", 100 - 30 * i);
        write_four_bar(text, sizeof text, 1, coupler, rocker, "");
        outcome plain = start_well(text);
        const int k = branch_of(&plain, &f);
        write_four_bar(text, sizeof text, 1, coupler, rocker, ", start: {branch: other}");
        outcome other = start_well(text);
        assert_int_equal(branch_of(&other, &f), 1 - k);
        write_four_bar(text, sizeof text, 1, coupler, rocker, ", start: {branch: near}");
        outcome near = start_well(text);
        const bool was_nearest = !strstr(plain.text, "nearer to");
        assert_int_equal(branch_of(&near, &f), was_nearest ? k : 1 - k);
    }
}

static void a_bound_that_cannot_be_met_is_refused_in_its_place(void **unused)
{
    char text[2000];
    (void)unused;
    write_four_bar(text, sizeof text, 1, "", "", ", start: {angle: 170*deg, within: 10*deg}");
    outcome o = start(text);
    assert_false(o.ok);
    has(&o, "joint 'C' cannot start within 0.1745 rad of 2.967 rad: in the positions that were found it is at ");
    assert_int_equal(o.line, 12);
    assert_true(o.column > 40);
    write_four_bar(text, sizeof text, 1, "", "", ", start: {angle: 1, within: -0.1}");
    o = start(text);
    has(&o, "the bound of the start of joint 'C' has to be positive, not -0.1");
    write_four_bar(text, sizeof text, 1, "", "", ", start: {within: 0.1}");
    o = start(text);
    has(&o, "gives 'within' and nothing to stay near: give 'angle' or 'distance'");
    write_four_bar(text, sizeof text, 1, "", "", ", start: {branch: nearest}");
    o = start(text);
    has(&o, "needs near or other; 'nearest' was found");
}

/* An open chain closes everywhere: there is no other branch to take. */
static void where_there_is_no_other_branch_it_is_said(void **unused)
{
    (void)unused;
    outcome o =
        start("dalembert: 1\nspace: planar\nbodies: {rod: {mass: 1, inertia: 0.1, position: [0.5, 0], angle: 0, fix: true, points: {A: [-0.5, 0]}}}\n"
              "joints: {A: {type: revolute, connect: [ground, rod.A], start: {branch: other}}}\nsimulate: {until: 1e-4}\n");
    assert_false(o.ok);
    has(&o, "joint 'A' asks for another branch: no other position was found in which the mechanism closes");
}

/* Where freedoms are left, positions form a continuum: what a motion of the mechanism leads to is no other branch. */
static void what_lies_on_one_curve_is_no_other_branch(void **unused)
{
    (void)unused;
    static const char *const texts[] = {
        /* a chain of two whose places contradict its hinges: every angle is as near */
        "dalembert: 1\nspace: spatial\nbodies:\n  b: {mass: 1.3, inertia: [1e-3, 1e-3, 1e-3], position: [0.1, 0, 0]}\n"
        "  c: {mass: 1.3, inertia: [1e-3, 1e-3, 1e-3], position: [0.3, 0, 0]}\njoints:\n"
        "  A: {type: revolute, connect: [ground, b], axis: [0, 1, 0]}\n  B: {type: revolute, connect: [b, c], axis: [0, 1, 0]}\n"
        "simulate: {until: 1e-4}\n",
        /* a ball joint */
        "dalembert: 1\nspace: spatial\nbodies: {b: {mass: 1, inertia: [1, 1, 1], position: [2, 0, 0]}}\n"
        "joints: {A: {type: spherical, connect: [ground, b]}}\nsimulate: {until: 1e-4}\n",
        /* coordinates of the model's own: a bead on a ring, with what comes nearer slowly */
        "dalembert: 1\nspace: planar\ncoordinates: {x: {start: 0.3}, y: {start: 0.02}}\nbodies: {a: {mass: 1, position: [x, y]}}\n"
        "constraints: {c: {position: 'x^2/9 + y^2 - 1'}}\nsimulate: {until: 1e-4}\n",
        /* a pendulum */
        "dalembert: 1\nspace: planar\nbodies: {b: {mass: 1, inertia: 1, position: [3, 1], points: {O: [-1, 0]}}}\n"
        "joints: {A: {type: revolute, connect: [ground, b.O]}}\nsimulate: {until: 1e-4}\n"};
    for (int i = 0; i < 4; i++) {
        outcome o = start_well(texts[i]);
        assert_true(o.warnings > 0);
        has(&o, "no other branch was found");
        assert_null(strstr(o.text, "also closes"));
        assert_null(strstr(o.text, "branch: other"));
    }
}

/* What is fixed stays, to the last bit, in whichever branch. */
static void fixed_values_stay_in_every_branch(void **unused)
{
    const four_bar f = closed_form();
    char text[2000];
    (void)unused;
    for (int k = 0; k < 2; k++) {
        write_four_bar(text, sizeof text, 1, "angle: 100*deg,", "position: {value: [1.2, 0], fix: true}, angle: -60*deg,",
                       k ? ", start: {branch: other}" : "");
        char *record = strstr(text, "record: [coupler.angle, rocker.angle, C.angle]");
        memcpy(record, "record: [coupler.angle,rocker.angle, rocker.x]", 46);
        outcome o = start_well(text);
        branch_of(&o, &f);
        check_close(o.value[2], 1.2, 0);
    }
}

/* ---- what counts ------------------------------------------------------------------------ */

/* Nothing that is not written is warned about: bodies without a place, between points, on a joint's start that is kept. */
static void omitted_and_derived_places_are_never_warned_about(void **unused)
{
    char text[2000];
    (void)unused;
    write_four_bar(text, sizeof text, 1, "", "", "");
    assert_int_equal(start_well(text).warnings, 0);
    write_four_bar(text, sizeof text, 1, "between: [crank.B, ground.D],", "", ""); /* and far from there */
    assert_int_equal(start_well(text).warnings, 0);
    /* the second body keeps its angle in the joint while the first one turns by a right angle */
    outcome o = start_well("dalembert: 1\nspace: planar\nbodies:\n"
                           "  a: {mass: 1, inertia: 1, position: [0.5, 0], points: {A: [-0.5, 0], B: [0.5, 0]}}\n  b: {mass: 0.01, inertia: 0.01, "
                           "points: {B: [-0.5, 0]}}\n"
                           "joints:\n  A: {type: revolute, connect: [ground, a.A], drive: 90*deg + 0.1*t}\n  B: {type: revolute, connect: [a.B, "
                           "b.B], start: {angle: 0.2, rate: 0, fix: true}}\n"
                           "record: [a.angle, B.angle]\nsimulate: {until: 1e-4}\n");
    check_close(o.value[0], 90 * deg, 1e-9);
    check_close(o.value[1], 0.2, 1e-9);
    if (strstr(o.text, "'b'") && strstr(o.text, "'b' is moved"))
        fail_msg("%s", o.text);
}

/* A slider that is given a crank and a rod length away from where it can be, as a body and by a joint's start: shifts. */
static void a_shift_of_a_quarter_of_the_length_is_far(void **unused)
{
    static const char *const sliders[] = {"position: [%.17g*u, 0], angle: 0,", ""}, *const starts[] = {"", ", start: {distance: %.17g*u}"};
    (void)unused;
    for (int unit = 0; unit < 3; unit++)
        for (int k = 0; k < 2; k++)
            for (int far = 0; far < 2; far++) {
                char text[2000], slider[100], begin[100];
                const double u = unit == 0 ? 1 : unit == 1 ? 1e-3 : 1e4, at = far ? 1.7 : 1.2;
                snprintf(slider, sizeof slider, sliders[k], at);
                snprintf(begin, sizeof begin, starts[k], at);
                snprintf(text, sizeof text,
                         "dalembert: 1\nspace: planar\nparameters: {u: %g}\nbodies:\n  crank: {mass: 1, inertia: 0.01*u^2, points: {A: [0, 0], B: "
                         "[0.3*u, 0]}}\n"
                         "  rod: {mass: 1e-3, inertia: 1e-3*u^2, points: {B: [0, 0], C: [u, 0]}}\n  slider: {mass: 1, inertia: 0.01*u^2, %s points: "
                         "{C: [0, 0]}}\njoints:\n"
                         "  A: {type: revolute, connect: [ground, crank.A], start: {angle: 60*deg, rate: 0, fix: true}}\n  B: {type: revolute, "
                         "connect: [crank.B, rod.B]}\n"
                         "  C: {type: revolute, connect: [rod.C, slider.C]}\n  S: {type: prismatic, connect: [ground, slider.C], axis: [1, 0]%s}\n"
                         "record: [slider.x]\nsimulate: {until: 1e-4}\n",
                         u, slider, begin);
                outcome o = start_well(text);
                const double right = (0.15 + sqrt(1 - 0.3 * 0.3 * 0.75)) * u, left = (0.15 - sqrt(1 - 0.3 * 0.3 * 0.75)) * u;
                check_close(o.value[0], right, 1e-9 * u);
                assert_int_equal(o.warnings, far);
                if (!far)
                    continue;
                check_close(o.number, (at * u - right) / u, 1e-9); /* the length of the model is that of the rod */
                char words[80];                                    /* the other branch lies on the left */
                snprintf(words, sizeof words, k ? "at %.4g m" : "moved by %.3g m", k ? left : at * u - left);
                has(&o, words);
                has(&o, "further from the given values as a whole; `branch: other`");
            }
}

/* In space: the same four-bar with hinges and a ball joint. */
static void a_linkage_in_space_has_its_other_branch_too(void **unused)
{
    const four_bar f = closed_form();
    static const char *const choices[] = {"", ", start: {branch: other}", ", start: {angle: 100*deg, within: 60*deg}",
                                          ", start: {angle: -120*deg, branch: near}"};
    double reached = 0;
    (void)unused;
    for (int i = 0; i < 4; i++) {
        char text[2500];
        snprintf(text, sizeof text,
                 "dalembert: 1\nspace: spatial\nground: {points: {D: [1.2, 0, 0]}}\nbodies:\n"
                 "  crank: {mass: 1, inertia: [0.01, 0.01, 0.01], points: {A: [0, 0, 0], B: [0.3, 0, 0]}}\n"
                 "  coupler: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [0.15, 0.26, 0], orientation: {axis: [0, 0, 1], angle: -110*deg}, points: "
                 "{B: [0, 0, 0], C: [1, 0, 0]}}\n"
                 "  rocker: {mass: 1, inertia: [0.1, 0.1, 0.1], points: {D: [0, 0, 0], C: [0.8, 0, 0]}}\n"
                 "joints:\n  A: {type: revolute, connect: [ground, crank.A], axis: [0, 0, 1], start: {angle: 60*deg, rate: 0, fix: true}}\n"
                 "  B: {type: revolute, connect: [crank.B, coupler.B], axis: [[0, 0, 1], [0, 0, 1]]}\n  C: {type: spherical, connect: [coupler.C, "
                 "rocker.C]}\n"
                 "  D: {type: revolute, connect: [ground.D, rocker.D], axis: [[0, 0, 1], [0, 0, 1]]%s}\n"
                 "record: [coupler.C.x, coupler.C.y]\nsimulate: {until: 1e-4}\n",
                 choices[i]);
        outcome o = start_well(text);
        const double by = 0.3 * sin(60 * deg), up = by + sin(f.coupler[0]), down = by + sin(f.coupler[1]);
        assert_true(fabs(o.value[1] - up) < 1e-9 || fabs(o.value[1] - down) < 1e-9);
        assert_int_equal(o.warnings, i == 0); /* -110 degrees are far from both */
        if (i == 0)
            reached = o.value[1];
        if (i == 1)
            assert_true(fabs(o.value[1] - reached) > 0.1);
        if (i == 2)
            check_close(o.value[1], up, 1e-9);
        if (i == 3)
            check_close(o.value[1], down, 1e-9);
    }
}

/* Coordinates of the model's own are warned about, with their other value. */
static void coordinates_of_the_models_own_are_warned_about(void **unused)
{
    const four_bar f = closed_form();
    char text[1500];
    (void)unused;
    for (int k = 0; k < 2; k++) {
        snprintf(text, sizeof text,
                 "dalembert: 1\nspace: planar\ncoordinates: {a: {start: {value: 60*deg, fix: true}, rate: 0}, b: {start: %.17g}, c: {start: "
                 "%.17g}}\nbodies:\n"
                 "  crank: {mass: 1, inertia: 0.01, position: [0, 0], angle: a}\n  coupler: {mass: 1, inertia: 0.1, position: [0.3*cos(a), "
                 "0.3*sin(a)], angle: b, points: {C: [1, 0]}}\n"
                 "  rocker: {mass: 1, inertia: 0.1, position: [1.2, 0], angle: c, points: {C: [0.8, 0]}}\njoints: {C: {type: revolute, connect: "
                 "[coupler.C, rocker.C]}}\n"
                 "record: [b, c]\nsimulate: {until: 1e-4}\n",
                 f.coupler[0] + (k ? -1.5 : 0.1), f.rocker[0] - (k ? 0.3 : 0.1));
        outcome o = start_well(text);
        const int which = branch_of(&o, &f);
        assert_int_equal(o.warnings > 0, k);
        if (!k)
            continue;
        char words[80];
        snprintf(words, sizeof words, "also closes with it at %.4g", f.coupler[1 - which]);
        has(&o, words);
    }
}

/* What is written inside a part counts against the body that the part stands on, wherever that goes. */
static void a_part_that_moves_with_its_host_is_not_warned_about(void **unused)
{
    char folder[] = "/tmp/branches-XXXXXX", part[64], whole[64];
    (void)unused;
    assert_non_null(mkdtemp(folder));
    snprintf(part, sizeof part, "%s/part.yaml", folder);
    snprintf(whole, sizeof whole, "%s/whole.yaml", folder);
    FILE *file = fopen(part, "w");
    fputs("dalembert: 1\nspace: planar\nbodies: {b: {mass: 0.01, inertia: 0.01, position: [0.5, 0], angle: 0.3}}\nground: {points: {P: [0.5, "
          "0]}}\njoints: {J: {type: rigid, connect: [ground.P, b]}}\n",
          file);
    fclose(file);
    file = fopen(whole, "w");
    fputs("dalembert: 1\nspace: planar\nbodies: {host: {mass: 1, inertia: 1, points: {A: [-0.5, 0], M: [0.5, 0]}}}\n"
          "joints: {A: {type: revolute, connect: [ground, host.A], drive: 90*deg + 0.1*t}}\nmodels: {p: {file: ./part.yaml, ground: host.M}}\n"
          "record: [p.b.angle]\nsimulate: {until: 1e-4}\n",
          file);
    fclose(file);
    outcome o = start_file(whole, NULL);
    remove(part);
    remove(whole);
    rmdir(folder);
    if (!o.ok || o.warnings)
        fail_msg("%s", o.text);
}

/* ---- check ------------------------------------------------------------------------------ */

static void check_shows_the_same_warning(void **unused)
{
    char folder[] = "/tmp/branches-XXXXXX", model[64], line[400], out[20000], text[2000];
    (void)unused;
    assert_non_null(mkdtemp(folder));
    snprintf(model, sizeof model, "%s/bar.yaml", folder);
    write_four_bar(text, sizeof text, 1, "angle: -94*deg,", "angle: 16*deg,", "");
    outcome o = start_well(text);
    assert_int_equal(o.warnings, 2);
    FILE *file = fopen(model, "w");
    fputs(text, file);
    fclose(file);
    snprintf(line, sizeof line, "'%s' check --json %s 2>/dev/null", DAL_PROGRAM, model);
    FILE *pipe = popen(line, "r");
    assert_non_null(pipe);
    out[fread(out, 1, sizeof out - 1, pipe)] = '\0';
    assert_int_equal(WEXITSTATUS(pclose(pipe)), 1);
    if (!strstr(out, o.first) || !strstr(out, "start-moved"))
        fail_msg("'%s' is not in %s", o.first, out);
    remove(model);
    rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_moves_far_is_a_warning_that_names_the_other_branch),
        cmocka_unit_test(a_start_chooses_its_branch),
        cmocka_unit_test(other_is_the_branch_that_is_not_reached),
        cmocka_unit_test(a_bound_that_cannot_be_met_is_refused_in_its_place),
        cmocka_unit_test(where_there_is_no_other_branch_it_is_said),
        cmocka_unit_test(what_lies_on_one_curve_is_no_other_branch),
        cmocka_unit_test(fixed_values_stay_in_every_branch),
        cmocka_unit_test(omitted_and_derived_places_are_never_warned_about),
        cmocka_unit_test(a_shift_of_a_quarter_of_the_length_is_far),
        cmocka_unit_test(a_linkage_in_space_has_its_other_branch_too),
        cmocka_unit_test(coordinates_of_the_models_own_are_warned_about),
        cmocka_unit_test(a_part_that_moves_with_its_host_is_not_warned_about),
        cmocka_unit_test(check_shows_the_same_warning),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
