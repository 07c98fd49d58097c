/* What a command writes is never a file that it reads, nor one file twice: however the paths are spelt. */
#include "program.h"

#include "dalembert/dalembert.h"

static const char model[] = "dalembert: 1\n"
                            "space: planar\n"
                            "tables: {a: {file: tab.csv, outside: hold, smooth: 1}}\n"
                            "bodies:\n"
                            "  rod: {mass: 1, inertia: 0.1, position: [0, 0], shape: {type: mesh, file: block.obj}}\n"
                            "forces: {f: {type: force, body: rod, value: [\"interp(a, t)\", 0]}}\n"
                            "models: {leg: {file: sub/leg.yaml}}\n"
                            "simulate: {until: 1, every: 0.1}\n";
static const char leg[] = "dalembert: 1\n"
                          "space: planar\n"
                          "tables: {b: {file: inner.csv, outside: hold, smooth: 1}}\n"
                          "bodies: {foot: {mass: 1.3, inertia: 0.2, position: [1, 0]}}\n"
                          "forces: {g: {type: force, body: foot, value: [\"interp(b, t)\", 0]}}\n";
static const char table[] = "0,0\n1,1\n2,0\n3,5\n4,1\n";
static const char block[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 2 4\nf 1 3 4\nf 2 3 4\n";

static int enter(void **state)
{
    if (enter_folder(state))
        return -1;
    place *here = *state;
    put(here, "m.yaml", model);
    put(here, "tab.csv", table);
    put(here, "block.obj", block);
    if (mkdir(in_folder(here, "sub"), 0777))
        return -1;
    put(here, "sub/leg.yaml", leg);
    put(here, "sub/inner.csv", table);
    return 0;
}

/* All that the model reads is as it was, and nothing else was left. */
static void expect_untouched(const place *here)
{
    static const struct {
        const char *name, *text;
    } files[] = {{"m.yaml", model}, {"tab.csv", table}, {"block.obj", block}, {"sub/leg.yaml", leg}, {"sub/inner.csv", table}};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char *text = get(here, files[i].name, NULL);
        assert_string_equal(text, files[i].text);
        free(text);
    }
    assert_int_equal(count_files(here, ".part"), 0);
}

static void refuse(place *here, const char *line, const char *says)
{
    if (run(here, line) != DAL_BAD_COMMAND)
        fail_msg("%s: exit code %d, %s", line, here->code, here->err);
    expect(here->err, says);
    expect_untouched(here);
}

static const char which_is_read[] = "which is read: give it another name";

static void a_table_is_not_written_over(void **state)
{
    place *here = *state;
    char line[300];
    assert_int_equal(run(here, "run @/m.yaml -q -o @/ok.csv"), DAL_OK);
    refuse(here, "run @/m.yaml -o @/tab.csv", which_is_read);
    refuse(here, "run @/m.yaml -o @/ok.csv -o @/tab.csv", which_is_read);
    refuse(here, "run @/m.yaml -o @/sub/inner.csv", which_is_read);
    refuse(here, "run @/m.yaml -o @/./sub/..//tab.csv", which_is_read);
    snprintf(line, sizeof line, "run @/m.yaml -o @/../%s/tab.csv", strrchr(here->folder, '/') + 1);
    refuse(here, line, which_is_read);
}

static void nor_through_links(void **state)
{
    place *here = *state;
    assert_int_equal(symlink("tab.csv", in_folder(here, "soft.csv")), 0);
    assert_int_equal(symlink("sub", in_folder(here, "folder")), 0);
    assert_int_equal(link(in_folder(here, "tab.csv"), in_folder(here, "hard.csv")), 0);
    assert_int_equal(symlink("soft.csv", in_folder(here, "twice.csv")), 0);
    refuse(here, "run @/m.yaml -o @/soft.csv", which_is_read);
    refuse(here, "run @/m.yaml -o @/twice.csv", which_is_read);
    refuse(here, "run @/m.yaml -o @/hard.csv", which_is_read);
    refuse(here, "run @/m.yaml -o @/folder/inner.csv", which_is_read);
    assert_int_equal(symlink("block.obj", in_folder(here, "page.html")), 0); /* a mesh, by a name that a page may have */
    assert_int_equal(symlink("sub/leg.yaml", in_folder(here, "leg.svg")), 0);
    if (dal_page_available()) {
        refuse(here, "run @/m.yaml -o @/page.html", which_is_read);
        refuse(here, "compare @/m.yaml --formulations lagrange -o @/page.html", which_is_read);
    }
    refuse(here, "ports @/m.yaml -q -o @/leg.svg", which_is_read);
    assert_int_equal(symlink("m.yaml", in_folder(here, "m.urdf")), 0);
    refuse(here, "convert @/m.yaml -o @/m.urdf", which_is_read);
}

/* A link to a file that is not there yet leads to it, as every link does. */
static void a_link_to_no_file_yet_is_followed(void **state)
{
    place *here = *state;
    struct stat info;
    assert_int_equal(symlink("later.csv", in_folder(here, "latest.csv")), 0);
    assert_int_equal(symlink("latest.csv", in_folder(here, "newest.csv")), 0);
    assert_int_equal(run(here, "run @/m.yaml -q -o @/newest.csv -o @/later.csv"), DAL_BAD_COMMAND);
    expect(here->err, "are one file");
    assert_int_equal(run(here, "run @/m.yaml -q -o @/newest.csv"), DAL_OK);
    assert_true(!lstat(in_folder(here, "newest.csv"), &info) && S_ISLNK(info.st_mode));
    assert_true(!lstat(in_folder(here, "latest.csv"), &info) && S_ISLNK(info.st_mode));
    assert_true(!lstat(in_folder(here, "later.csv"), &info) && S_ISREG(info.st_mode) && info.st_size > 0);
    assert_int_equal(symlink("nowhere/x.csv", in_folder(here, "lost.csv")), 0);
    assert_int_equal(run(here, "run @/m.yaml -q -o @/lost.csv"), DAL_BAD_FILE);
    assert_true(!lstat(in_folder(here, "lost.csv"), &info) && S_ISLNK(info.st_mode));
}

static void what_is_written_on_the_way_is_none_of_them_either(void **state)
{
    place *here = *state;
    assert_int_equal(link(in_folder(here, "tab.csv"), in_folder(here, "out.csv.part")), 0);
    assert_int_equal(run(here, "run @/m.yaml -o @/out.csv"), DAL_BAD_COMMAND);
    expect(here->err, which_is_read);
    unlink(in_folder(here, "out.csv.part"));
    expect_untouched(here);
}

static void results_are_not_written_over_by_what_is_made_of_them(void **state)
{
    place *here = *state;
    assert_int_equal(run(here, "run @/m.yaml -q --motion -o @/r.csv"), DAL_OK);
    char *before = get(here, "r.csv", NULL);
    assert_int_equal(symlink("r.csv", in_folder(here, "r.svg")), 0);
    assert_int_equal(symlink("r.csv", in_folder(here, "r.png")), 0);
    assert_int_equal(symlink("r.csv", in_folder(here, "r.html")), 0);
    assert_int_equal(symlink("tab.csv", in_folder(here, "t.svg")), 0);
    refuse(here, "plot @/r.csv -c rod.x -o @/r.svg", which_is_read);
    refuse(here, "plot @/r.csv -c rod.x -o @/r.png", which_is_read);
    refuse(here, "animate @/r.csv -m @/m.yaml -o @/r.svg", which_is_read);
    refuse(here, "animate @/r.csv -m @/m.yaml -o @/t.svg", which_is_read);
    if (dal_page_available())
        refuse(here, "view @/r.csv -m @/m.yaml", which_is_read); /* r.html, which was not even asked for */
    char *after = get(here, "r.csv", NULL);
    assert_string_equal(before, after);
    free(before), free(after);
}

static void two_outputs_are_two_files(void **state)
{
    place *here = *state;
    static const char one_file[] = "are one file, and both would be written to it";
    put(here, "old.csv", "old");
    assert_int_equal(symlink("old.csv", in_folder(here, "link.csv")), 0);
    refuse(here, "run @/m.yaml -o @/a.csv -o @/a.csv", one_file);
    refuse(here, "run @/m.yaml -o @/a.csv -o @/./a.csv", one_file);
    refuse(here, "run @/m.yaml -o @/old.csv -o @/link.csv", one_file);
    refuse(here, "run @/m.yaml -o @/sub/../a.csv -o @/a.csv", one_file);
    if (dal_page_available())
        refuse(here, "run @/m.yaml -o @/a.html -o @/a.html", one_file);
    assert_int_equal(run(here, "plot @/old.csv -c x -o @/a.svg -o @/b.svg"), DAL_BAD_COMMAND);
    assert_int_equal(count_files(here, "a.csv"), 0);
    assert_int_equal(run(here, "run @/m.yaml -q -o @/a.csv -o @/b.csv"), DAL_OK);
}

static void pages_of_a_gallery_are_as_many_files(void **state)
{
    place *here = *state;
    if (!dal_page_available())
        skip();
    put(here, "sub/m.yaml", leg);
    refuse(here, "gallery @/m.yaml @/sub/m.yaml -o @/g", "are one file, and both would be written to it");
    unlink(in_folder(here, "sub/m.yaml"));
    put(here, "index.yaml", leg);
    assert_int_equal(run(here, "gallery @/index.yaml -o @/g"), DAL_BAD_COMMAND);
    assert_int_equal(symlink("../tab.csv", in_folder(here, "g/leg.html")), 0);
    refuse(here, "gallery @/sub/leg.yaml @/m.yaml -o @/g", which_is_read); /* the first page would be a table of the second model */
}

static void standard_output_counts_where_it_is_a_file(void **state)
{
    place *here = *state;
    const int table_file = open(in_folder(here, "tab.csv"), O_WRONLY | O_APPEND), err = open_scratch();
    assert_int_equal(wait_for(start(here, "run @/m.yaml -q -o -", table_file, err)), DAL_BAD_COMMAND);
    close(table_file);
    read_text(err, here->err);
    expect(here->err, "standard output: error: would be written over '");
    expect_untouched(here);
}

static void two_writers_do_not_share_a_file(void **state)
{
    place *here = *state;
    dal_writer *first, *second;
    dal_messages *messages = dal_messages_create(NULL);
    assert_int_equal(dal_writer_open(NULL, in_folder(here, "w.csv"), false, messages, &first), DAL_OK);
    assert_int_equal(dal_writer_open(NULL, in_folder(here, "sub/../w.csv"), false, messages, &second), DAL_BAD_FILE);
    expect(dal_messages_first(messages)->text, "is being written by another run");
    assert_int_equal(dal_writer_close(first, true, NULL), DAL_OK);
    dal_messages_free(messages);
}

static void a_spec_lists_the_files_that_it_reads(void **state)
{
    place *here = *state;
    static const char *const names[] = {"/m.yaml", "/tab.csv", "/block.obj", "/sub/leg.yaml", "/sub/inner.csv"};
    dal_spec *spec;
    assert_int_equal(dal_spec_read(NULL, in_folder(here, "m.yaml"), 0, NULL, NULL, &spec), DAL_OK);
    assert_int_equal(spec->n_files, 5);
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        bool found = false;
        for (int i = 0; i < spec->n_files; i++)
            found |= strstr(spec->files[i], names[k]) != NULL;
        assert_true(found);
    }
    dal_spec_free(spec);
}

#define in_place(test) cmocka_unit_test_setup_teardown(test, enter, leave_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        in_place(a_table_is_not_written_over),
        in_place(nor_through_links),
        in_place(a_link_to_no_file_yet_is_followed),
        in_place(what_is_written_on_the_way_is_none_of_them_either),
        in_place(results_are_not_written_over_by_what_is_made_of_them),
        in_place(two_outputs_are_two_files),
        in_place(pages_of_a_gallery_are_as_many_files),
        in_place(standard_output_counts_where_it_is_a_file),
        in_place(two_writers_do_not_share_a_file),
        in_place(a_spec_lists_the_files_that_it_reads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
