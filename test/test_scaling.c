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
    {"spring-pendulum-lagrangian.yaml", "r", "m"},
    {"joined-oscillator.yaml", "x", "m"},
    {"joined-oscillator.yaml", "y", "m"},
    {"joined-oscillator.yaml", "z", "m"},
    {"joined-oscillator.yaml", "joined", "m"},
    {"singular-mass.yaml", "x", "m"},
    {"singular-mass.yaml", "q1", "m"},
    {"singular-mass.yaml", "q2", "m"},
    {"singular-mass.yaml", "joined", "m"},
    {"cart-two-bars.yaml", "x", "m"},
    {"cart-two-bars.yaml", "wheel", "m/s"},
    {"cart-two-bars.yaml", "u1", "rad/s"},
    {"cart-two-bars.yaml", "u2", "m/s"},
    {"appell-hamel.yaml", "cone", "m^2/s^2"},
    {"constant-speed.yaml", "speed", "m^2/s^2"},
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
    {"maxwell-element.yaml", "x1", "m"},
    {"maxwell-element.yaml", "x2", "m"},
    {"maxwell-element.yaml", "y", "m"},
    {"springs-in-series-derived.yaml", "x1", "m"},
    {"springs-in-series-derived.yaml", "q1", "m"},
    {"springs-in-series-derived.yaml", "q2", "m"},
    {"springs-in-series-derived.yaml", "joined", "m"},
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
    {"dragged.yaml", "guide", "m"},
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
    char **name, **unit;
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

/* A coordinate of the model's own has no unit in its column. */
static scaled_unit unit_of_column(const scaled *s, const dal_column *column)
{
    const size_t n = scaled_path_length(column->name);
    char path[200];
    if (*column->unit || n >= sizeof path)
        return scaled_alternative(column->unit, 0);
    snprintf(path, sizeof path, "%.*s", (int)n, column->name);
    scaled_unit unit = scaled_channel(s, NULL, path);
    unit.time -= (int)strspn(column->name + n, "'");
    return unit;
}

static dal_status begin(void *user, const dal_system_info *info, int n, const dal_column *columns)
{
    motion *m = user;
    (void)info;
    m->columns = n;
    m->name = malloc(sizeof *m->name * (size_t)n);
    m->unit = malloc(sizeof *m->unit * (size_t)n);
    m->factor = malloc(sizeof *m->factor * (size_t)n);
    for (int i = 0; i < n; i++) {
        m->name[i] = strdup(columns[i].name);
        m->unit[i] = strdup(columns[i].unit);
        m->factor[i] = columns[i].name[0] == '(' ? 1 : scaled_factor(m->scale, unit_of_column(m->scale, &columns[i]));
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
    for (int i = 0; i < m->columns; i++) {
        free(m->name[i]);
        free(m->unit[i]);
    }
    free(m->name);
    free(m->unit);
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

static int rows_wanted = 40;

/* The first rows, or steps of a fixed length. */
static void shorten(dal_spec *spec, char text[300])
{
    dal_simulate_spec *r = &spec->simulate;
    const char *until = r->until.text ? r->until.text : "1", *row = r->every.text ? r->every.text : r->step.text;
    if (row)
        snprintf(text, 300, "min(%s, %d*(%s))", until, rows_wanted, row);
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

/* Numbers near the end of the range lose digits, and points that coincide have the length 1e-150, which no unit changes. */
static const double nothing = 1e-140;

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
            if (x != y && !is_gap(a->name[k]) && !(fabs(x) < nothing && fabs(y) < nothing)) {
                report(file, settings, u, "row %d, %s: %.17g instead of %.17g (%.1e relative; %ld steps instead of %ld)", i, a->name[k], y, x,
                       fabs(y - x) / fabs(x), b->evidence.steps, a->evidence.steps);
                return false;
            }
        }
    if (a->rows != b->rows || a->evidence.steps != b->evidence.steps || a->evidence.evaluations != b->evidence.evaluations) {
        report(file, settings, u, "%d rows, %ld steps, %ld evaluations instead of %d, %ld, %ld", b->rows, b->evidence.steps, b->evidence.evaluations,
               a->rows, a->evidence.steps, a->evidence.evaluations);
        return false;
    }
    return true;
}

static const units powers_of_two[] = {
    {"lengths times 2^30", 0x1p30, 1, 1},  {"lengths times 2^-30", 0x1p-30, 1, 1}, {"masses times 2^30", 1, 0x1p30, 1},
    {"masses times 2^-30", 1, 0x1p-30, 1}, {"times times 2^30", 1, 1, 0x1p30},     {"times times 2^-30", 1, 1, 0x1p-30},
};
enum { POWERS = sizeof powers_of_two / sizeof *powers_of_two };

static bool all_units; /* otherwise both signs of the exponents by turns: of a length, a mass and a time */
static long runs;

static void compare_bits(const char *file, const char *settings)
{
    static int turn;
    turn++;
    motion a = run(file, settings, &as_written, 0);
    for (int k = 0; k < POWERS; k++) {
        if (!all_units && (k + turn) % 2)
            continue;
        runs++;
        motion b = run(file, settings, &powers_of_two[k], 10 * a.evidence.steps);
        same_bits(&a, &b, file, settings, &powers_of_two[k]);
        forget(&b);
    }
    forget(&a);
}

/* ---- verdicts ------------------------------------------------------------------------------ */

static dal_verdict *judge(const char *file, const units *u, dal_messages *messages)
{
    dal_spec *spec = NULL;
    dal_verdict *verdict = NULL;
    assert_int_equal(dal_spec_read(NULL, file, 0, NULL, messages, &spec), DAL_OK);
    scaled s = scaled_spec(spec, u->length, u->mass, u->time, own_units);
    dal_check(spec, NULL, messages, &verdict);
    assert_non_null(verdict);
    dal_spec_free(spec);
    scaled_free(&s);
    return verdict;
}

/* "assembled-far redundant": what is warned of. */
static void list_codes(int n, const dal_message *const *warnings, char text[600])
{
    text[0] = '\0';
    for (int i = 0; i < n; i++)
        snprintf(text + strlen(text), 600 - strlen(text), "%s%s", i ? " " : "", warnings[i]->code ? warnings[i]->code : "-");
}

static void same_verdict(const dal_verdict *a, const dal_verdict *b, const char *file, const units *u)
{
    const struct {
        const char *what;
        int a, b;
    } counts[] = {
#define COUNT(field) {#field, (int)a->field, (int)b->field}
        COUNT(known),      COUNT(status),        COUNT(velocities), COUNT(rows),          COUNT(rank),         COUNT(freedoms),   COUNT(counted),
        COUNT(redundant),  COUNT(n_groups),      COUNT(n_nearly),   COUNT(n_spare),       COUNT(consistent),   COUNT(neighbours), COUNT(rank_near),
        COUNT(singular),   COUNT(near_singular), COUNT(isolated),   COUNT(gained),        COUNT(rank_inertia), COUNT(n_light),    COUNT(rank_stacked),
        COUNT(determined), COUNT(n_loose),       COUNT(n_moved),    COUNT(contradictory), COUNT(closest),      COUNT(n_open),     COUNT(n_warnings),
#undef COUNT
    };
    char codes[2][600];
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        if (counts[i].a != counts[i].b) {
            report(file, "check", u, "%s is %d instead of %d (%s)", counts[i].what, counts[i].b, counts[i].a, b->reason ? b->reason : "");
            return;
        }
    list_codes(a->n_warnings, a->warnings, codes[0]);
    list_codes(b->n_warnings, b->warnings, codes[1]);
    if (strcmp(codes[0], codes[1]))
        report(file, "check", u, "warns of %s instead of %s", codes[1], codes[0]);
    if (strcmp(a->ignorable, b->ignorable))
        report(file, "check", u, "ignorable: %s instead of %s", b->ignorable, a->ignorable);
}

/* Numbers of a verdict, in units of the original. */
static void same_numbers(const dal_verdict *a, const dal_verdict *b, const char *file, const units *u)
{
    const struct {
        const char *what;
        double a, b;
    } numbers[] = {
        {"n_moves", a->n_moves, b->n_moves},                                                      /* values that rounding moves are among them */
        {"length", a->info.length, a->info.bodies ? b->info.length / u->length : b->info.length}, /* of no bodies: 1 */
        {"ratio", a->ratio, b->ratio},
        {"ratio_near", a->ratio_near, b->ratio_near},
        {"mass_ratio", a->mass_ratio, b->mass_ratio},
        {"inertia_ratio", a->inertia_ratio, b->inertia_ratio},
        {"length_ratio", a->length_ratio, b->length_ratio},
        {"shift_most", a->shift_most, b->shift_most / u->length},
        {"turn_most", a->turn_most, b->turn_most},
        {"velocity_most", a->velocity_most, b->velocity_most / u->length * u->time},
        {"spin_most", a->spin_most, b->spin_most * u->time},
        {"fastest", a->fastest, b->fastest * u->time},
        {"step_limit", a->step_limit, b->step_limit / u->time},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (numbers[i].a != numbers[i].b && !(isnan(numbers[i].a) && isnan(numbers[i].b))) {
            report(file, "check", u, "%s is %.17g instead of %.17g", numbers[i].what, numbers[i].b, numbers[i].a);
            return;
        }
}

static void compare_verdicts(const char *file, const char *settings)
{
    dal_messages *first = dal_messages_create(NULL);
    dal_verdict *a = judge(file, &as_written, first);
    (void)settings;
    for (int k = 0; k < POWERS; k++) {
        dal_messages *messages = dal_messages_create(NULL);
        dal_verdict *b = judge(file, &powers_of_two[k], messages);
        same_verdict(a, b, file, &powers_of_two[k]);
        same_numbers(a, b, file, &powers_of_two[k]);
        dal_verdict_free(b);
        dal_messages_free(messages);
    }
    dal_verdict_free(a);
    dal_messages_free(first);
}

/* ---- units that are no powers of two ---------------------------------------------------------- */

static const units decimal[] = {
    {"lengths times 1e9", 1e9, 1, 1}, {"lengths times 1e-9", 1e-9, 1, 1}, {"lengths times 1e12", 1e12, 1, 1},
    {"masses times 1e9", 1, 1e9, 1},  {"masses times 1e-9", 1, 1e-9, 1},  {"masses times 1e12", 1, 1e12, 1},
    {"times times 1e9", 1, 1, 1e9},   {"times times 1e-9", 1, 1, 1e-9},   {"times times 1e12", 1, 1, 1e12},
};
enum { DECIMALS = sizeof decimal / sizeof *decimal };

/* The largest number of a unit in the motion of the bodies. */
static double largest(const motion *m, const char *unit)
{
    double size = 0;
    for (int k = 0; k < m->columns; k++)
        for (int i = 0; i < m->rows && m->name[k][0] != '(' && !is_gap(m->name[k]) && !strcmp(m->unit[k], unit); i++)
            size = fmax(size, fabs(m->value[i * m->columns + k]));
    return size;
}

/* What a miss is measured by: the motion of the whole model, its length and a radian; 0: not compared (forces and energies, which are small
 * differences of large numbers, and what the model records). */
static double measure_of(const motion *m, int column)
{
    const double length = m->evidence.info.length;
    const char *unit = m->unit[column];
    if (m->name[column][0] == '(' || is_gap(m->name[column]))
        return 0;
    return !strcmp(unit, "m")       ? fmax(largest(m, "m"), length)
           : !strcmp(unit, "m/s")   ? fmax(largest(m, "m/s"), length * largest(m, "rad/s"))
           : !strcmp(unit, "rad/s") ? fmax(largest(m, "rad/s"), largest(m, "m/s") / length)
           : !strcmp(unit, "rad")   ? fmax(largest(m, "rad"), 1)
           : !strcmp(unit, "1")     ? 1
                                    : 0;
}

static void same_motion(const motion *a, const motion *b, const char *file, const units *u)
{
    if (a->status != b->status || a->rows != b->rows) {
        report(file, "", u, "status %d instead of %d, %d rows instead of %d (%s)", b->status, a->status, b->rows, a->rows, b->message);
        return;
    }
    for (int k = 0; k < a->columns; k++) {
        const double size = measure_of(a, k);
        for (int i = 0; i < a->rows && size > 0; i++) {
            const double x = a->value[i * a->columns + k], y = b->value[i * a->columns + k] / b->factor[k];
            if (!(fabs(x - y) <= 1e-9 * size)) {
                report(file, "", u, "row %d, %s: %.17g instead of %.17g, %.1e of %.3g (%ld steps instead of %ld)", i, a->name[k], y, x,
                       fabs(x - y) / size, size, b->evidence.steps, a->evidence.steps);
                return;
            }
        }
    }
}

/* The time in which the fastest motion at the start turns by a radian, or as long as the model is run. With tolerances below the claim: where a
 * step is rejected by a hair in one run and accepted in the other, the two differ by as much as they allow. */
static void compare_decimal(const char *file, const char *settings)
{
    dal_messages *messages = dal_messages_create(NULL);
    dal_verdict *a = judge(file, &as_written, messages);
    char words[400];
    snprintf(words, sizeof words, "%s rtol=1e-11 atol=1e-13", settings);
    if (a->fastest > 0 && 1 / a->fastest < a->info.until && a->info.step == 0)
        snprintf(words + strlen(words), sizeof words - strlen(words), " until=%.17g every=%.17g", 1 / a->fastest, 0.1 / a->fastest);
    motion first = run(file, words, &as_written, 0);
    static int turn; /* for one model these three units, for the next the three beside them */
    turn++;
    for (int k = 0; k < DECIMALS; k++) {
        if (!all_units && (k + k / 3 + turn) % 3)
            continue;
        runs++;
        dal_messages *others = dal_messages_create(NULL);
        dal_verdict *b = judge(file, &decimal[k], others);
        motion second = run(file, words, &decimal[k], 10 * first.evidence.steps);
        same_verdict(a, b, file, &decimal[k]);
        same_motion(&first, &second, file, &decimal[k]);
        forget(&second);
        dal_verdict_free(b);
        dal_messages_free(others);
    }
    forget(&first);
    dal_verdict_free(a);
    dal_messages_free(messages);
}

/* ---- the instrument ------------------------------------------------------------------------------- */

/* Is a recorded text nothing but a channel? Its path without primes. */
static bool is_channel(const char *text, char path[200], int *primes)
{
    const size_t n = scaled_path_length(text);
    *primes = (int)strspn(text + n, "'");
    snprintf(path, 200, "%.*s", (int)n, text);
    return n > 0 && n < 200 && isalpha((unsigned char)*text) && !text[n + (size_t)*primes];
}

/* The number of a force element is a torque where it acts about an angle, whatever it is called. */
static bool is_effort(const scaled *s, const char *path)
{
    const scaled_element e = scaled_find(s, NULL, path);
    return e.kind == SCALED_FORCE && strcmp(e.rest, ".length") != 0;
}

/* A name of the model's own that is not in the list above: its unit is inferred, which is test_units.c's business. */
static bool is_inferred(const scaled *s, const char *path)
{
    const scaled_element e = scaled_find(s, NULL, path);
    const scaled_unit listed = e.kind == SCALED_CONSTRAINT ? scaled_own_unit(s, s->spec->constraints[e.index].name.text) : scaled_own_unit(s, path);
    if (e.kind == SCALED_OTHER && strstr(path, ".multiplier")) /* of a constraint that was derived: the description does not have it */
        return true;
    const bool own = e.kind == SCALED_NAMED || e.kind == SCALED_OWN || e.kind == SCALED_CONSTRAINT;
    return own && !listed.length && !listed.mass && !listed.time;
}

static void same_units(const char *file, const scaled *s, const dal_system *system, const dal_record_spec *record, int n)
{
    int columns, all;
    const dal_column *column = dal_system_columns(system, &columns, &all);
    for (int i = 0; i < n; i++) {
        char path[200];
        int primes;
        for (int k = 0; k < columns; k++) {
            if (strcmp(column[k].name, record[i].value.text) || !*column[k].unit || !is_channel(record[i].value.text, path, &primes) ||
                is_effort(s, path) || is_inferred(s, path))
                continue;
            scaled_unit a = scaled_alternative(column[k].unit, 0), b = scaled_channel(s, NULL, path);
            b.time -= primes;
            if (a.length != b.length || a.mass != b.mass || a.time != b.time)
                report(file, "", &as_written, "%s is in %s", record[i].value.text, column[k].unit);
        }
    }
}

/* What scaled_spec.h takes for the unit of a channel is that of its column. */
static void compare_units(const char *file, const char *settings)
{
    dal_messages *messages = dal_messages_create(NULL);
    dal_spec *spec = NULL;
    dal_system *system = NULL;
    (void)settings;
    assert_int_equal(dal_spec_read(NULL, file, 0, NULL, messages, &spec), DAL_OK);
    assert_int_equal(dal_compile(NULL, spec, messages, &system), DAL_OK);
    const char *slash = strrchr(spec->file, '/');
    const scaled s = {.spec = spec, .model = slash ? slash + 1 : spec->file, .length = 1, .mass = 1, .time = 1, .own = own_units};
    same_units(file, &s, system, spec->record, spec->n_record);
    dal_system_free(system);
    dal_spec_free(spec);
    dal_messages_free(messages);
}

/* ---- the models ---------------------------------------------------------------------------------- */

static void for_files(const char *pattern, void (*claim)(const char *file, const char *settings), const char *settings)
{
    const char *only = getenv("DAL_SCALING_MODEL"), *more = getenv("DAL_SCALING_SETTINGS");
    glob_t found;
    assert_int_equal(glob(pattern, 0, NULL, &found), 0);
    for (size_t k = 0; k < found.gl_pathc; k++)
        if (!only || strstr(found.gl_pathv[k], only))
            claim(found.gl_pathv[k], more ? more : settings);
    globfree(&found);
}

static const char *const folders[] = {DAL_MODELS "/*.yaml", DAL_MODELS "/joints/*.yaml", DAL_MODELS "/*.urdf", DAL_TEST_MODELS "/scaling/*.yaml"};

static void for_all(void (*claim)(const char *file, const char *settings))
{
    failures = 0;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        for_files(folders[i], claim, "");
}

static void none_differs(void)
{
    if (failures)
        fail_msg("%d differ", failures);
}

static void units_of_channels_are_those_of_their_columns(void **unused)
{
    (void)unused;
    for_all(compare_units);
    none_differs();
}

static void in_powers_of_two_every_model_runs_bit_for_bit(void **unused)
{
    (void)unused;
    for_all(compare_bits);
    none_differs();
}

static void in_powers_of_two_every_verdict_is_the_same(void **unused)
{
    (void)unused;
    for_all(compare_verdicts);
    for_files(DAL_MODELS "/verdicts/*.yaml", compare_verdicts, "");
    none_differs();
}

static void in_other_units_verdicts_are_the_same_and_motions_to_1e_9(void **unused)
{
    (void)unused;
    for_all(compare_decimal);
    none_differs();
}

/* Every family with every formulation; every stabilization and every integrator in every family: of these, one in `part`, from `first` on. */
static void for_choices(const char *pattern, int part, int first)
{
    const char *family, *word, *title;
    char settings[200];
    int choice = first;
    for (int f = 0, last = 0; !last; f++) {
        last = !dal_list_entry("coordinates", f, &family, &title);
        if (last)
            family = "natural:eliminate=linear"; /* an option that is a family of its own */
        if (!strcmp(family, "user"))
            continue;
        for (int i = 0; dal_list_entry("formulation", i, &word, &title); i++) {
            snprintf(settings, sizeof settings, "coordinates=%s formulation=%s stabilization=mass-projection integrator=dopri5", family, word);
            if (choice++ % part == 0)
                for_files(pattern, compare_bits, settings);
        }
        for (int i = 0; dal_list_entry("stabilization", i, &word, &title); i++) {
            const char *gains = !strcmp(word, "baumgarte") ? ":alpha=15,beta=20" : !strcmp(word, "penalty") ? ":omega=20" : "";
            snprintf(settings, sizeof settings, "coordinates=%s formulation=lagrange stabilization=%s%s integrator=rk4 step=1e-3 every=1e-3", family,
                     word, gains);
            if (choice++ % part == 0)
                for_files(pattern, compare_bits, settings);
        }
        for (int i = 0; dal_list_entry("integrator", i, &word, &title); i++) {
            snprintf(settings, sizeof settings,
                     "coordinates=%s formulation=lagrange stabilization=mass-projection integrator=%s step=1e-3 every=5e-3", family, word);
            if (choice++ % part == 0)
                for_files(pattern, compare_bits, settings);
        }
    }
}

static const char *const sample[] = {
    DAL_MODELS "/four-bar.yaml",     DAL_MODELS "/slider-crank-spring.yaml", DAL_MODELS "/spatial-slider-crank.yaml",
    DAL_MODELS "/rolling-disc.yaml", DAL_MODELS "/gripper-arm.urdf",         DAL_TEST_MODELS "/scaling/stick-slip.yaml"};

/* Each choice with two of the six models; `test_scaling long` has all of them. */
static void in_powers_of_two_every_choice_runs_bit_for_bit(void **unused)
{
    (void)unused;
    failures = 0;
    rows_wanted = 10;
    for (int i = 0; i < (int)(sizeof sample / sizeof *sample); i++)
        for_choices(sample[i], 3, i);
    rows_wanted = 40;
    none_differs();
}

static void in_powers_of_two_every_formulation_of_own_coordinates_runs_bit_for_bit(void **unused)
{
    const char *word, *title;
    char settings[200];
    (void)unused;
    failures = 0;
    for (int i = 0; dal_list_entry("formulation", i, &word, &title); i++) {
        snprintf(settings, sizeof settings, "formulation=%s", word);
        for_files(DAL_MODELS "/cart-two-bars.yaml", compare_bits, settings);
        for_files(DAL_MODELS "/satellite-boom.yaml", compare_bits, settings);
    }
    none_differs();
}

/* Of all choices of all models, below, those in which a number of shifts stands beside one of turns: start rates of a screw; rows that are
 * only rounding, among redundant ones; refined accelerations of Routh's equations; pivots of sparse matrices. */
static void in_powers_of_two_shifts_beside_turns_run_bit_for_bit(void **unused)
{
    (void)unused;
    failures = 0;
    rows_wanted = 5;
    for_files(DAL_MODELS "/screw-press.yaml", compare_bits, "coordinates=joint");
    all_units = true;
    for_files(DAL_MODELS "/screw-press.yaml", compare_bits,
              "coordinates=euler formulation=lagrange stabilization=mass-projection integrator=cvode-bdf step=1e-3 every=5e-3");
    all_units = check_everything;
    for_files(DAL_TEST_MODELS "/scaling/screw-and-shaft.yaml", compare_bits, "coordinates=joint");
    for_files(DAL_MODELS "/n-four-bar-spatial.yaml", compare_bits, "coordinates=joint");
    for_files(DAL_MODELS "/cart-pole-light.yaml", compare_bits, "coordinates=joint formulation=routh");
    for_files(DAL_MODELS "/andrews.yaml", compare_bits, "coordinates=natural step=1e-3 every=5e-3");
    rows_wanted = 40;
    none_differs();
}

/* Both signs of the exponents by turns; `full`: all units for each of them. */
static void in_powers_of_two_every_choice_of_every_model_runs_bit_for_bit(void **unused)
{
    (void)unused;
    failures = 0;
    rows_wanted = 5;
    all_units = check_everything;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        for_choices(folders[i], 1, 0);
    rows_wanted = 40;
    none_differs();
}

/* `test_scaling long`: what takes minutes; `full`: all of that in all units; `test_scaling PATTERN`: the tests whose names match it. */
int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(units_of_channels_are_those_of_their_columns),
        cmocka_unit_test(in_powers_of_two_every_model_runs_bit_for_bit),
        cmocka_unit_test(in_powers_of_two_every_verdict_is_the_same),
        cmocka_unit_test(in_powers_of_two_every_formulation_of_own_coordinates_runs_bit_for_bit),
        cmocka_unit_test(in_powers_of_two_every_choice_runs_bit_for_bit),
        cmocka_unit_test(in_powers_of_two_shifts_beside_turns_run_bit_for_bit),
        cmocka_unit_test(in_other_units_verdicts_are_the_same_and_motions_to_1e_9),
    };
    const struct CMUnitTest lengthy[] = {
        cmocka_unit_test(in_powers_of_two_every_model_runs_bit_for_bit),
        cmocka_unit_test(in_other_units_verdicts_are_the_same_and_motions_to_1e_9),
        cmocka_unit_test(in_powers_of_two_every_choice_of_every_model_runs_bit_for_bit),
    };
    check_everything = argc > 1 && !strcmp(argv[1], "full");
    if (check_everything || (argc > 1 && !strcmp(argv[1], "long"))) {
        all_units = true;
        const int failed = cmocka_run_group_tests(lengthy, NULL, NULL);
        print_message("%ld runs in other units\n", runs);
        return failed;
    }
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
