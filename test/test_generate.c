/* Generated code against the engine: every model, family and formulation that is written in symbols, compiled, loaded, and called at random states.
 *
 *   test_generate          a sample, of some seconds
 *   test_generate long     one choice in seven of model, family and formulation
 *   test_generate full     everything
 */
#define PAIR_STABILIZATION "direct-correction=1e-14" /* see `agreement` */
#include "derived.h"
#include "expr/program.h"
#include "generate/generate.h"
#include "model/system.h"
#include "run/run.h"
#include "run/sample_states.h"
#include "state/evaluate.h"
#include "state/state_parts.h"
#include "state/values.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

enum { STATES = 6, MOST = 4000, BATCH = 60, MOST_COORDINATES = 400 };

/* One model in one choice: what is called, and what is expected. */
typedef struct sample {
    char label[200], prefix[32];
    int n, nq, nv;
    dal_reference_state at[STATES];
} sample;

typedef int accelerate(double t, const double *q, const double *v, const double *inputs, const void *parameters, double *vd, double *lambda);
typedef int write_energy(double t, const double *q, const double *v, const double *inputs, const void *parameters, double *energy);

static int part = 97; /* one choice in so many */
static char folder[64] = "generated_XXXXXX";

/* ---- files and compilers ----------------------------------------------------------------- */

static void write_text(const char *name, const char *text)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    fputs(text, out);
    assert_int_equal(fclose(out), 0);
}

static int start(char *const *arguments)
{
    pid_t child;
    int status = -1;
    if (posix_spawnp(&child, arguments[0], NULL, NULL, arguments, environ))
        return -1;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    return status;
}

/* All of `files` into one library; with no warnings. */
static void *compile_and_load(const char *compiler, int n, char **files, const char *library, const char *level)
{
    char *arguments[BATCH + 20] = {(char *)compiler, "-std=c11", "-Wall",   "-Wextra", "-Werror",      "-pedantic",
                                   (char *)level,    "-fPIC",    "-shared", "-o",      (char *)library};
    int k = 11;
    if (!strcmp(level, "-mfma"))
        arguments[k++] = "-mavx2", arguments[k++] = "-O2";
    for (int i = 0; i < n; i++)
        arguments[k++] = files[i];
    arguments[k++] = "-lm";
    arguments[k] = NULL;
    if (start(arguments))
        fail_msg("%s does not compile %s ...", compiler, files[0]);
    void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (!handle)
        fail_msg("%s", dlerror());
    return handle;
}

/* ---- one model ------------------------------------------------------------------------------ */

static const dal_generated *generate_pair(pair *p, const char *formulation, const dal_generate_options *options, int n, sample *s)
{
    dal_messages *messages = dal_messages_create(NULL);
    const dal_generated *code = NULL;
    p->arena.guard = &p->jump;
    if (!setjmp(p->jump)) {
        dal_derive_options how = dal_derive_options_of(p->state);
        how.formulation = formulation;
        p->d = dal_derive_equations(&p->arena, p->spec, p->system, &how, messages);
        if (p->d)
            s->n = dal_sample_states(p->state, n, &p->arena, s->at);
        if (p->d && s->n && dal_generates(p->d, options, messages))
            code = dal_generate(p->d, options, s->n, s->at);
    } else
        fail_msg("%s: no memory", s->label);
    p->arena.guard = NULL;
    for (const dal_message *m = dal_messages_first(messages); m; m = m->next)
        snprintf(p->why, sizeof p->why, "%s", m->text);
    dal_messages_free(messages);
    return code;
}

typedef struct batch {
    int n;
    pair *pairs;
    sample *samples;
    char *files[BATCH];
    double worst;
    int models, states, wrong;
    char where[200];
} batch;

/* Of the largest acceleration: the same for all models, however much their accelerations depend on the last digit of a state. Engine and code
 * compute a force from the same numbers by the same functions, and each solves its system with an error that its own condition explains. States lie on
 * the constraints to 1e-14: where they do not, equations that hold on the constraints (p . p = 1, v = W u + X) and kernels that do not use them
 * differ by the residual times the sensitivity (6.9e-12 at residuals of 7e-13 in `euler`, with and without speeds; 5e-14 here). */
static const double agreement = 1e-12;

/* Where it is right to refuse (reviewed): at the start two points coincide, and the direction from one to the other is 0/0. A run goes on with the
 * engine there. */
static bool may_refuse(const char *label, int state)
{
    static const char coincide[] = "clearance-slider-crank.yaml";
    return state == 0 && !strncmp(label, coincide, strlen(coincide));
}

static void compare_sample(const sample *s, void *library, batch *b)
{
    char name[64];
    snprintf(name, sizeof name, "%s_accelerations", s->prefix);
    accelerate *call = (accelerate *)(intptr_t)dlsym(library, name);
    snprintf(name, sizeof name, "%s_energies", s->prefix);
    write_energy *energies = (write_energy *)(intptr_t)dlsym(library, name);
    assert_true(call && energies);
    double vd[MOST_COORDINATES], lambda[2 * MOST_COORDINATES], energy[2];
    for (int i = 0; i < s->n; i++) {
        const dal_reference_state *r = &s->at[i];
        double size = r->scale, worst = 0;
        if (call(r->t, r->q, r->v, r->inputs, NULL, vd, lambda)) {
            if (!may_refuse(s->label, i)) {
                print_message("%s: state %d is refused\n", s->label, i);
                b->wrong++;
            }
            continue;
        }
        for (int k = 0; k < s->nv; k++)
            worst = fmax(worst, fabs(vd[k] - r->vd[k]) / size);
        energies(r->t, r->q, r->v, r->inputs, NULL, energy);
        /* states are on the constraints to 1e-12: p . p = 1 is not exact; equations that a user states have no energy */
        if (!isnan(r->T) && !(fabs(energy[0] - r->T) <= 1e-11 * fabs(r->T))) {
            print_message("%s: kinetic energy %.17g, not %.17g\n", s->label, energy[0], r->T);
            b->wrong++;
        }
        if (!(worst <= b->worst)) {
            b->worst = worst;
            snprintf(b->where, sizeof b->where, "%s", s->label);
        }
        if (!(worst <= agreement)) {
            print_message("%s: state %d differs by %.3g of the largest acceleration\n", s->label, i, worst);
            b->wrong++;
        }
        b->states++;
    }
    b->models++;
}

static void finish_batch(batch *b, const char *level)
{
    char library[128];
    static int number;
    if (!b->n)
        return;
    snprintf(library, sizeof library, "./%s/batch%d.so", folder, number++);
    void *handle = compile_and_load("cc", b->n, b->files, library, level);
    for (int i = 0; i < b->n; i++) {
        compare_sample(&b->samples[i], handle, b);
        close_pair(&b->pairs[i]);
        free(b->files[i]);
    }
    dlclose(handle);
    b->n = 0;
}

/* What cannot be generated (reviewed): the model, and what it is refused for. */
static void expect_refusal(const char *label, const char *why)
{
    static const char *const reasons[] = {"a constraint is not linear in the velocities",
                                          "no code is made of the equations of 'component'",
                                          "the model has sub-systems that are given by their equations",
                                          "the model has a constraint that follows from the balance of forces",
                                          "force '",
                                          "joint '",
                                          "the recursion goes along the joint tree",
                                          "'",
                                          "the rates of ",
                                          "the model has dry friction",
                                          "the model has joints or constraints that are not ideal",
                                          "the place of '",
                                          "particle '"};
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
        if (!strncmp(why, reasons[i], strlen(reasons[i])))
            return;
    fail_msg("%s is refused: %s", label, why);
}

/* False: it is refused; p->why says why. */
static bool add_model(batch *b, const char *file, const char *family, const char *formulation)
{
    static int number;
    pair *p = &b->pairs[b->n];
    sample *s = &b->samples[b->n];
    char name[64];
    memset(s, 0, sizeof *s);
    snprintf(s->label, sizeof s->label, "%s, %s, %s", strrchr(file, '/') + 1, family, formulation);
    snprintf(s->prefix, sizeof s->prefix, "m%d", number++);
    const dal_generate_options options = {.prefix = s->prefix};
    if (!open_pair(p, file, NULL, family, formulation)) {
        close_pair(p);
        return false;
    }
    const dal_generated *code = generate_pair(p, formulation, &options, STATES, s);
    if (!code) {
        expect_refusal(s->label, p->why);
        close_pair(p);
        return false;
    }
    s->nq = code->nq;
    s->nv = code->nv;
    assert_true(s->nq <= MOST_COORDINATES && s->nv <= MOST_COORDINATES && code->n_rows <= 2 * MOST_COORDINATES);
    snprintf(name, sizeof name, "%s.c", s->prefix);
    write_text(name, code->source);
    b->files[b->n] = malloc(256);
    snprintf(b->files[b->n], 256, "%s/%s", folder, name);
    snprintf(name, sizeof name, "%s.h", s->prefix);
    write_text(name, code->header);
    b->n++;
    return true;
}

static void generated_code_gives_the_accelerations_of_the_engine(void **unused)
{
    static const char *const families[] = {"angle", "euler", "natural", "natural:eliminate=linear", "joint", "user"};
    (void)unused;
    gallery g = gallery_open();
    batch b = {.pairs = calloc(BATCH, sizeof(pair)), .samples = calloc(BATCH, sizeof(sample))};
    const char *only = getenv("DAL_GENERATE_MODEL");
    int at = 0;
    for (size_t i = 0; i < g.n; i++)
        for (size_t k = 0; k < 6; k++)
            for (int f = 0; dal_derived_formulations[f]; f++) {
                if (at++ % part || (only && !strstr(g.found.gl_pathv[i], only)))
                    continue;
                if (add_model(&b, g.found.gl_pathv[i], families[k], dal_derived_formulations[f]->name) && b.n == BATCH)
                    finish_batch(&b, "-O0");
            }
    finish_batch(&b, "-O0");
    print_message("  %d models, %d states, worst %.2g (%s)\n", b.models, b.states, b.worst, b.where);
    assert_int_equal(b.wrong, 0);
    gallery_close(&g);
    free(b.pairs);
    free(b.samples);
}

/* ---- what a compiler says ---------------------------------------------------------------- */

/* The code of a model in a variant, as a library. */
typedef struct loaded {
    pair p;
    sample s;
    void *library;
    const dal_generated *code;
} loaded;

static loaded load_model(const char *file, const char *text, const char *family, const char *formulation, dal_generate_options options,
                         const char *compiler, const char *level)
{
    static int number;
    loaded x;
    char prefix[32], name[64], path[256], library[128], *files[] = {path};
    memset(&x, 0, sizeof x);
    snprintf(prefix, sizeof prefix, "v%d", number++);
    snprintf(x.s.label, sizeof x.s.label, "%s", file);
    options.prefix = prefix;
    assert_true(open_pair(&x.p, file, text, family, formulation));
    x.code = generate_pair(&x.p, formulation, &options, STATES, &x.s);
    assert_non_null(x.code);
    x.s.nq = x.code->nq;
    x.s.nv = x.code->nv;
    snprintf(name, sizeof name, "%s.h", prefix);
    write_text(name, x.code->header);
    snprintf(name, sizeof name, "%s.c", prefix);
    write_text(name, x.code->source);
    snprintf(path, sizeof path, "%s/%s", folder, name);
    snprintf(library, sizeof library, "./%s/%s.so", folder, prefix);
    x.library = compile_and_load(compiler, 1, files, library, level);
    snprintf(x.s.prefix, sizeof x.s.prefix, "%s", prefix);
    return x;
}

static void *function(const loaded *x, const char *what)
{
    char name[64];
    snprintf(name, sizeof name, "%s_%s", x->s.prefix, what);
    void *found = dlsym(x->library, name);
    if (!found)
        fail_msg("%s: no %s", x->s.label, name);
    return found;
}

static void unload(loaded *x)
{
    dlclose(x->library);
    close_pair(&x->p);
}

static bool exists(const char *program)
{
    char *const ask[] = {(char *)program, "--version", NULL};
    const int keep = dup(1), none = open("/dev/null", O_WRONLY);
    fflush(stdout);
    dup2(none, 1);
    const int status = start(ask);
    dup2(keep, 1);
    close(keep);
    close(none);
    return status == 0;
}

/* Methods of a fixed step: lanes are bit for bit what one copy gives, and Euler's step is what its formula says. */
static void check_methods(const loaded *x, int lanes)
{
    typedef int roll(double t, double h, long steps, double *q, double *v, const double *inputs, const void *parameters);
    static const char *const names[][2] = {{"euler", "euler_lanes"}, {"rk4", "rk4_lanes"}};
    accelerate *rate = (accelerate *)(intptr_t)function(x, "accelerations");
    const int nq = x->code->nq, nv = x->code->nv;
    uint64_t seed = 6;
    assert_true(nq <= 20 && nv <= 20);
    for (int m = 0; m < 2; m++) {
        roll *one = (roll *)(intptr_t)function(x, names[m][0]), *all = (roll *)(intptr_t)function(x, names[m][1]);
        double q[8 * 20], v[8 * 20], a[8][20], b[8][20], vd[20], lambda[8];
        for (int i = 0; i < 20; i++)
            for (int k = 0; k < lanes; k++)
                a[k][i] = q[lanes * i + k] = check_random(&seed), b[k][i] = v[lanes * i + k] = check_random(&seed);
        assert_int_equal(rate(0, a[0], b[0], NULL, NULL, vd, lambda), 0);
        const double first = b[0][0];
        assert_int_equal(one(0, 2e-3, 1, a[0], b[0], NULL, NULL), 0);
        assert_true(m || b[0][0] == fma(2e-3, vd[0], first));
        assert_int_equal(one(2e-3, 2e-3, 19, a[0], b[0], NULL, NULL), 0);
        for (int k = 1; k < lanes; k++)
            assert_int_equal(one(0, 2e-3, 20, a[k], b[k], NULL, NULL), 0);
        assert_int_equal(all(0, 2e-3, 20, q, v, NULL, NULL), 0);
        for (int k = 0; k < lanes; k++) {
            for (int i = 0; i < nq; i++)
                assert_memory_equal(&a[k][i], &q[lanes * i + k], sizeof a[k][i]);
            for (int i = 0; i < nv; i++)
                assert_memory_equal(&b[k][i], &v[lanes * i + k], sizeof b[k][i]);
        }
    }
}

/* Lanes, a struct and derivatives: no compiler warns (compile_and_load asks for that), and all lanes are bit for bit what the scalar code gives. */
static void lanes_are_bit_for_bit_what_one_copy_gives(void **unused)
{
    typedef int wide(double t, const double *q, const double *v, const double *inputs, const double *parameters, double *vd, double *lambda);
    static const char *const compilers[] = {"gcc", "clang"}, *const levels[] = {"-O0", "-O2", "-mfma"};
    (void)unused;
    for (int c = 0; c < 2; c++)
        for (int l = 0; l < 3; l++) {
            if (!check_sampled(c + l, 2, 6))
                continue;
            if (!exists(compilers[c]) || (l == 2 && !(__builtin_cpu_supports("fma") && __builtin_cpu_supports("avx2"))))
                continue;
            const int lanes = l == 1 ? 8 : 4;
            loaded x = load_model(DAL_MODELS "/universal-double-pendulum.yaml", NULL, "joint", "recursive", (dal_generate_options){.lanes = lanes},
                                  compilers[c], levels[l]);
            accelerate *one = (accelerate *)(intptr_t)function(&x, "accelerations");
            wide *all = (wide *)(intptr_t)function(&x, "accelerations_lanes");
            uint64_t seed = 5;
            for (int round = 0; round < 50; round++) {
                double q[8 * 20], v[8 * 20], vd[8 * 20], a[20], b[20], r[20], lambda[8];
                for (int i = 0; i < 8 * 20; i++)
                    q[i] = (round < 40 ? 3 : 2e6) * check_random(&seed), v[i] = 4 * check_random(&seed);
                assert_int_equal(all(0.3, q, v, NULL, NULL, vd, NULL), 0);
                for (int k = 0; k < lanes; k++) {
                    for (int i = 0; i < x.code->nv; i++)
                        a[i] = q[lanes * i + k], b[i] = v[lanes * i + k];
                    assert_int_equal(one(0.3, a, b, NULL, NULL, r, lambda), 0);
                    for (int i = 0; i < x.code->nv; i++)
                        assert_memory_equal(&r[i], &vd[lanes * i + k], sizeof r[i]);
                }
            }
            check_methods(&x, lanes);
            unload(&x);
        }
}

/* The direction cosines of a thin rod between those of heavy bodies: eliminated without a correction their system loses half of its digits
 * (5.2e-11 to 1e-12 at these states), at all but the first of them, where the rod lies along an axis. */
static void light_between_heavy_keeps_its_digits(void **unused)
{
    static const char model[] =
        "dalembert: 1\nspace: spatial\ngravity: [0, 0, -9.81]\nbodies:\n"
        "  shaft: {mass: 1.3, inertia: [0.21, 0.34, 0.27], position: [0, 0, 0.5], angular-velocity: [0, 0, 2], points: {A: [0.05, 0, 0.5]}}\n"
        "  rod: {mass: 5.3, inertia: [1e-8, 0.41, 0.41], position: [0.55, 0, 1], velocity: [0, 1.1, 0], angular-velocity: [0, 0, 2], "
        "points: {A: [-0.5, 0, 0], B: [0.5, 0, 0]}}\n"
        "joints:\n  foot: {type: revolute, connect: [ground, shaft], axis: [0, 0, 1]}\n  A: {type: revolute, connect: [shaft.A, rod], axis: [0, 1, "
        "0]}\n";
    batch b = {.n = 0};
    (void)unused;
    loaded x = load_model("rod", model, "natural", "lagrange", (dal_generate_options){0}, "cc", "-O0");
    compare_sample(&x.s, x.library, &b);
    print_message("  a thin rod: worst %.2g\n", b.worst);
    assert_true(b.states == STATES && b.wrong == 0);
    unload(&x);
}

/* A struct of parameters with the derivatives of the accelerations, against differences. */
static void derivatives_and_parameters_are_exact(void **unused)
{
    typedef int slope(double t, const double *q, const double *v, const double *inputs, const void *parameters, double *J);
    (void)unused;
    loaded x = load_model(DAL_MODELS "/cart-two-bars.yaml", NULL, NULL, "lagrange",
                          (dal_generate_options){.struct_of_parameters = true, .jacobians = true}, "cc", "-O0");
    accelerate *call = (accelerate *)(intptr_t)function(&x, "accelerations");
    slope *jacobian = (slope *)(intptr_t)function(&x, "jacobian");
    double p[20], J[400], q[20], v[20], up[20], down[20], lambda[20];
    const int n = x.code->nv, width = x.code->nq + n;
    assert_true(x.code->n_parameters >= 1 && x.code->n_parameters <= 20 && n <= 10);
    for (int i = 0, k = 0; i < x.p.spec->n_parameters; i++)
        if (x.p.d->parameter[i] >= 0 && !x.p.spec->parameters[i].shapes)
            p[k++] = x.p.spec->parameters[i].number;
    const dal_reference_state *r = &x.s.at[1];
    assert_int_equal(jacobian(r->t, r->q, r->v, r->inputs, p, J), 0);
    for (int j = 0; j < width; j++) {
        const double h = 1e-5;
        memcpy(q, r->q, sizeof *q * (size_t)x.code->nq);
        memcpy(v, r->v, sizeof *v * (size_t)n);
        double *at = j < x.code->nq ? &q[j] : &v[j - x.code->nq], kept = *at;
        *at = kept + h;
        assert_int_equal(call(r->t, q, v, r->inputs, p, up, lambda), 0);
        *at = kept - h;
        assert_int_equal(call(r->t, q, v, r->inputs, p, down, lambda), 0);
        for (int i = 0; i < n; i++)
            assert_true(fabs((up[i] - down[i]) / (2 * h) - J[i * width + j]) <= 1e-7 * r->scale);
    }
    unload(&x);
}

/* Sines and cosines of the file: within one unit in the last place of those in long double. */
static void sines_are_within_one_unit_in_the_last_place(void **unused)
{
    static const char model[] = "dalembert: 1\nname: sines\nspace: planar\ncoordinates: {x: {start: 0}, y: {start: 0}}\n"
                                "bodies: {b: {mass: 1, position: [x, y]}}\nforces: {f: {type: force, body: b, value: [sin(x), cos(x)]}}\n";
    (void)unused;
    loaded x = load_model("sines", model, NULL, "lagrange", (dal_generate_options){0}, "cc", "-O2");
    accelerate *call = (accelerate *)(intptr_t)function(&x, "accelerations");
    uint64_t seed = 9;
    double worst = 0;
    for (int i = 0; i < 200000; i++) {
        double q[2] = {0, 0}, v[2] = {0, 0}, r[2], lambda[1];
        const double range[] = {1, 10, 1000, 1e6, 1e9};
        q[0] = i % 7 ? range[i % 5] * check_random(&seed) : floor(6e5 * check_random(&seed)) * 1.5707963267948966;
        assert_int_equal(call(0, q, v, NULL, NULL, r, lambda), 0);
        const long double exact[2] = {sinl((long double)q[0]), cosl((long double)q[0])};
        for (int k = 0; k < 2; k++) {
            const double unit = nextafter(fabs((double)exact[k]), INFINITY) - fabs((double)exact[k]);
            worst = fmax(worst, (double)fabsl((long double)r[k] - exact[k]) / unit);
        }
    }
    print_message("  sines and cosines: %.3f units in the last place\n", worst);
    assert_true(worst <= 1);
    unload(&x);
}

/* A title that ends a comment, names that are words of C: they stay what they are. */
static void texts_of_the_model_stay_texts(void **unused)
{
    static const char model[] =
        "dalembert: 1\nname: 'x */ int broken(void) { return 1 } /* ?\?/ \\'\nspace: planar\nparameters: {int: 2, double: 3}\n"
        "coordinates: {while: {start: 0}}\nbodies: {b: {mass: int + double, position: [while, 0]}}\n"
        "forces: {f: {type: force, coordinate: while, value: -int*while}}\nrecord: ['while + 1', while]\n";
    (void)unused;
    loaded x = load_model("titles", model, NULL, "lagrange", (dal_generate_options){.struct_of_parameters = true}, "cc", "-O0");
    assert_null(dlsym(x.library, "broken"));
    assert_null(strstr(x.code->source, "*/ int broken"));
    assert_non_null(strstr(x.code->header, "double int_2;"));
    assert_int_equal(x.code->n_outputs, 2);
    unload(&x);
}

/* Guards of events: each of the engine's is one of the file, with the same piece and the same number, at every state. */
static void guards_of_events_are_those_of_the_engine(void **unused)
{
    typedef int find_modes(double t, const double *q, const double *v, const double *inputs, const void *parameters, int *modes);
    typedef int find_guards(double t, const double *q, const double *v, const double *inputs, const void *parameters, const int *modes,
                            double *guards);
    static const char model[] = "dalembert: 1\nname: pieces\nspace: planar\ncoordinates: {x: {start: 0.1}, y: {start: 0.2}}\n"
                                "bodies: {b: {mass: 1, position: [x, y]}}\n"
                                "tables:\n"
                                "  hill: {x: [-1, -0.4, 0.3, 1], y: [0, 1, 0.5, 2], smooth: 0, outside: hold}\n"
                                "  wave: {x: [0, 0.3, 0.5, 0.8], y: [0, 1, -1, 0], smooth: 0, outside: periodic}\n"
                                "forces:\n"
                                "  f: {type: force, coordinate: x, value: 'if(x < y, 1, 2) + floor(3*x) + sign(y)'}\n"
                                "  g: {type: force, coordinate: y, value: 'interp(hill, x) + interp(wave, 2*y) + max(x, 2*y) + abs(x + y)'}\n";
    enum { MOST_GUARDS = 40, TRIES = 60 };
    (void)unused;
    loaded x = load_model("pieces", model, NULL, "lagrange", (dal_generate_options){0}, "cc", "-O0");
    find_modes *find = (find_modes *)(intptr_t)function(&x, "modes");
    find_guards *guard = (find_guards *)(intptr_t)function(&x, "guards");
    const dal_program *program = x.p.system->actions.program;
    const int engines = dal_switches(x.p.system), mine = x.code->n_switches;
    bool same[MOST_GUARDS][MOST_GUARDS];
    uint64_t seed = 3;
    memset(same, 1, sizeof same);
    assert_true(engines >= 7 && engines <= MOST_GUARDS && mine <= MOST_GUARDS);
    for (int i = 0; i < TRIES; i++) {
        int modes[2][MOST_GUARDS];
        double q[2], v[2] = {0}, guards[2][MOST_GUARDS];
        for (int k = 0; k < 2; k++) { /* pieces of one place, guards of another */
            for (int j = 0; j < 2; j++)
                dal_state_y(x.p.state)[j] = q[j] = 1.5 * check_random(&seed);
            assert_int_equal(dal_state_set_time(x.p.state, 0), true);
            assert_int_equal(dal_state_evaluate(x.p.state, NULL), DAL_OK);
            if (!k) {
                dal_program_modes(program, dal_values_of(x.p.state)->registers, modes[0]);
                assert_int_equal(find(0, q, v, NULL, NULL, modes[1]), 0);
            }
        }
        dal_program_guards(program, dal_values_of(x.p.state)->registers, modes[0], guards[0]);
        assert_int_equal(guard(0, q, v, NULL, NULL, modes[1], guards[1]), 0);
        for (int k = 0; k < engines; k++)
            for (int j = 0; j < mine; j++)
                same[k][j] = same[k][j] && fabs(guards[0][k] - guards[1][j]) <= 1e-12;
    }
    for (int k = 0; k < engines; k++) {
        bool found = false;
        for (int j = 0; j < mine; j++)
            found = found || same[k][j];
        if (!found)
            fail_msg("no guard for '%s'", dal_switch_text(x.p.system, k));
    }
    unload(&x);
}

/* Sanitizers over the code, with its own test. */
static void the_self_test_passes_under_sanitizers(void **unused)
{
    static const char *const cases[][3] = {{"/four-bar.yaml", "natural", "kane"},
                                           {"/heavy-top.yaml", "euler", "lagrange"},
                                           {"/n-four-bar-tree.yaml", "joint", "recursive"},
                                           {"/driven-crank.yaml", "angle", "maggi"}};
    (void)unused;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char file[512], source[128], program[128];
        if (!check_sampled((int)i, 2, 4))
            continue;
        snprintf(file, sizeof file, "%s%s", DAL_MODELS, cases[i][0]);
        loaded x = load_model(file, NULL, cases[i][1], cases[i][2], (dal_generate_options){.lanes = 4}, "cc", "-O0");
        snprintf(source, sizeof source, "%s/%s.c", folder, x.s.prefix);
        snprintf(program, sizeof program, "%s/%s", folder, x.s.prefix);
        char *const build[] = {"cc",    "-std=c11", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-DMODEL_TEST", source, "-o",
                               program, "-lm",      NULL};
        char *const tested[] = {program, NULL};
        assert_int_equal(start(build), 0);
        assert_int_equal(start(tested), 0);
        unload(&x);
    }
}

/* The states of the sample against the engine, at two levels of optimisation. */
static void check_chain(loaded *x, const char *source)
{
    static const char *const levels[] = {"-O1", "-O2"};
    batch b = {.n = 0};
    char library[160], *files[] = {(char *)source};
    assert_int_equal(x->s.n, STATES);
    for (int i = 0; i < 2; i++) {
        snprintf(library, sizeof library, "./%s/%s_%d.so", folder, x->s.prefix, i);
        void *handle = i ? compile_and_load("cc", 1, files, library, levels[i]) : x->library;
        compare_sample(&x->s, handle, &b);
        if (i)
            dlclose(handle);
    }
    print_message("  chain of %d links: worst %.2g\n", x->s.nv, b.worst);
    assert_int_equal(b.wrong, 0);
}

/* Equal links of a long chain become loops: at all levels of optimisation the code is what the engine computes. Rods differ in mass and length, so
 * that repetitions differ in numbers. With `torques` sine and cosine are of one angle in the first links, and of two in the others. */
static void chain_is_rolled(const char *torques)
{
    static const char form[] = "dalembert: 1\nspace: planar\nparameters: {N: 170}\ngravity: [0, -9.81]\nbodies:\n"
                               "  rod: {repeat: {i: 1..N}, mass: 1 + 0.3*sin(i), inertia: 0.1 + 0.02*cos(3*i), position: [i - 1/2, 0], angle: 0, "
                               "points: {a: [-0.5, 0], b: [0.5, 0]}}\njoints:\n  root: {type: revolute, connect: [ground, rod.1.a]}\n"
                               "  link: {repeat: {i: 2..N}, type: revolute, connect: [rod.{i-1}.b, rod.{i}.a]}\n%s";
    char text[2000];
    snprintf(text, sizeof text, form, torques);
    loaded x = load_model("long chain", text, "joint", "recursive", (dal_generate_options){.lanes = 0}, "cc", "-O1");
    assert_true(x.code->operations > 12000);
    assert_non_null(strstr(x.code->source, "for (int k = 0; k < "));
    assert_true(strlen(x.code->source) < 25 * (size_t)x.code->operations); /* straight-line code has about 40 characters an operation */
    char source[128], program[128];
    snprintf(source, sizeof source, "%s/%s.c", folder, x.s.prefix);
    snprintf(program, sizeof program, "%s/%s", folder, x.s.prefix);
    char *const tested[] = {program, NULL};
    char *const build[][9] = {
        {"cc", "-O2", "-DMODEL_TEST", source, "-o", program, "-lm", NULL},
        {"cc", "-O1", "-DMODEL_TEST", source, "-o", program, "-lm", NULL},
        {"cc", "-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-DMODEL_TEST", source, "-o", program, "-lm", NULL}};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(start(build[i]), 0);
        assert_int_equal(start(tested), 0);
    }
    check_chain(&x, source);
    unload(&x);
}

static void long_chains_are_rolled_into_loops(void **unused)
{
    (void)unused;
    if (!check_chosen(1, 2)) /* what is generated is the same, and its own sanitizers watch it in the plain build */
        return;
    chain_is_rolled("");
    chain_is_rolled("forces:\n  both: {repeat: {i: 2..60}, type: torque, joint: link.{i}, value: sin(2*link.{i}.angle)*cos(2*link.{i}.angle)}\n"
                    "  one: {repeat: {i: 31..84}, type: torque, joint: link.{2*i}, value: sin(2*link.{2*i}.angle)}\n"
                    "  other: {repeat: {i: 31..84}, type: torque, joint: link.{2*i-1}, value: cos(2*link.{2*i-1}.angle)}\n");
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(generated_code_gives_the_accelerations_of_the_engine),
                                       cmocka_unit_test(lanes_are_bit_for_bit_what_one_copy_gives),
                                       cmocka_unit_test(light_between_heavy_keeps_its_digits),
                                       cmocka_unit_test(derivatives_and_parameters_are_exact),
                                       cmocka_unit_test(sines_are_within_one_unit_in_the_last_place),
                                       cmocka_unit_test(texts_of_the_model_stay_texts),
                                       cmocka_unit_test(guards_of_events_are_those_of_the_engine),
                                       cmocka_unit_test(the_self_test_passes_under_sanitizers),
                                       cmocka_unit_test(long_chains_are_rolled_into_loops)};
    if (argc > 1)
        part = !strcmp(argv[1], "full") ? 1 : !strcmp(argv[1], "long") ? 7 : part;
    check_everything = argc > 1 && (!strcmp(argv[1], "full") || !strcmp(argv[1], "long"));
    if (!exists("cc"))
        return CHECK_SKIPPED;
    if (!mkdtemp(folder))
        return 1;
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    char *const clean[] = {"rm", "-rf", folder, NULL};
    start(clean);
    return failed;
}
