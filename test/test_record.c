/* Files of results: every number reads back, names are quoted, and trouble leaves nothing behind. */
#include "place.h"
#include "check.h"

#include "dalembert/run.h"
#include "base/decimal.h"

#include <dirent.h>
#include <fcntl.h>
#include <float.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef DAL_HAVE_HDF5
#include <hdf5.h>
#endif

static char *read_all(const char *path)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    char *text = calloc(1, 1 << 20);
    size_t n = fread(text, 1, (1 << 20) - 1, file);
    assert_true(n < (1 << 20) - 1);
    fclose(file);
    return text;
}

static const dal_system_info info = {.model = "Four-bar \xe2\x80\x94 test",
                                     .model_hash = "0123456789abcdef",
                                     .version = "0.1.0",
                                     .space = DAL_PLANAR,
                                     .coordinates = "natural",
                                     .formulation = "udwadia-kalaba",
                                     .stabilization = "none",
                                     .integrator = "rk4",
                                     .until = 5.25,
                                     .step = 1e-3,
                                     .every = 0.0625,
                                     .rtol = 1e-8,
                                     .atol = 1e-9};

static dal_writer *open_writer(place *here, const char *path, bool units)
{
    dal_writer *writer;
    assert_int_equal(dal_writer_open(NULL, path, units, here->messages, &writer), DAL_OK);
    return writer;
}

static const char *only_message(place *here)
{
    const dal_message *message = dal_messages_first(here->messages);
    assert_non_null(message);
    assert_null(message->next);
    return message->text;
}

/* Bit patterns of every kind: whole numbers, subnormal ones, powers of two (whose lower neighbour is nearer), decimals. */
static double any_double(uint64_t *seed, int i)
{
    check_random(seed);
    uint64_t bits = *seed * 0xd1342543de82ef95u;
    bits ^= bits >> 29;
    double x;
    switch (i % 6) {
    case 0: return (double)(int64_t)(bits >> (bits % 50 + 10)) / 1000;
    case 1: bits &= 0x800fffffffffffffu; break;
    case 2: bits &= ~(uint64_t)0 << (bits % 64); break;
    case 3: bits &= 0xfff0000000000000u; break;
    default: break;
    }
    memcpy(&x, &bits, sizeof x);
    return isfinite(x) ? x : 0.618;
}

/* ---- decimal texts ------------------------------------------------------- */

static void every_number_reads_back_bit_for_bit(void **state)
{
    (void)state;
    static dal_decimal_table table;
    dal_decimal_prepare(&table);
    static const double edge[] = {0.0,
                                  -0.0,
                                  DBL_MIN,
                                  DBL_MAX,
                                  -DBL_MAX,
                                  DBL_TRUE_MIN,
                                  DBL_EPSILON,
                                  0x1.fffffffffffffp-1023,
                                  0.1,
                                  1.0 / 3,
                                  1e22,
                                  1e23,
                                  123456789012345680.0,
                                  9007199254740992.0,
                                  2e-308,
                                  5e-324,
                                  1e-5,
                                  1e-4,
                                  1e16,
                                  1e17};
    int n_edge = (int)(sizeof edge / sizeof *edge);
    uint64_t seed = 20;
    for (int i = 0; i < 200000 + n_edge; i++) {
        double x = i < n_edge ? edge[i] : any_double(&seed, i);
        char text[DAL_DECIMAL_LENGTH], *end;
        int length = dal_decimal_print(&table, x, text);
        assert_int_equal(length, strlen(text));
        double y = strtod(text, &end);
        assert_true(*end == '\0');
        if (memcmp(&x, &y, sizeof x))
            fail_msg("%.17g (%a) was written %s", x, x, text);
    }
}

static int count_digits(const char *text)
{
    int n = 0, zeros = 0;
    for (; *text && *text != 'e'; text++) {
        if (*text >= '1' && *text <= '9') {
            n += zeros + 1;
            zeros = 0;
        } else if (*text == '0' && n) {
            zeros++;
        }
    }
    return n;
}

static void no_shorter_text_reads_back(void **state)
{
    (void)state;
    static dal_decimal_table table;
    dal_decimal_prepare(&table);
    uint64_t seed = 7;
    for (int i = 0; i < 20000; i++) {
        double x = any_double(&seed, i);
        char text[DAL_DECIMAL_LENGTH], trial[400];
        dal_decimal_print(&table, x, text);
        int precision = 1;
        do
            snprintf(trial, sizeof trial, "%.*g", precision++, x);
        while (strtod(trial, NULL) != x);
        if (count_digits(text) > count_digits(trial))
            fail_msg("%s is longer than %s", text, trial);
    }
}

static void numbers_look_as_printf_writes_them(void **state)
{
    (void)state;
    static dal_decimal_table table;
    dal_decimal_prepare(&table);
    static const struct {
        double x;
        const char *text;
    } cases[] = {{0, "0"},
                 {-0.0, "-0"},
                 {1, "1"},
                 {-37, "-37"},
                 {0.1, "0.1"},
                 {1.37, "1.37"},
                 {120, "120"},
                 {1e-4, "0.0001"},
                 {1.5e-5, "1.5e-05"},
                 {1e16, "10000000000000000"},
                 {1e17, "1e+17"},
                 {-2.5e-300, "-2.5e-300"},
                 {1e100, "1e+100"},
                 {5e-324, "5e-324"},
                 {INFINITY, "inf"},
                 {-INFINITY, "-inf"},
                 {NAN, "nan"},
                 {-NAN, "nan"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[DAL_DECIMAL_LENGTH];
        dal_decimal_print(&table, cases[i].x, text);
        assert_string_equal(text, cases[i].text);
    }
}

/* ---- CSV ----------------------------------------------------------------- */

static void csv_quotes_names_and_adds_units_on_request(void **state)
{
    place *here = *state;
    static const dal_column columns[] = {{"time", "s"}, {"atan2(a.x, a.y)", "rad"}, {"say \"go\"", ""}, {"plain.x", NULL}};
    for (int units = 0; units < 2; units++) {
        dal_writer *writer = open_writer(here, path_of(here, "a.csv"), units);
        const dal_sink *sink = dal_writer_sink(writer);
        assert_int_equal(sink->begin(sink->user, &info, 4, columns), DAL_OK);
        assert_int_equal(sink->row(sink->user, 4, (double[]){0, 1.37, -INFINITY, NAN}), DAL_OK);
        assert_int_equal(sink->row(sink->user, 4, (double[]){0.1, 5e-324, 1e300, -0.0}), DAL_OK);
        assert_int_equal(dal_writer_close(writer, true, NULL), DAL_OK);
        char *text = read_all(here->path);
        assert_string_equal(text, units ? "time,\"atan2(a.x, a.y)\",\"say \"\"go\"\"\",plain.x\ns,rad,,\n"
                                          "0,1.37,-inf,nan\n0.1,5e-324,1e+300,-0\n"
                                        : "time,\"atan2(a.x, a.y)\",\"say \"\"go\"\"\",plain.x\n"
                                          "0,1.37,-inf,nan\n0.1,5e-324,1e+300,-0\n");
        free(text);
    }
    assert_int_equal(count_files(here->folder), 1);
}

static void csv_larger_than_its_buffer_reads_back(void **state)
{
    place *here = *state;
    enum { N = 7, ROWS = 3001 };
    dal_column columns[N];
    for (int i = 0; i < N; i++)
        columns[i] = (dal_column){"c", ""};
    dal_writer *writer = open_writer(here, path_of(here, "large.csv"), false);
    const dal_sink *sink = dal_writer_sink(writer);
    assert_int_equal(sink->begin(sink->user, &info, N, columns), DAL_OK);
    uint64_t seed = 3;
    double values[N];
    for (int i = 0; i < ROWS; i++) {
        for (int j = 0; j < N; j++)
            values[j] = any_double(&seed, i + j);
        assert_int_equal(sink->row(sink->user, N, values), DAL_OK);
    }
    assert_int_equal(dal_writer_close(writer, true, NULL), DAL_OK);
    char *text = read_all(here->path), *at = strchr(text, '\n');
    seed = 3;
    for (int i = 0; i < ROWS * N; i++) {
        double x = any_double(&seed, i / N + i % N), y = strtod(at + 1, &at);
        assert_memory_equal(&x, &y, sizeof x);
        assert_int_equal(*at, i % N < N - 1 ? ',' : '\n');
    }
    assert_string_equal(at, "\n");
    free(text);
}

/* ---- names and trouble ---------------------------------------------------- */

static void an_unknown_extension_is_a_bad_command(void **state)
{
    place *here = *state;
    dal_writer *writer;
    assert_int_equal(dal_writer_open(NULL, path_of(here, "a.xlsx"), false, here->messages, &writer), DAL_BAD_COMMAND);
    assert_null(writer);
    assert_string_equal(only_message(here), "unknown type of file '.xlsx'; expected one of .csv, .h5, .hdf5");
    dal_messages_clear(here->messages);
    assert_int_equal(dal_writer_open(NULL, path_of(here, "plain"), false, here->messages, &writer), DAL_BAD_COMMAND);
    assert_non_null(strstr(only_message(here), "has none"));
    assert_int_equal(count_files(here->folder), 0);
}

static void a_missing_folder_is_named(void **state)
{
    place *here = *state;
    static const char *const names[] = {"nowhere/a.csv", "nowhere/a.h5"};
    for (int i = 0; i < 2; i++) {
        dal_writer *writer;
        assert_int_equal(dal_writer_open(NULL, path_of(here, names[i]), false, here->messages, &writer), DAL_BAD_FILE);
        assert_string_equal(only_message(here), "cannot be created: No such file or directory");
        assert_string_equal(dal_messages_first(here->messages)->mark.file, here->path);
        dal_messages_clear(here->messages);
    }
}

static void what_is_not_a_regular_file_is_not_replaced(void **state)
{
    place *here = *state;
    dal_writer *writer;
    assert_int_equal(mkfifo(path_of(here, "pipe.csv"), 0600), 0);
    assert_int_equal(dal_writer_open(NULL, here->path, false, here->messages, &writer), DAL_BAD_FILE);
    assert_non_null(strstr(only_message(here), "not a regular file"));
    assert_int_equal(count_files(here->folder), 1);
}

static void a_link_keeps_pointing_to_the_new_file(void **state)
{
    place *here = *state;
    char target[128];
    snprintf(target, sizeof target, "%s/real.csv", here->folder);
    close(creat(target, 0600));
    assert_int_equal(symlink(target, path_of(here, "link.csv")), 0);
    dal_writer *writer = open_writer(here, here->path, false);
    const dal_sink *sink = dal_writer_sink(writer);
    assert_int_equal(sink->begin(sink->user, &info, 1, &(dal_column){"time", "s"}), DAL_OK);
    assert_int_equal(dal_writer_close(writer, true, NULL), DAL_OK);
    char *text = read_all(target);
    assert_string_equal(text, "time\n");
    free(text);
    assert_int_equal(count_files(here->folder), 2);
}

static void a_file_that_is_not_kept_leaves_the_old_one(void **state)
{
    place *here = *state;
    static const char *const names[] = {"old.csv", "old.h5"};
    for (int i = 0; i < 2; i++) {
        FILE *old = fopen(path_of(here, names[i]), "w");
        fputs("old", old);
        fclose(old);
        dal_writer *writer;
        if (dal_writer_open(NULL, here->path, false, here->messages, &writer) == DAL_BAD_COMMAND)
            continue; /* built without HDF5 */
        const dal_sink *sink = dal_writer_sink(writer);
        assert_int_equal(sink->begin(sink->user, &info, 1, &(dal_column){"time", "s"}), DAL_OK);
        assert_int_equal(sink->row(sink->user, 1, &(double){1.37}), DAL_OK);
        assert_int_equal(dal_writer_close(writer, false, NULL), DAL_OK);
        char *text = read_all(here->path);
        assert_string_equal(text, "old");
        free(text);
        assert_non_null(strstr(only_message(here), "the row that it recorded is in '"));
        dal_messages_clear(here->messages);
    }
    assert_int_equal(count_files(here->folder), 4); /* with a part each */
}

/* From now on the open temporary file has a full disk under it. */
static void fill_the_disk(void)
{
    DIR *list = opendir("/proc/self/fd");
    for (struct dirent *entry; (entry = readdir(list));) {
        char path[300], target[300] = "";
        snprintf(path, sizeof path, "/proc/self/fd/%.200s", entry->d_name);
        if (readlink(path, target, sizeof target - 1) > 0 && strstr(target, ".part")) {
            int full = open("/dev/full", O_RDWR);
            assert_true(full >= 0 && dup2(full, atoi(entry->d_name)) >= 0);
            close(full);
        }
    }
    closedir(list);
}

/* `rows` before the disk is full, then more until it is noticed: by a row, or at the end. */
static void write_until_full(place *here, const char *name, int rows)
{
    dal_writer *writer = open_writer(here, path_of(here, name), false);
    const dal_sink *sink = dal_writer_sink(writer);
    dal_status status = sink->begin(sink->user, &info, 2, (dal_column[]){{"time", "s"}, {"x", "m"}});
    uint64_t seed = 5;
    for (int i = 0; i < 2 * rows && status == DAL_OK; i++) {
        if (i == rows)
            fill_the_disk();
        status = sink->row(sink->user, 2, (double[]){check_random(&seed), check_random(&seed)});
    }
    assert_int_equal(status, rows > 1000 ? DAL_BAD_FILE : DAL_OK);
    assert_int_equal(dal_writer_close(writer, true, NULL), DAL_BAD_FILE);
    const dal_message *first = dal_messages_first(here->messages);
    assert_string_equal(first->text, "cannot be written: No space left on device");
    assert_non_null(strstr(first->next->text, "what could be written of it is in '"));
    assert_int_equal(count_files(here->folder), 1); /* the part */
    assert_int_equal(access(here->path, F_OK), -1);
    dal_messages_clear(here->messages);
}

static void a_full_disk_is_reported_and_leaves_a_part_of_csv(void **state)
{
    write_until_full(*state, "full.csv", 20000);
    write_until_full(*state, "full.csv", 10);
}

/* An allocator that fails at the n-th call and counts what is out. */
typedef struct meagre {
    int left, out;
} meagre;

static void *take_meagre(void *user, size_t bytes)
{
    meagre *heap = user;
    if (heap->left-- <= 0)
        return NULL;
    heap->out++;
    return malloc(bytes);
}

static void release_meagre(void *user, void *memory)
{
    ((meagre *)user)->out -= memory != NULL;
    free(memory);
}

static void without_memory_nothing_is_left(void **state)
{
    place *here = *state;
    static const char *const names[] = {"m.csv", "m.h5"};
    for (int type = 0; type < 2; type++) {
        dal_status status = DAL_NO_MEMORY;
        for (int n = 0; status == DAL_NO_MEMORY; n++) {
            assert_true(n < 50);
            meagre heap = {n, 0};
            dal_allocator allocator = {take_meagre, release_meagre, &heap};
            dal_writer *writer;
            status = dal_writer_open(&allocator, path_of(here, names[type]), false, NULL, &writer);
            if (status == DAL_OK) {
                const dal_sink *sink = dal_writer_sink(writer);
                status = sink->begin(sink->user, &info, 1, &(dal_column){"time", "s"});
                dal_status closed = dal_writer_close(writer, true, &(dal_evidence){.info = info, .momentum = ""});
                status = status == DAL_OK ? closed : status;
            }
            assert_int_equal(heap.out, 0);
            assert_int_equal(access(here->path, F_OK) == 0, status == DAL_OK);
        }
        unlink(here->path);
    }
    assert_int_equal(count_files(here->folder), 0);
}

/* ---- HDF5 ---------------------------------------------------------------- */

#ifdef DAL_HAVE_HDF5

static void expect_text(hid_t object, const char *name, const char *expected)
{
    hid_t attribute = H5Aopen(object, name, H5P_DEFAULT), type = H5Aget_type(attribute);
    char text[8192] = "";
    assert_false(H5Tis_variable_str(type));
    assert_true(H5Tget_size(type) <= sizeof text && H5Aread(attribute, type, text) >= 0);
    assert_string_equal(text, expected);
    H5Tclose(type);
    H5Aclose(attribute);
}

static void hdf5_reads_back_with_units(void **state)
{
    place *here = *state;
    enum { N = 4, ROWS = 256 * 2 + 57 }; /* two full chunks and a part of one */
    static const dal_column columns[N] = {{"time", "s"}, {"a.x/b.y", "1"}, {"100%", ""}, {".", "m/s^2"}};
    static const char *const names[N] = {"time", "a.x%2Fb.y", "100%25", "%2E"};
    dal_writer *writer = open_writer(here, path_of(here, "a.h5"), false);
    const dal_sink *sink = dal_writer_sink(writer);
    assert_int_equal(sink->begin(sink->user, &info, N, columns), DAL_OK);
    uint64_t seed = 11;
    for (int i = 0; i < ROWS; i++) {
        double values[N];
        for (int j = 0; j < N; j++)
            values[j] = any_double(&seed, i + j);
        assert_int_equal(sink->row(sink->user, N, values), DAL_OK);
    }
    dal_evidence evidence = {.info = info, .steps = 137, .momentum = "", .energy_drift = NAN};
    assert_int_equal(dal_writer_close(writer, true, &evidence), DAL_OK);
    assert_int_equal(count_files(here->folder), 1);

    static double data[N][ROWS];
    hid_t file = H5Fopen(here->path, H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_true(file >= 0);
    for (int j = 0; j < N; j++) {
        hid_t dataset = H5Dopen2(file, names[j], H5P_DEFAULT), space = H5Dget_space(dataset);
        assert_int_equal(H5Sget_simple_extent_npoints(space), ROWS);
        assert_true(H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, data[j]) >= 0);
        expect_text(dataset, "unit", columns[j].unit);
        H5Sclose(space);
        H5Dclose(dataset);
    }
    seed = 11;
    for (int i = 0; i < ROWS; i++) {
        for (int j = 0; j < N; j++) {
            double x = any_double(&seed, i + j);
            assert_memory_equal(&x, &data[j][i], sizeof x);
        }
    }
    expect_text(file, "model", info.model);
    expect_text(file, "model_hash", info.model_hash);
    expect_text(file, "version", info.version);
    expect_text(file, "formulation", info.formulation);
    char json[8192];
    assert_true(dal_evidence_json(&evidence, DAL_OK, json, sizeof json) < (int)sizeof json);
    expect_text(file, "evidence", json);
    H5Fclose(file);
}

static void hdf5_refuses_two_channels_of_one_name(void **state)
{
    place *here = *state;
    dal_writer *writer = open_writer(here, path_of(here, "twice.h5"), false);
    const dal_sink *sink = dal_writer_sink(writer);
    assert_int_equal(sink->begin(sink->user, &info, 2, (dal_column[]){{"x", "m"}, {"x", "m"}}), DAL_BAD_FILE);
    assert_non_null(strstr(only_message(here), "'x'"));
    assert_int_equal(dal_writer_close(writer, true, NULL), DAL_BAD_FILE);
    assert_int_equal(count_files(here->folder), 0);
}

static void a_full_disk_is_reported_and_leaves_a_part_of_hdf5(void **state)
{
    write_until_full(*state, "full.h5", 20000);
    write_until_full(*state, "full.h5", 10);
}

#else

static void hdf5_that_was_left_out_is_named_with_its_package(void **state)
{
    place *here = *state;
    dal_writer *writer;
    assert_int_equal(dal_writer_open(NULL, path_of(here, "a.h5"), false, here->messages, &writer), DAL_BAD_COMMAND);
    assert_non_null(strstr(only_message(here), "libhdf5-dev"));
    assert_int_equal(count_files(here->folder), 0);
}

#endif

#define in_place(test) cmocka_unit_test_setup_teardown(test, enter_place, leave_place)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_number_reads_back_bit_for_bit),
        cmocka_unit_test(no_shorter_text_reads_back),
        cmocka_unit_test(numbers_look_as_printf_writes_them),
        in_place(csv_quotes_names_and_adds_units_on_request),
        in_place(csv_larger_than_its_buffer_reads_back),
        in_place(an_unknown_extension_is_a_bad_command),
        in_place(a_missing_folder_is_named),
        in_place(what_is_not_a_regular_file_is_not_replaced),
        in_place(a_link_keeps_pointing_to_the_new_file),
        in_place(a_file_that_is_not_kept_leaves_the_old_one),
        in_place(a_full_disk_is_reported_and_leaves_a_part_of_csv),
        in_place(without_memory_nothing_is_left),
#ifdef DAL_HAVE_HDF5
        in_place(hdf5_reads_back_with_units),
        in_place(hdf5_refuses_two_channels_of_one_name),
        in_place(a_full_disk_is_reported_and_leaves_a_part_of_hdf5),
#else
        in_place(hdf5_that_was_left_out_is_named_with_its_package),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
