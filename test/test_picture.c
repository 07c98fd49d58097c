/* Pictures: axes that can be read, no peak lost, nothing in a name that could break the file. */
#include "check.h"

#include "dalembert/dalembert.h"
#include "output/svg.h"

#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct place {
    char path[64];
    dal_messages *messages;
} place;

static int enter_place(void **state)
{
    place *here = calloc(1, sizeof *here);
    strcpy(here->path, "/tmp/test_picture.XXXXXX.csv");
    const int fd = mkstemps(here->path, 4);
    here->messages = dal_messages_create(NULL);
    *state = here;
    return fd < 0 ? -1 : close(fd);
}

static int leave_place(void **state)
{
    place *here = *state;
    unlink(here->path);
    dal_messages_free(here->messages);
    free(here);
    return 0;
}

static int count_of(const char *text, const char *word)
{
    int n = 0;
    for (; (text = strstr(text, word)); text += strlen(word))
        n++;
    return n;
}

/* Elements end in the order in which they began, and no character stands where it must not. */
static void check_xml(const char *text)
{
    const char *open[64];
    int depth = 0;
    for (const char *at = text; (at = strchr(at, '<'));) {
        const char *end = strchr(at, '>');
        assert_non_null(end);
        assert_null(memchr(at + 1, '<', (size_t)(end - at - 1)));
        if (at[1] == '/') {
            assert_true(depth > 0);
            depth--;
            assert_int_equal(strncmp(open[depth] + 1, at + 2, (size_t)(end - at - 2)), 0);
        } else if (end[-1] != '/') {
            assert_true(depth < 64);
            open[depth++] = at;
        }
        at = end;
    }
    assert_int_equal(depth, 0);
    assert_int_equal(strncmp(text, "<svg ", 5), 0);
}

/* ---- axes --------------------------------------------------------------------- */

static void ticks_are_round_inside_and_told_apart(void **state)
{
    uint64_t seed = 3;
    (void)state;
    for (int i = 0; i < 20000; i++) {
        const double size = pow(10, 12 * check_random(&seed)), middle = i % 3 ? size * check_random(&seed) : 1e5 * size * check_random(&seed);
        const double least = middle - size * (1.01 + check_random(&seed)), most = middle + size * (1.01 + check_random(&seed));
        const dal_ticks t = dal_ticks_choose(least, most, 5);
        assert_true(t.n >= 2 && t.n <= 11);
        const double part = t.step / pow(10, floor(log10(t.step) + 1e-9));
        assert_true(fabs(part - 1) < 1e-6 || fabs(part - 2) < 1e-6 || fabs(part - 5) < 1e-6);
        char before[40] = "", label[40];
        for (int k = 0; k < t.n; k++) {
            const double value = t.first + k * t.step;
            assert_true(value > least - 1e-6 * size && value < most + 1e-6 * size);
            dal_tick_label(&t, k, label, sizeof label);
            check_close(strtod(label, NULL) * t.unit + t.offset, value, 1e-6 * t.step + 1e-15 * fabs(value));
            assert_string_not_equal(label, before);
            if (strlen(label) > 9)
                fail_msg("the labels of %.9g to %.9g are as long as %s", least, most, label);
            strcpy(before, label);
        }
    }
}

/* ---- plots ----------------------------------------------------------------------- */

static void write_table(place *here, int rows, int spike)
{
    FILE *file = fopen(here->path, "w");
    uint64_t seed = 11;
    fprintf(file, "time,crank.angle,slider.x,rod.x,noise\n");
    for (int i = 0; i < rows; i++)
        fprintf(file, "%.9g,%.9g,%.9g,%.9g,%.9g\n", 1e-3 * i, sin(1e-3 * i), i == spike ? 7.25 : 0.1 * check_random(&seed), 0.5,
                1 + check_random(&seed));
    fclose(file);
}

static char *plot(place *here, const dal_plot_options *options, dal_status wanted)
{
    char *text;
    assert_int_equal(dal_plot_svg(NULL, here->path, options, here->messages, &text), wanted);
    if (wanted == DAL_OK)
        check_xml(text);
    else
        assert_null(text);
    return text;
}

/* The least and largest y of all points of the line of that number. */
static void range_of_line(const char *svg, int number, double *least, double *most, int *points)
{
    const char *at = svg;
    for (int i = 0; i <= number; i++) {
        at = strstr(at, "stroke-linejoin=\"round\"");
        assert_non_null(at);
        at = strstr(at, " d=\"") + 4;
    }
    *least = INFINITY, *most = -INFINITY, *points = 0;
    for (; *at != '"'; (*points)++) {
        double x, y;
        int used = 0;
        assert_int_equal(sscanf(at + 1, "%lf %lf%n", &x, &y, &used), 2);
        *least = fmin(*least, y);
        *most = fmax(*most, y);
        at += 1 + used;
    }
}

static void one_row_of_a_hundred_thousand_is_seen(void **state)
{
    place *here = *state;
    static const char *const names[] = {"slider.x"};
    double least, most;
    int points;
    write_table(here, 100000, 61803);
    char *svg = plot(here, &(dal_plot_options){.n_channels = 1, .channels = names, .from = NAN, .to = NAN}, DAL_OK);
    range_of_line(svg, 0, &least, &most, &points);
    /* the range is drawn with a margin of 4 per cent: the spike stands 0.04 / 1.08 below the upper edge */
    const double top = 14 + 18, height = 150;
    check_close(least, top + height * 0.04 / 1.08, 0.02);
    check_close(most, top + height * 1.04 / 1.08, 0.02);
    assert_true(points < 4 * 2 * 720);
    free(svg);
}

static void channels_of_one_unit_share_a_panel(void **state)
{
    place *here = *state;
    static const char *const names[] = {"crank.angle", "slider.x", "rod.x", "noise"};
    write_table(here, 500, -1);
    char *svg = plot(here, &(dal_plot_options){.n_channels = 4, .channels = names, .from = 0.1, .to = 0.3, .title = "A <b> & \"c\""}, DAL_OK);
    assert_int_equal(count_of(svg, "fill=\"none\" stroke=\"#444444\"/>"), 3); /* rad, m, and what has no unit */
    assert_non_null(strstr(svg, ">rad</text>"));
    assert_non_null(strstr(svg, ">m</text>"));
    assert_non_null(strstr(svg, ">time, s</text>"));
    assert_non_null(strstr(svg, "A &lt;b&gt; &amp; &quot;c&quot;"));
    free(svg);
}

static void a_phase_plot_closes_its_circle(void **state)
{
    place *here = *state;
    static const char *const names[] = {"y"};
    FILE *file = fopen(here->path, "w");
    fprintf(file, "time,x,y\n");
    for (int i = 0; i <= 20000; i++)
        fprintf(file, "%d,%.12g,%.12g\n", i, cos(i * 3.14159265358979323846e-4), sin(i * 3.14159265358979323846e-4));
    fclose(file);
    double least, most;
    int points;
    char *svg = plot(here, &(dal_plot_options){.n_channels = 1, .channels = names, .x = "x", .from = NAN, .to = NAN}, DAL_OK);
    range_of_line(svg, 0, &least, &most, &points);
    check_close(most - least, 150 / 1.08, 0.8); /* points nearer than 0.4 of a pixel are left out */
    assert_true(points < 5000);
    free(svg);
}

/* Sizes of 1e-9 to 1e-3, and zero below them: the lower edge, whose label is 0. */
static void zero_stands_at_the_lower_edge_of_a_logarithmic_axis(void **state)
{
    place *here = *state;
    static const char *const names[] = {"error", "none"};
    FILE *file = fopen(here->path, "w");
    fprintf(file, "time,error,none\ns,1,1\n");
    for (int i = 0; i <= 60; i++)
        fprintf(file, "%d,%.12g,0\n", i, i % 2 ? pow(10, -9 + i / 10) : 0);
    fclose(file);
    double least[2], most[2];
    int points;
    char *svg = plot(here, &(dal_plot_options){.n_channels = 2, .channels = names, .log = true, .from = NAN, .to = NAN}, DAL_OK);
    for (int i = 0; i < 2; i++)
        range_of_line(svg, i, &least[i], &most[i], &points);
    check_close(least[1], most[1], 0);
    check_close(most[0], most[1], 0); /* y grows downwards */
    assert_true(most[0] - least[0] > 100);
    assert_non_null(strstr(svg, ">0</text>"));
    free(svg);
}

static void what_cannot_be_drawn_is_refused(void **state)
{
    place *here = *state;
    static const char *const wrong[] = {"slider.y"}, *const right[] = {"rod.x"}, *const negative[] = {"crank.angle"};
    write_table(here, 100, -1);
    plot(here, &(dal_plot_options){.n_channels = 1, .channels = wrong, .from = NAN, .to = NAN}, DAL_BAD_COMMAND);
    assert_string_equal(dal_messages_first(here->messages)->text, "has no channel 'slider.y' (did you mean 'slider.x'?)");
    plot(here, &(dal_plot_options){.n_channels = 1, .channels = right, .from = 5, .to = 6}, DAL_BAD_FILE);
    plot(here, &(dal_plot_options){.n_channels = -1, .from = NAN, .to = NAN}, DAL_BAD_COMMAND);
    plot(here, &(dal_plot_options){.n_channels = 1, .channels = negative, .log = true, .from = NAN, .to = 0}, DAL_BAD_FILE);
    free(plot(here, &(dal_plot_options){.n_channels = 1, .channels = right, .from = NAN, .to = NAN}, DAL_OK)); /* a constant */
}

/* ---- snapshots ----------------------------------------------------------------------- */

static const char swing[] = "dalembert: 1\nspace: planar\ngravity: [0, -9.81]\nbodies:\n  rod: {mass: 1.2, inertia: 0.1, position: [0.5, 0], "
                            "points: {A: [-0.5, 0], B: [0.5, 0]}}\n"
                            "  bob: {mass: 0.3, position: [1, 0], shape: {type: sphere, radius: 0.1}}\n"
                            "joints:\n  A: {type: revolute, connect: [ground, rod.A]}\n  B: {type: revolute, connect: [rod.B, bob]}\n"
                            "simulate: {until: 1, step: 1e-2}\n";

typedef struct drawing {
    dal_spec *spec;
    dal_system *system;
    char *svg;
} drawing;

static drawing draw(place *here, const char *record, const dal_snapshot_options *options, dal_status wanted)
{
    drawing d = {0};
    dal_writer *writer;
    dal_evidence evidence;
    char text[2000];
    snprintf(text, sizeof text, "%s%s", swing, record);
    assert_int_equal(dal_spec_parse(NULL, "t.yaml", text, strlen(text), 0, NULL, here->messages, &d.spec), DAL_OK);
    assert_int_equal(dal_compile(NULL, d.spec, here->messages, &d.system), DAL_OK);
    assert_int_equal(dal_writer_open(NULL, here->path, false, here->messages, &writer), DAL_OK);
    assert_int_equal(dal_run(d.system, &(dal_run_options){.sink = dal_writer_sink(writer)}, here->messages, &evidence), DAL_OK);
    assert_int_equal(dal_writer_close(writer, true, &evidence), DAL_OK);
    assert_int_equal(dal_snapshots_svg(NULL, here->path, d.spec, d.system, options, here->messages, &d.svg), wanted);
    if (d.svg)
        check_xml(d.svg);
    return d;
}

static void free_drawing(drawing *d)
{
    free(d->svg);
    dal_system_free(d->system);
    dal_spec_free(d->spec);
}

static void snapshots_show_the_instants_that_were_asked_for(void **state)
{
    place *here = *state;
    static const double times[] = {0, 0.304, 1};
    drawing d = draw(here, "", &(dal_snapshot_options){.n_times = 3, .times = times}, DAL_OK);
    assert_non_null(strstr(d.svg, ">1: 0 s</text>"));
    assert_non_null(strstr(d.svg, ">2: 0.3 s</text>")); /* the nearest row */
    assert_non_null(strstr(d.svg, ">3: 1 s</text>"));
    assert_int_equal(count_of(d.svg, "stroke-width=\"3.5\""), 3);  /* a rod each */
    assert_int_equal(count_of(d.svg, "fill-opacity=\"0.25\""), 3); /* a ball each */
    free_drawing(&d);
    d = draw(here, "", &(dal_snapshot_options){.count = 7}, DAL_OK);
    assert_int_equal(count_of(d.svg, "stroke-width=\"3.5\""), 7);
    free_drawing(&d);
}

static void snapshots_that_are_not_there_are_refused(void **state)
{
    place *here = *state;
    static const double late[] = {2};
    drawing d = draw(here, "", &(dal_snapshot_options){.n_times = 1, .times = late}, DAL_BAD_COMMAND);
    assert_string_equal(dal_messages_first(here->messages)->text, "has no instant 2 s: it goes from 0 to 1 s");
    free_drawing(&d);
    dal_messages_clear(here->messages);
    d = draw(here, "record: [A.angle]\n", &(dal_snapshot_options){0}, DAL_BAD_FILE);
    assert_non_null(strstr(dal_messages_first(here->messages)->text, "it needs the columns rod.x, rod.y, rod.angle of every body"));
    free_drawing(&d);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, enter_place, leave_place)
    const struct CMUnitTest tests[] = {
        TEST(ticks_are_round_inside_and_told_apart),
        TEST(one_row_of_a_hundred_thousand_is_seen),
        TEST(channels_of_one_unit_share_a_panel),
        TEST(a_phase_plot_closes_its_circle),
        TEST(zero_stands_at_the_lower_edge_of_a_logarithmic_axis),
        TEST(what_cannot_be_drawn_is_refused),
        TEST(snapshots_show_the_instants_that_were_asked_for),
        TEST(snapshots_that_are_not_there_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
