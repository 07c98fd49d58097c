/* Derived equations against those that textbooks print: equal, and no longer than they are by more than a tenth.
 *
 * Books print products of sums (the top by Routh), which FLINT finds: without it such equations are equal, and may be longer.
 *
 * Equal: both are brought into the normal form, which is the same for equal polynomials. Length: operations of the printed form, as SymPy's count_ops
 * counts them in test/reference/textbook_equations.json.
 */
#include "derived.h"
#include "derive/normal.h"
#include "derive/write.h"
#include "json.h"

#include <ctype.h>

typedef struct alias {
    const char *book, *model;
} alias;

typedef struct system_in_books {
    const char *name, *formulation, *family, *model;
    int equation[3];  /* of the derivation: those that the book prints, in its order */
    alias aliases[8]; /* letters that have other names there */
    bool factored;    /* the book has a product of sums: without FLINT only equality is asked for */
} system_in_books;

static const system_in_books systems[] = {
    {"simple pendulum",
     "lagrange",
     NULL,
     "dalembert: 1\nname: p\nspace: planar\nparameters: {m: 1.2, g: 9.81, l: 0.7}\ngravity: [0, -g]\n"
     "coordinates: {th: {start: 0.3}}\nbodies: {bob: {mass: m, position: [l*sin(th), -l*cos(th)]}}\n",
     {0},
     {{0}},
     false},
    {"double pendulum, point masses",
     "lagrange",
     NULL,
     "dalembert: 1\nname: p\nspace: planar\nparameters: {m1: 1.2, m2: 0.8, l1: 0.7, l2: 1.1, g: 9.81}\ngravity: [0, -g]\n"
     "coordinates: {th1: {start: 0.3}, th2: {start: 0.5}}\n"
     "bodies:\n  a: {mass: m1, position: [l1*sin(th1), -l1*cos(th1)]}\n"
     "  b: {mass: m2, from: a, position: [l2*sin(th2), -l2*cos(th2)]}\n",
     {0, 1},
     {{0}},
     false},
    {"cart-pole",
     "lagrange",
     NULL,
     "dalembert: 1\nname: p\nspace: planar\nparameters: {M: 2, m: 0.8, l: 0.7, g: 9.81, F: 3}\ngravity: [0, -g]\n"
     "coordinates: {x: {start: 0.1}, th: {start: 0.5}}\n"
     "bodies:\n  cart: {mass: M, position: [x, 0]}\n  bob: {mass: m, from: cart, position: [l*sin(th), -l*cos(th)]}\n"
     "forces: {push: {type: force, coordinate: x, value: F}}\n",
     {0, 1},
     {{0}},
     false},
    {"cart-pole",
     "gibbs-appell",
     "joint", /* by joints, and in speeds */
     "dalembert: 1\nname: p\nspace: planar\nparameters: {M: 2, m: 0.8, l: 0.7, g: 9.81, F: 3}\ngravity: [0, -g]\n"
     "bodies:\n  cart: {mass: M, inertia: 1, position: [0.1, 0]}\n  bob: {mass: m, inertia: 0, position: [0.1 + l*sin(0.3), -l*cos(0.3)], angle: "
     "0.3, points: {P: [0, l]}}\n"
     "joints:\n  rail: {type: prismatic, connect: [ground, cart], axis: [1, 0]}\n  pin: {type: revolute, connect: [cart, bob.P]}\n"
     "forces: {push: {type: force, joint: rail, value: F}}\n",
     {0, 1},
     {{"x", "rail.distance"}, {"th", "pin.angle"}, {"xd", "u1"}, {"thd", "u2"}, {"xdd", "u1'"}, {"thdd", "u2'"}},
     false},
    {"spherical pendulum",
     "lagrange",
     NULL,
     "dalembert: 1\nname: p\nspace: spatial\nparameters: {m: 1.2, g: 9.81, l: 0.7}\ngravity: [0, 0, -g]\n"
     "coordinates: {th: {start: 0.3}, ph: {start: 0.2}}\n"
     "bodies: {bob: {mass: m, position: [l*sin(th)*cos(ph), l*sin(th)*sin(ph), -l*cos(th)]}}\n",
     {0, 1},
     {{0}},
     false},
    {"heavy symmetric top, Routh",
     "routh",
     NULL,
     "dalembert: 1\nname: p\nspace: spatial\nparameters: {I1: 2.3, I3: 0.7, m: 1.1, g: 9.81, l: 0.8}\ngravity: [0, 0, -g]\n"
     "coordinates: {th: {start: 0.5}, ph: {start: 0.1, rate: 0.3}, psi: {start: 0.2, rate: 4}}\n"
     "bodies:\n  top: {mass: m, center: [0, 0, l], inertia: [I1 - m*l^2, I1 - m*l^2, I3], position: [0, 0, 0], orientation: {euler-zxz: [ph, th, "
     "psi]}}\n",
     {0},
     {{"pphi", "G.ph"}, {"ppsi", "G.psi"}},
     true},
    {"rolling thin disc, Kane, three speeds",
     "kane",
     NULL,
     "dalembert: 1\nname: p\nspace: spatial\nparameters: {m: 1.2, g: 9.81, r: 0.7}\ngravity: [0, 0, -g]\n"
     "coordinates: {x: {start: 0}, y: {start: 0}, q1: {start: 0.2}, q2: {start: 0.3, rate: 0.1}, q3: {start: 0.1}}\n"
     "bodies:\n  disc: {mass: m, inertia: [m*r^2/4, m*r^2/2, m*r^2/4], position: [x, y, r*cos(q2)], orientation: {euler-zxy: [q1, q2, q3]}}\n"
     "constraints:\n"
     "  along: {velocity: disc.velocity.x - r*(disc.omega.y*cos(q2) + disc.omega.z*cos(q1)*sin(q2))}\n"
     "  across: {velocity: disc.velocity.y - r*(disc.omega.z*sin(q1)*sin(q2) - disc.omega.x*cos(q2))}\n"
     "speeds: {u1: q2', u2: q3' + q1'*sin(q2), u3: q1'*cos(q2)}\n",
     {0, 1, 2},
     {{0}},
     false},
    {"Chaplygin sleigh",
     "kane",
     NULL,
     "dalembert: 1\nname: p\nspace: planar\nparameters: {m: 1.2, I: 0.15, a: 0.4}\n"
     "coordinates: {x: {start: 0}, y: {start: 0}, th: {start: 0.3}}\n"
     "bodies: {sleigh: {mass: m, inertia: I, center: [a, 0], position: [x, y], angle: th}}\n"
     "constraints: {blade: {velocity: cos(th)*y' - sin(th)*x'}}\n"
     "speeds: {v: cos(th)*x' + sin(th)*y', w: th'}\n",
     {0, 1},
     {{0}},
     false},
    {"free rigid body (Euler)",
     "kane",
     "joint",
     "dalembert: 1\nname: p\nspace: spatial\nparameters: {m: 1.2, I1: 0.5, I2: 0.7, I3: 0.9}\n"
     "bodies: {top: {mass: m, inertia: [I1, I2, I3], position: [0, 0, 0], angular-velocity: [1, 2, 3]}}\n",
     {3, 4, 5},
     {{"w1", "u4"}, {"w2", "u5"}, {"w3", "u6"}, {"w1d", "u4'"}, {"w2d", "u5'"}, {"w3d", "u6'"}},
     false},
};

/* ---- the book's equations as nodes ------------------------------------------------------ */

typedef struct reader_of_books {
    dal_derivation *d;
    const alias *aliases;
} reader_of_books;

static int find_letter(const dal_derivation *d, const char *name)
{
    for (int i = 0; i < d->n_letters; i++)
        if (!strcmp(d->letters[i].name, name))
            return i;
    return -1;
}

/* th1dd is th1'', u1d is u1'. */
static bool resolve(void *user, const char *name, int primes, dal_mark mark, dal_value *value, const char **hint)
{
    const reader_of_books *r = user;
    char other[64];
    (void)primes;
    (void)mark;
    (void)hint;
    snprintf(other, sizeof other, "%s", name);
    for (int i = 0; i < 8 && r->aliases[i].book; i++)
        if (!strcmp(r->aliases[i].book, name))
            snprintf(other, sizeof other, "%s", r->aliases[i].model);
    int letter = find_letter(r->d, other);
    for (int dots = 1; letter < 0 && dots <= 2; dots++) {
        const size_t n = strlen(name) - (size_t)dots;
        snprintf(other, sizeof other, "%.*s%.*s", (int)n, name, dots, "''");
        letter = find_letter(r->d, other);
    }
    *value = (dal_value){1, {letter < 0 ? DAL_NO_NODE : dal_var(r->d->graph, letter)}, 0};
    return letter >= 0;
}

static dal_node read_book(dal_derivation *d, const system_in_books *s, const char *text)
{
    char copy[512];
    size_t n = 0;
    const reader_of_books reader = {d, s->aliases};
    const dal_parser parser = {.graph = d->graph, .resolve = resolve, .user = (void *)&reader};
    dal_node node = DAL_NO_NODE;
    for (const char *c = text; *c; c++) { /* ** is ^ */
        copy[n++] = c[0] == '*' && c[1] == '*' ? '^' : *c;
        c += c[0] == '*' && c[1] == '*';
    }
    copy[n] = '\0';
    if (!dal_parse_scalar(&parser, copy, (dal_mark){0}, &node))
        fail_msg("%s: cannot read %s", s->name, copy);
    return node;
}

/* ---- the comparison -------------------------------------------------------------------------- */

static const json *find_system(const json *all, const char *name)
{
    for (const json *s = json_get(all, "systems")->first; s; s = s->next)
        if (!strcmp(json_get(s, "system")->text, name))
            return s;
    fail_msg("no system %s", name);
    return NULL;
}

/* Printed operations of the equations that the book has, each of which is the book's. */
static int compare_equations(const system_in_books *s, const json *book, bool unfactored)
{
    pair p;
    int ours = 0, i = 0;
    if (!open_pair(&p, s->name, s->model, s->family, s->formulation))
        fail_msg("%s: %s", s->name, p.why);
    p.unfactored = unfactored;
    if (!derive_pair(&p, s->formulation, false))
        fail_msg("%s: %s", s->name, p.why);
    for (const json *e = json_get(book, "equations_equal_zero")->first; e; e = e->next, i++) {
        const dal_form *form = dal_normal_equation(p.d, p.d->equations[s->equation[i]].zero, NULL, NULL);
        assert_non_null(form);
        ours += dal_form_operations(form);
        if (!(unfactored && s->factored) && !dal_same_equation(p.d, p.d->equations[s->equation[i]].zero, read_book(p.d, s, e->text)))
            fail_msg("%s: %s = 0 is not %s = 0", s->name, dal_form_text(p.d, form, false), e->text);
        print_message("    %s = 0\n", dal_form_text(p.d, form, false));
    }
    close_pair(&p);
    return ours;
}

#ifdef DAL_HAVE_FLINT
static const bool has_flint = true;
#else
static const bool has_flint = false;
#endif

static void compare_system(const system_in_books *s, const json *book, bool unfactored)
{
    const int ours = compare_equations(s, book, unfactored), theirs = (int)json_get(book, "count_ops_total")->number;
    print_message("  %-40s %-14s %3d operations, textbook %3d\n", s->name, s->formulation, ours, theirs);
    if (10 * ours > 11 * theirs && !(s->factored && (unfactored || !has_flint)))
        fail_msg("%s takes %d operations, the textbook %d", s->name, ours, theirs);
}

static void derived_equations_are_those_of_textbooks_and_no_longer(void **unused)
{
    (void)unused;
    json_file file;
    const json *all = json_open(&file, DAL_REFERENCE "/textbook_equations.json");
    for (int unfactored = 0; unfactored < 2; unfactored++)
        for (size_t i = 0; i < sizeof systems / sizeof *systems; i++)
            compare_system(&systems[i], find_system(all, systems[i].name), unfactored);
    json_close(&file);
}

/* More of them, in Lagrange's form, with their models. */
static void more_equations_are_those_of_textbooks_and_no_longer(void **unused)
{
    (void)unused;
    json_file file;
    const json *all = json_open(&file, DAL_REFERENCE "/textbook_more.json");
    for (int unfactored = 0; unfactored < 2; unfactored++)
        for (const json *book = json_get(all, "systems")->first; book; book = book->next) {
            char model[1000] = "";
            for (const json *line = json_get(book, "model")->first; line; line = line->next)
                snprintf(model + strlen(model), sizeof model - strlen(model), "%s\n", line->text);
            const bool factored = json_get(book, "factored") != NULL; /* a product of sums */
            const system_in_books s = {json_get(book, "system")->text, "lagrange", NULL, model, {0, 1, 2}, {{0}}, factored};
            compare_system(&s, book, unfactored);
        }
    json_close(&file);
}

/* A wrong sign, a wrong factor: no longer the same equation. */
static void other_equations_are_told_apart(void **unused)
{
    pair p;
    (void)unused;
    const system_in_books *s = &systems[1];
    assert_true(open_pair(&p, s->name, s->model, s->family, s->formulation) && derive_pair(&p, s->formulation, false));
    const dal_node ours = p.d->equations[1].zero;
    assert_true(
        dal_same_equation(p.d, ours, read_book(p.d, s, "3*l2*th2dd + 3*l1*th1dd*cos(th1 - th2) - 3*l1*th1d^2*sin(th1 - th2) + 3*g*sin(th2)")));
    assert_false(dal_same_equation(p.d, ours, read_book(p.d, s, "l2*th2dd + l1*th1dd*cos(th1 - th2) + l1*th1d^2*sin(th1 - th2) + g*sin(th2)")));
    assert_false(dal_same_equation(p.d, ours, read_book(p.d, s, "l2*th2dd + l1*th1dd*cos(th1 - th2) - l1*th1d^2*sin(th1 - th2) + 2*g*sin(th2)")));
    close_pair(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(derived_equations_are_those_of_textbooks_and_no_longer),
                                       cmocka_unit_test(more_equations_are_those_of_textbooks_and_no_longer),
                                       cmocka_unit_test(other_equations_are_told_apart)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
