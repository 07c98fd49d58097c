/* The unit of length, of mass and of time must not matter: every model of the gallery is rewritten in other units (scaled_spec.h) and run.
 *
 * In units that are larger or smaller by 2^30 every recorded number is the original one times a power of two, bit for bit. In units that
 * are no powers of two (1e9, 1e-9, 1e12) rounding differs: the verdicts are the same, and so is the motion at its beginning, to 1e-9.
 */
#include "check.h"
#include "scaled_spec.h"

#include <glob.h>

/* ---- what the models chose --------------------------------------------------------- */

/* Names that are not here have no unit: angles, ratios. */
static const scaled_own own_units[] = {
    {"cart-two-bars.yaml", "x", "m"},
    {"cart-two-bars.yaml", "wheel", "m/s"},
    {"cart-two-bars.yaml", "u1", "rad/s"},
    {"cart-two-bars.yaml", "u2", "m/s"},
    {"chaplygin-sleigh.yaml", "x", "m"},
    {"chaplygin-sleigh.yaml", "y", "m"},
    {"chaplygin-sleigh.yaml", "blade", "m/s"},
    {"rolling-disc-incline.yaml", "y", "m"},
    {"rolling-disc-incline.yaml", "slope", "m"},
    {"satellite-boom.yaml", "rho", "m"},
    {"satellite-boom.yaml", "X", "m"},
    {"satellite-boom.yaml", "Y", "m"},
    {"satellite-boom.yaml", "Z", "m"},
    {"satellite-boom.yaml", "w1", "rad/s"},
    {"satellite-boom.yaml", "w2", "rad/s"},
    {"satellite-boom.yaml", "w3", "rad/s"},
    {"satellite-boom.yaml", "out", "m/s"},
    {"satellite-boom.yaml", "vx", "m/s"},
    {"satellite-boom.yaml", "vy", "m/s"},
    {"satellite-boom.yaml", "vz", "m/s"},
    {"three-bodies.yaml", "X", "m"},
    {"three-bodies.yaml", "Y", "m"},
    {"three-bodies.yaml", "Z", "m"},
    {"three-bodies.yaml", "w1", "rad/s"},
    {"three-bodies.yaml", "w2", "rad/s"},
    {"three-bodies.yaml", "w3", "rad/s"},
    {"three-bodies.yaml", "g1", "rad/s"},
    {"three-bodies.yaml", "g2", "rad/s"},
    {"three-bodies.yaml", "vx", "m/s"},
    {"three-bodies.yaml", "vy", "m/s"},
    {"three-bodies.yaml", "vz", "m/s"},
    {"springs-in-series-masses.yaml", "x1", "m"},
    {"springs-in-series-masses.yaml", "q1", "m"},
    {"springs-in-series-masses.yaml", "q2", "m"},
    {"springs-in-series-masses.yaml", "joined", "m"},
    {"springs-in-series-massless-end.yaml", "x1", "m"},
    {"springs-in-series-massless-end.yaml", "q1", "m"},
    {"springs-in-series-massless-end.yaml", "q2", "m"},
    {"springs-in-series-massless-end.yaml", "joined", "m"},
    {"springs-in-series-massless-end.yaml", "slack", "N"},
    {"springs-in-series-massless-middle.yaml", "x1", "m"},
    {"springs-in-series-massless-middle.yaml", "q1", "m"},
    {"springs-in-series-massless-middle.yaml", "q2", "m"},
    {"springs-in-series-massless-middle.yaml", "joined", "m"},
    {"springs-in-series-massless-middle.yaml", "balance", "N"},
    {"gripper-arm.urdf", "right_mimic", "m"},
    /* types of joints: their parameters, and tables in their equations */
    {"cam.yaml", "cam.base", "m"},
    {"cam.yaml", "lift", "m"},
    {"circle.yaml", "circle.radius", "m"},
    {"curve.yaml", "track.height", "m"},
    {"curve.yaml", "track.wave", "1/m"},
    {"ellipse.yaml", "ellipse.a", "m"},
    {"ellipse.yaml", "ellipse.b", "m"},
    {"helix.yaml", "helix.r", "m"},
    {"helix.yaml", "helix.h", "m"},
    {"paraboloid.yaml", "paraboloid.k", "1/m"},
    {"rolling-wheel.yaml", "rolling.r", "m"},
    {"sphere.yaml", "sphere.radius", "m"},
    {"tendon.yaml", "tendon.length", "m"},
    {"variable-screw.yaml", "thread.h", "m"},
    {NULL, NULL, NULL},
};

/* ---- runs --------------------------------------------------------------------------- */

typedef struct units {
    const char *name;
    double length, mass, time;
} units;

static const units as_written = {"as written", 1, 1, 1};

typedef struct motion {
    int columns, rows;
    char **name;
    double *factor; /* of each column, to be divided by */
    double *value;
    dal_status status;
    char message[400];
    dal_evidence evidence;
    const scaled *scale;
    long most_steps; /* 0: as many as it takes */
} motion;

/* A run that takes many more steps than the original is wrong already. */
static bool go_on(void *user, double t, double until, long steps, double wall_seconds)
{
    const motion *m = user;
    (void)t, (void)until, (void)wall_seconds;
    return !m->most_steps || steps < m->most_steps;
}

static dal_status begin(void *user, const dal_system_info *info, int n, const dal_column *columns)
{
    motion *m = user;
    (void)info;
    m->columns = n;
    m->name = malloc(sizeof *m->name * (size_t)n);
    m->factor = malloc(sizeof *m->factor * (size_t)n);
    for (int i = 0; i < n; i++) {
        m->name[i] = strdup(columns[i].name);
        m->factor[i] = columns[i].name[0] == '(' ? 1 : scaled_factor(m->scale, scaled_alternative(columns[i].unit, 0));
    }
    return DAL_OK;
}

static dal_status keep(void *user, int n, const double *values)
{
    motion *m = user;
    m->value = realloc(m->value, sizeof *values * (size_t)((m->rows + 1) * n));
    memcpy(m->value + (size_t)(m->rows++ * n), values, sizeof *values * (size_t)n);
    return DAL_OK;
}

static void forget(motion *m)
{
    for (int i = 0; i < m->columns; i++)
        free(m->name[i]);
    free(m->name);
    free(m->factor);
    free(m->value);
}

/* "integrator=ab6 step=1e-3" */
static void set_all(dal_spec *spec, const char *settings, dal_messages *messages)
{
    char text[400], *rest = text, *word;
    snprintf(text, sizeof text, "%s", settings);
    while ((word = strsep(&rest, " "))) {
        char *equals = strchr(word, '=');
        if (!equals)
            continue;
        *equals = '\0';
        assert_true(dal_spec_set(spec, word, equals + 1, messages));
    }
}

/* The first forty rows, or steps of a fixed length. */
static void shorten(dal_spec *spec, char text[300])
{
    dal_simulate_spec *r = &spec->simulate;
    const char *until = r->until.text ? r->until.text : "1", *row = r->every.text ? r->every.text : r->step.text;
    if (row)
        snprintf(text, 300, "min(%s, 40*(%s))", until, row);
    else
        snprintf(text, 300, "(%s)/40", until);
    r->until.text = text;
}

static void note_error(motion *m, dal_messages *messages)
{
    for (const dal_message *one = dal_messages_first(messages); one; one = one->next)
        if (one->severity == DAL_ERROR && !m->message[0])
            snprintf(m->message, sizeof m->message, "%s", one->text);
}

static motion run(const char *file, const char *settings, const units *u, long most_steps)
{
    motion m = {.most_steps = most_steps};
    dal_messages *messages = dal_messages_create(NULL);
    dal_spec *spec = NULL;
    dal_system *system = NULL;
    char until[300];
    scaled s = {0};
    m.status = dal_spec_read(NULL, file, 0, NULL, messages, &spec);
    if (m.status == DAL_OK) {
        set_all(spec, settings, messages);
        shorten(spec, until);
        dal_spec_record_motion(spec);
        s = scaled_spec(spec, u->length, u->mass, u->time, own_units);
        m.scale = &s;
        m.status = dal_compile(NULL, spec, messages, &system);
    }
    if (m.status == DAL_OK) {
        const dal_sink sink = {&m, begin, keep};
        const dal_run_options options = {.sink = &sink, .progress = go_on, .progress_user = &m};
        m.status = dal_run(system, &options, messages, &m.evidence);
    }
    note_error(&m, messages);
    dal_system_free(system);
    dal_spec_free(spec);
    scaled_free(&s);
    dal_messages_free(messages);
    return m;
}

/* ---- comparisons ----------------------------------------------------------------------- */

static int failures;

static void report(const char *file, const char *settings, const units *u, const char *format, ...) DAL_PRINTF(4, 5);
static void report(const char *file, const char *settings, const units *u, const char *format, ...)
{
    char line[900];
    va_list list;
    va_start(list, format);
    vsnprintf(line, sizeof line, format, list);
    va_end(list);
    print_message("%s%s%s, %s: %s\n", strrchr(file, '/') + 1, *settings ? " " : "", settings, u->name, line);
    failures++;
}

/* The largest gap is one of lengths or of angles: it has no one unit. */
static bool is_gap(const char *name)
{
    return strstr(name, "constraint.position") || strstr(name, "constraint.velocity");
}

/* Bit for bit. */
static bool same_bits(const motion *a, const motion *b, const char *file, const char *settings, const units *u)
{
    if (a->status != b->status) {
        report(file, settings, u, "status %d instead of %d (%s)", b->status, a->status, b->status == DAL_OK ? a->message : b->message);
        return false;
    }
    if (a->columns != b->columns) {
        report(file, settings, u, "%d columns instead of %d", b->columns, a->columns);
        return false;
    }
    for (int i = 0; i < (a->rows < b->rows ? a->rows : b->rows); i++)
        for (int k = 0; k < a->columns; k++) {
            const double x = a->value[i * a->columns + k], y = b->value[i * a->columns + k] / b->factor[k];
            if (x != y && !is_gap(a->name[k])) {
                report(file, settings, u, "row %d, %s: %.17g instead of %.17g (%.1e relative; %ld steps instead of %ld)", i, a->name[k], y, x, fabs(y - x) / fabs(x),
                       b->evidence.steps, a->evidence.steps);
                return false;
            }
        }
    if (a->rows != b->rows || a->evidence.steps != b->evidence.steps || a->evidence.evaluations != b->evidence.evaluations) {
        report(file, settings, u, "%d rows, %ld steps, %ld evaluations instead of %d, %ld, %ld", b->rows, b->evidence.steps, b->evidence.evaluations, a->rows, a->evidence.steps,
               a->evidence.evaluations);
        return false;
    }
    return true;
}

static const units powers_of_two[] = {
    {"lengths times 2^30", 0x1p30, 1, 1}, {"lengths times 2^-30", 0x1p-30, 1, 1}, {"masses times 2^30", 1, 0x1p30, 1},
    {"masses times 2^-30", 1, 0x1p-30, 1}, {"times times 2^30", 1, 1, 0x1p30},     {"times times 2^-30", 1, 1, 0x1p-30},
};

static void compare_bits(const char *file, const char *settings)
{
    motion a = run(file, settings, &as_written, 0);
    for (size_t k = 0; k < sizeof powers_of_two / sizeof *powers_of_two; k++) {
        motion b = run(file, settings, &powers_of_two[k], 10 * a.evidence.steps);
        same_bits(&a, &b, file, settings, &powers_of_two[k]);
        forget(&b);
    }
    forget(&a);
}

static void for_all(void (*claim)(const char *file, const char *settings), const char *settings)
{
    static const char *const folders[] = {DAL_MODELS "/*.yaml", DAL_MODELS "/joints/*.yaml", DAL_MODELS "/*.urdf"};
    const char *only = getenv("DAL_SCALING_MODEL");
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        glob_t found;
        assert_int_equal(glob(folders[i], 0, NULL, &found), 0);
        for (size_t k = 0; k < found.gl_pathc; k++)
            if (!only || strstr(found.gl_pathv[k], only))
                claim(found.gl_pathv[k], settings);
        globfree(&found);
    }
}

static void in_powers_of_two_every_model_runs_bit_for_bit(void **unused)
{
    (void)unused;
    failures = 0;
    for_all(compare_bits, "");
    if (failures)
        fail_msg("%d differ", failures);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_powers_of_two_every_model_runs_bit_for_bit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
