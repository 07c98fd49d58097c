/* A joint's `zero:` belongs to its coordinate: `pin.angle` is one number in a run, at one state, in equations, in state files, in y and in the
 * calls of the tree. */
#include "text_runs.h"

#include <stdlib.h>
#include <unistd.h>

static const double exact = 1e-12; /* some hundred roundings of values of order one */

/* J carries b; START stands for what its start says, %s in the text. */
static const struct {
    const char *name, *coordinate, *start, *text;
} cases[] = {
    {"pin", "angle", "angle",
     "space: planar\nbodies: {b: {mass: 1, inertia: 0.1, points: {O: [-0.5, 0]}}}\n"
     "joints: {J: {type: revolute, connect: [ground, b.O], zero: -90*deg, start: {%s}}}\n"},
    {"pin, from the body to the ground", "angle", "angle",
     "space: planar\nbodies: {b: {mass: 1, inertia: 0.1, points: {O: [-0.5, 0]}}}\n"
     "joints: {J: {type: revolute, connect: [b.O, ground], zero: 1.3, start: {%s}}}\n"},
    {"pin with axes", "angle", "angle",
     "space: planar\nground: {points: {P: {at: [0.2, 0.1], x: [cos(170*deg), sin(170*deg)]}}}\n"
     "bodies: {b: {mass: 1, inertia: 0.1, points: {O: {at: [-0.5, 0], x: [cos(270*deg), sin(270*deg)]}}}}\n"
     "joints: {J: {type: revolute, connect: [ground.P, b.O], zero: 2, start: {%s}}}\n"},
    {"hinge", "angle", "angle",
     "space: spatial\nbodies: {b: {mass: 1, inertia: [0.1, 0.2, 0.3], points: {O: [-0.5, 0.1, 0.2]}}}\n"
     "joints: {J: {type: revolute, connect: [ground, b.O], axis: [0.6, 0, 0.8], zero: 0.7, start: {%s}}}\n"},
    {"hinge, from the body to the ground", "angle", "angle",
     "space: spatial\nbodies: {b: {mass: 1, inertia: [0.1, 0.2, 0.3], points: {O: [-0.5, 0.1, 0.2]}}}\n"
     "joints: {J: {type: revolute, connect: [b.O, ground], axis: [0.6, 0, 0.8], zero: 0.7, start: {%s}}}\n"},
    {"slider in the plane", "distance", "distance",
     "space: planar\nbodies: {b: {mass: 1, inertia: 0.1, points: {O: [-0.5, 0]}}}\n"
     "joints: {J: {type: prismatic, connect: [ground, b.O], axis: [0.6, 0.8], zero: 0.4, start: {%s}}}\n"},
    {"slider in space", "distance", "distance",
     "space: spatial\nbodies: {b: {mass: 1, inertia: [0.1, 0.2, 0.3], points: {O: [-0.5, 0, 0]}}}\n"
     "joints: {J: {type: prismatic, connect: [b.O, ground], axis: [0.6, 0, 0.8], zero: -0.4, start: {%s}}}\n"},
    {"shaft", "angle", "angle",
     "space: spatial\nbodies: {b: {mass: 1, inertia: [0.1, 0.2, 0.3], points: {O: [-0.5, 0.1, 0]}}}\n"
     "joints: {J: {type: cylindrical, connect: [ground, b.O], axis: [0.6, 0, 0.8], zero: -0.4, start: {%s}}}\n"},
    {"shaft, from the body to the ground", "angle", "angle",
     "space: spatial\nbodies: {b: {mass: 1, inertia: [0.1, 0.2, 0.3], points: {O: [-0.5, 0.1, 0]}}}\n"
     "joints: {J: {type: cylindrical, connect: [b.O, ground], axis: [0.6, 0, 0.8], zero: -0.4, start: {%s}}}\n"},
    {"pin in a slot", "distance", "distance",
     "space: planar\nbodies: {b: {mass: 1, inertia: 0.1, points: {O: [-0.5, 0]}}}\n"
     "joints: {J: {type: pin-in-slot, connect: [ground, b.O], axis: [0.6, 0.8], zero: 0.25, start: {%s}}}\n"},
    {"slot on a pin", "distance", "distance",
     "space: planar\nbodies: {b: {mass: 1, inertia: 0.1, points: {O: [-0.5, 0]}}}\n"
     "joints: {J: {type: pin-in-slot, connect: [b.O, ground], axis: [0.6, 0.8], zero: 0.25, start: {%s}}}\n"},
    {"screw", "angle", "angle",
     "space: spatial\nbodies: {b: {mass: 1, inertia: [0.1, 0.2, 0.3], points: {O: [-0.5, 0.1, 0]}}}\n"
     "joints: {J: {type: screw, connect: [ground, b.O], axis: [0.6, 0, 0.8], pitch: 0.3, zero: 2.2, start: {%s}}}\n"},
};
enum { CASES = sizeof cases / sizeof *cases };

typedef struct machine {
    dal_system *system;
    dal_state *state;
} machine;

static void write_text(int i, double value, char *text, size_t size)
{
    char start[80], rest[1200];
    snprintf(start, sizeof start, "%s: %.17g, rate: 0", cases[i].start, value);
    snprintf(rest, sizeof rest, cases[i].text, start);
    snprintf(text, size, "dalembert: 1\n%sgravity: %s\nrecord: [J.%s, b.x, b.y]\nsimulate: {until: 1e-3, coordinates: joint}\n", rest,
             strstr(rest, "planar\n") ? "[1, -9.81]" : "[1, 2, -9.81]", cases[i].coordinate);
}

static machine build(const char *text)
{
    machine m = {0};
    dal_messages *messages = dal_messages_create(NULL);
    dal_spec *spec = NULL;
    if (dal_spec_parse(NULL, "text.yaml", text, strlen(text), 0, NULL, messages, &spec) != DAL_OK ||
        dal_compile(NULL, spec, messages, &m.system) != DAL_OK)
        fail_msg("%s\n%s", dal_messages_first(messages)->text, text);
    m.state = dal_state_create(NULL, m.system);
    dal_spec_free(spec);
    dal_messages_free(messages);
    return m;
}

static void end(machine *m)
{
    dal_state_free(m->state);
    dal_system_free(m->system);
}

static int find_label(const dal_system *system, const char *name)
{
    char label[80], of_tree[80];
    for (int k = 0; dal_coordinate_label(system, k, label, sizeof label); k++) {
        assert_true(dal_tree_coordinate(system, k, of_tree, sizeof of_tree));
        assert_string_equal(label, of_tree);
        if (!strcmp(label, name))
            return k;
    }
    fail_msg("no coordinate '%s'", name);
    return -1;
}

static void same_motion(const char *name, const dal_motion *a, const dal_motion *b)
{
    for (int k = 0; k < 3; k++) {
        if (!(fabs(a->position[k] - b->position[k]) <= exact && fabs(a->velocity[k] - b->velocity[k]) <= exact))
            fail_msg("%s: position %g %g, velocity %g %g", name, a->position[k], b->position[k], a->velocity[k], b->velocity[k]);
    }
    for (int k = 0; k < 9; k++)
        if (!(fabs(a->rotation[k] - b->rotation[k]) <= exact))
            fail_msg("%s: attitude %g %g", name, a->rotation[k], b->rotation[k]);
}

/* y, an instant, the tree: at the start they all have the number of the channel, and lead to the same place. */
static void a_coordinate_has_the_number_of_its_channel(void **unused)
{
    static const double point[3] = {0, 0, 0};
    (void)unused;
    for (int i = 0; i < CASES; i++) {
        char text[2000], name[40];
        write_text(i, 0.3, text, sizeof text);
        snprintf(name, sizeof name, "J.%s", cases[i].coordinate);
        trajectory run = run_text_well(text, "");
        machine m = build(text);
        dal_motion moved;
        const int k = find_label(m.system, name), nq = dal_system_describe(m.system).coordinates_count;
        const double *y = dal_state_y(m.state);
        check_close(at(&run, 0, 1), 0.3, exact);
        check_close(y[k], 0.3, exact);
        assert_int_equal(dal_state_evaluate(m.state, NULL), DAL_OK);
        const dal_motion now = dal_state_body(m.state, 0);
        check_close(now.position[0], at(&run, 0, 2), exact);
        check_close(now.position[1], at(&run, 0, 3), exact);
        assert_int_equal(dal_frame_motion(m.state, y, y + nq, NULL, 0, point, &moved), DAL_OK);
        same_motion(cases[i].name, &now, &moved);
        free(run.value);
        end(&m);
    }
}

static dal_instant *read_state(const machine *m, const char *text)
{
    dal_messages *messages = dal_messages_create(NULL);
    dal_instant *instant = NULL;
    if (dal_instant_parse(NULL, m->system, "state.json", text, strlen(text), messages, &instant) != DAL_OK)
        fail_msg("%s: %s", text, dal_messages_first(messages)->text);
    dal_messages_free(messages);
    return instant;
}

/* A state file that names the coordinate is the model that starts there; what forces make of it, too. The thread of a screw begins where
 * the model starts, so that its place is another one. */
static void a_state_file_means_what_the_start_means(void **unused)
{
    (void)unused;
    for (int i = 0; i < CASES; i++) {
        char text[2000], file[200];
        const double want = -0.85;
        write_text(i, want, text, sizeof text);
        machine there = build(text);
        write_text(i, 0.3, text, sizeof text);
        machine here = build(text);
        snprintf(file, sizeof file, "{\"q\": {\"J.%s\": %.17g}}", cases[i].coordinate, want);
        dal_instant *instant = read_state(&here, file);
        dal_evaluation *e = NULL;
        double vd[8];
        assert_int_equal(dal_evaluate(NULL, here.state, instant, NULL, NULL, &e), DAL_OK);
        assert_int_equal(dal_state_evaluate(there.state, NULL), DAL_OK);
        const dal_motion a = dal_state_body(here.state, 0), b = dal_state_body(there.state, 0);
        check_close(e->q[0] + (e->nq > 1 ? e->q[1] : 0), want, exact); /* the other coordinate is zero */
        if (strcmp(cases[i].name, "screw"))
            same_motion(cases[i].name, &a, &b);
        else
            for (int k = 0; k < 9; k++)
                check_close(a.rotation[k], b.rotation[k], exact);
        assert_int_equal(dal_forward_dynamics(here.state, instant->q, instant->rates, NULL, NULL, vd), DAL_OK);
        for (int k = 0; k < e->nv; k++) {
            check_close(e->vd[k], vd[k], 1e-10 * (1 + fabs(vd[k])));
            check_close(e->q[k], instant->q[k], 0);
        }
        dal_evaluation_free(e);
        dal_instant_free(instant);
        end(&here);
        end(&there);
    }
}

/* What eval has said, given back as a state file, is the same state. */
static void a_state_written_and_read_back_is_the_same(void **unused)
{
    (void)unused;
    for (int i = 0; i < CASES; i++) {
        char text[2000], file[600], label[80];
        dal_messages *messages = dal_messages_create(NULL);
        dal_instant *random = NULL;
        dal_evaluation *e = NULL, *again = NULL;
        write_text(i, 0.3, text, sizeof text);
        machine m = build(text);
        assert_int_equal(dal_instant_random(NULL, m.state, 7, messages, &random), DAL_OK);
        assert_int_equal(dal_evaluate(NULL, m.state, random, NULL, messages, &e), DAL_OK);
        int used = snprintf(file, sizeof file, "{\"q\": {");
        for (int k = 0; k < e->nq; k++) {
            assert_true(dal_coordinate_label(m.system, k, label, sizeof label));
            assert_string_equal(label, e->coordinates[k]);
            used += snprintf(file + used, sizeof file - (size_t)used, "%s\"%s\": %.17g", k ? ", " : "", label, e->q[k]);
        }
        snprintf(file + used, sizeof file - (size_t)used, "}}");
        dal_instant *back = read_state(&m, file);
        assert_int_equal(dal_evaluate(NULL, m.state, back, NULL, messages, &again), DAL_OK);
        check_close(e->potential, again->potential, exact * (1 + fabs(e->potential)));
        for (int k = 0; k < 3; k++)
            check_close(e->center[k], again->center[k], exact);
        dal_evaluation_free(e);
        dal_evaluation_free(again);
        dal_instant_free(random);
        dal_instant_free(back);
        dal_messages_free(messages);
        end(&m);
    }
}

/* ---- the program ------------------------------------------------------------------------ */

static void ask(const char *format, const char *one, const char *two, char *out, size_t size)
{
    char line[600];
    snprintf(line, sizeof line, format, DAL_PROGRAM, one, two);
    FILE *pipe = popen(line, "r");
    assert_non_null(pipe);
    out[fread(out, 1, size - 1, pipe)] = '\0';
    pclose(pipe);
}

/* The number behind a word of a JSON text. */
static double number_behind(const char *text, const char *word)
{
    const char *found = strstr(text, word);
    if (!found) {
        fail_msg("no %s in %s", word, text);
        return 0;
    }
    found += strlen(word) + strspn(found + strlen(word), " :[\n");
    return strtod(found, NULL);
}

/* A rod with `zero: -90 deg` at pin.angle = 0 stands upright: nothing turns it, whichever command says so. */
static void run_eval_and_equations_agree_about_an_upright_rod(void **unused)
{
    char folder[] = "/tmp/zeros-XXXXXX", model[64], state[64], out[20000];
    (void)unused;
    assert_non_null(mkdtemp(folder));
    snprintf(model, sizeof model, "%s/rod.yaml", folder);
    snprintf(state, sizeof state, "%s/state.json", folder);
    FILE *file = fopen(model, "w");
    fputs("dalembert: 1\nspace: planar\ngravity: [0, -9.81]\nbodies: {rod: {mass: 1, inertia: 0.1, points: {O: [-0.5, 0]}}}\n"
          "joints: {pin: {type: revolute, connect: [ground, rod.O], zero: -90*deg, start: {angle: 0, rate: 0}}}\n"
          "simulate: {until: 0.001, every: 0.001, coordinates: joint}\nrecord: [pin.angle, rod.y]\n",
          file);
    fclose(file);
    file = fopen(state, "w");
    fputs("{\"q\": {\"pin.angle\": 0}}\n", file);
    fclose(file);
    ask("'%s' run %s -o - 2>/dev/null%s | sed -n 2p", model, "", out, sizeof out);
    double time, angle, height;
    assert_int_equal(sscanf(out, "%lf,%lf,%lf", &time, &angle, &height), 3);
    check_small(angle, exact);
    check_close(height, 0.5, exact);
    ask("'%s' eval %s --json --state %s", model, state, out, sizeof out);
    check_close(number_behind(out, "\"potential\""), 9.81 * 0.5, exact);
    check_small(number_behind(out, "\"q\": {\"pin.angle\""), exact);
    check_small(number_behind(out, "\"gravity\": {\"pin.angle\""), 1e-10);
    ask("'%s' equations %s --json --state pin.angle=%s", model, "0.5", out, sizeof out);
    check_close(number_behind(out, "\"coordinates\": {\"pin.angle\""), 0.5, exact);
    check_close(number_behind(out, "\"solution\""), 9.81 * 0.5 * sin(0.5) / (0.1 + 0.25), 1e-10);
    remove(model);
    remove(state);
    rmdir(folder);
}

/* Two coordinates, one zero: of the one that is named, also where it is driven or placed by the start. */
static void a_zero_belongs_to_the_coordinate_that_is_named(void **unused)
{
    static const struct {
        const char *joint, *rest;
        double angle, distance, shift; /* shift: of the body, x or z */
    } kinds[] = {
        {"cylindrical", "coordinate: distance, zero: 0.3, drive: 0.4 + t", 0, 0.4, 0.1},
        {"cylindrical", "coordinate: distance, zero: 0.3, start: {distance: 0.5}", 0, 0.5, 0.2},
        {"cylindrical", "coordinate: distance, zero: 0.3", 0, 0.3, 0},
        {"cylindrical", "coordinate: angle, zero: 0.3, drive: 0.4 + t", 0.4, 0, 0},
        {"cylindrical", "zero: 0.3", 0.3, 0, 0},
        {"screw", "pitch: 0.1, coordinate: distance, zero: 0.3", 0, 0.3, 0},
        {"pin-in-slot", "coordinate: angle, zero: 0.3, drive: 0.4 + t", 0.4, 0, 0},
        {"pin-in-slot", "coordinate: angle, zero: 0.3", 0.3, 0, 0},
        {"pin-in-slot", "coordinate: angle, zero: 0.3, start: {angle: 0.5}", 0.5, 0, 0},
        {"pin-in-slot", "coordinate: distance, zero: 0.3, drive: 0.4 + t", 0, 0.4, 0.1},
        {"pin-in-slot", "zero: 0.3", 0, 0.3, 0},
    };
    static const char *const families[] = {"angle", "euler", "natural", "{natural: {eliminate: linear}}", "joint"};
    (void)unused;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        for (int f = 0; f < 5; f++) {
            char text[700];
            const bool planar = !strcmp(kinds[i].joint, "pin-in-slot");
            snprintf(text, sizeof text,
                     "dalembert: 1\nspace: %s\nbodies: {b: {mass: 1, inertia: %s}}\njoints: {J: {type: %s, connect: [ground, b], axis: %s, %s}}\n"
                     "record: [J.angle, J.distance, b.%c]\nsimulate: {until: 1e-3, coordinates: %s}\n",
                     planar ? "planar" : "spatial", planar ? "1" : "[1, 1, 1]", kinds[i].joint, planar ? "[1, 0]" : "[0, 0, 1]", kinds[i].rest,
                     planar ? 'x' : 'z', families[f]);
            trajectory run = run_text_well(text, "");
            check_close(at(&run, 0, 1), kinds[i].angle, exact);
            check_close(at(&run, 0, 2), kinds[i].distance, exact);
            check_close(at(&run, 0, 3), kinds[i].shift, exact);
            free(run.value);
        }
    refused_with("dalembert: 1\nspace: planar\nbodies: {b: {mass: 1, inertia: 1}}\n"
                 "joints: {J: {type: pin-in-slot, connect: [ground, b], axis: [1, 0], coordinate: turn, zero: 0.3}}\n",
                 0, 0, "has no coordinate 'turn'");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_zero_belongs_to_the_coordinate_that_is_named),    cmocka_unit_test(a_coordinate_has_the_number_of_its_channel),
        cmocka_unit_test(a_state_file_means_what_the_start_means),           cmocka_unit_test(a_state_written_and_read_back_is_the_same),
        cmocka_unit_test(run_eval_and_equations_agree_about_an_upright_rod),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
