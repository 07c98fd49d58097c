/* The generated sections of the reference page, from the tables that the code runs on.
 *
 *   reference PAGE...            writes them into the pages
 *   reference --check PAGE...    says whether the pages are up to date
 *
 * A section stands between `<!-- generated: NAME [PART] -->` and `<!-- end -->`:
 *   keys SECTION       keys of a section of the language          joints, forces    the types
 *   channels ELEMENT   channels of an element                     functions         of expressions
 *   list KIND          families, formulations, stabilisations, integrators
 */
#include "expr/expr.h"
#include "compile/channels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- cells ----------------------------------------------------------------------- */

/* In a table a bar has to be escaped, and < > { } are safe in code only. */
static void print_cell(FILE *out, const char *text, bool code)
{
    fputs(code ? " `" : " ", out);
    for (; *text; text++) {
        if (*text == '|')
            fputc('\\', out);
        fputc(*text, out);
    }
    fputs(code ? "` |" : " |", out);
}

/* "connect! axis" -> **`connect`**, `axis` */
static void print_keys(FILE *out, const char *keys)
{
    fputc(' ', out);
    for (bool first = true; *keys; first = false) {
        size_t length = strcspn(keys, " ");
        bool required = length && keys[length - 1] == '!';
        if (length)
            fprintf(out, required ? "%s**`%.*s`**" : "%s`%.*s`", first ? "" : ", ", (int)(length - required), keys);
        keys += length + strspn(keys + length, " ");
    }
    fputs(" |", out);
}

static const char *spaces(unsigned which)
{
    return which == DAL_IN_PLANE ? "planar" : which == DAL_IN_SPACE ? "spatial" : "both";
}

/* ---- sections --------------------------------------------------------------------- */

/* Has a key of the section a number with a unit? */
static bool has_units(const char *section)
{
    for (int i = 0; dal_spec_key(i); i++)
        if (!strcmp(dal_spec_key(i)->section, section) && *dal_spec_key(i)->unit)
            return true;
    return false;
}

static void print_key_table(FILE *out, const char *section)
{
    const bool units = has_units(section);
    fputs(units ? "| key | value | unit | meaning |\n|---|---|---|---|\n" : "| key | what stands there | meaning |\n|---|---|---|\n", out);
    for (int i = 0; dal_spec_key(i); i++) {
        const dal_key_doc *doc = dal_spec_key(i);
        if (strcmp(doc->section, section) || !strcmp(doc->shape, "not in this version"))
            continue;
        fputc('|', out);
        print_cell(out, doc->key, true);
        print_cell(out, doc->shape, false);
        if (units)
            print_cell(out, doc->unit, false);
        print_cell(out, doc->text, false);
        fputc('\n', out);
    }
}

static void print_coordinates(FILE *out, const dal_joint_type *type)
{
    const char *const *in_space = type->spatial.coordinates, *const *in_plane = type->planar.coordinates;
    const char *const *names = in_space[0] ? in_space : in_plane;
    fputc(' ', out);
    for (int k = 0; k < DAL_MAX_COORDINATES && names[k]; k++)
        fprintf(out, "%s`%s`", k ? ", " : "", names[k]);
    fputs(" |", out);
}

static const char *axes(const dal_joint_type *type)
{
    bool plane = type->planar.axis == DAL_AXIS_ONE, space = type->spatial.axis == DAL_AXIS_ONE;
    if (type->spatial.axis == DAL_AXIS_TWO)
        return "two";
    if (plane != space && type->spaces == (DAL_IN_PLANE | DAL_IN_SPACE))
        return plane ? "one in the plane" : "one in space";
    return plane || space ? "one" : "none";
}

static void print_joints(FILE *out, const char *part)
{
    (void)part;
    fputs("| type | models | axis | coordinates | further keys | what it is |\n|---|---|---|---|---|---|\n", out);
    for (int i = 0; dal_joint_types[i]; i++) {
        const dal_joint_type *type = dal_joint_types[i];
        fputc('|', out);
        print_cell(out, type->name, true);
        print_cell(out, spaces(type->spaces), false);
        print_cell(out, axes(type), false);
        print_coordinates(out, type);
        print_keys(out, type->keys);
        print_cell(out, type->title, false);
        fputc('\n', out);
    }
}

static void print_forces(FILE *out, const char *part)
{
    (void)part;
    fputs("| type | keys | energy | what it is |\n|---|---|---|---|\n", out);
    for (int i = 0; dal_force_types[i]; i++) {
        const dal_force_type *type = dal_force_types[i];
        if (!type->keys)
            continue;
        fputc('|', out);
        print_cell(out, type->name, true);
        print_keys(out, type->keys);
        print_cell(out, type->potential ? "potential; dampers and `value` count as work" : "counts as work", false);
        print_cell(out, type->title, false);
        fputc('\n', out);
    }
}

static void print_channels(FILE *out, const char *of)
{
    fputs("| channel | unit | models | in | meaning |\n|---|---|---|---|---|\n", out);
    for (const dal_channel *c = dal_channels; c->of; c++) {
        if (strcmp(c->of, of))
            continue;
        fputc('|', out);
        print_cell(out, c->name, true);
        print_cell(out, c->unit, false);
        print_cell(out, spaces(c->spaces), false);
        print_cell(out, c->flags & DAL_CHANNEL_RESULT ? "`record`" : "everywhere", false);
        fprintf(out, " %s%s |\n", c->text, c->flags & DAL_CHANNEL_VECTOR ? "; a vector" : "");
    }
}

static void print_functions(FILE *out, const char *part)
{
    (void)part;
    for (const char *const *name = dal_function_names(); *name; name++)
        fprintf(out, "`%s`%s", *name, name[1] ? " " : "\n");
}

static void print_list(FILE *out, const char *kind)
{
    const char *name, *title;
    fputs("| word | what it is |\n|---|---|\n", out);
    for (int i = 0; dal_list_entry(kind, i, &name, &title); i++) {
        fputc('|', out);
        print_cell(out, name, true);
        print_cell(out, title, false);
        fputc('\n', out);
    }
}

static bool print_section(FILE *out, const char *name, const char *part)
{
    static const struct {
        const char *name;
        void (*print)(FILE *out, const char *part);
    } sections[] = {{"keys", print_key_table},    {"joints", print_joints},       {"forces", print_forces},
                    {"channels", print_channels}, {"functions", print_functions}, {"list", print_list}};
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++)
        if (!strcmp(sections[i].name, name)) {
            sections[i].print(out, part);
            return true;
        }
    return false;
}

/* ---- pages ------------------------------------------------------------------------- */

static char *load(const char *path)
{
    FILE *stream = fopen(path, "r");
    char *text = NULL;
    size_t size = 0;
    if (!stream)
        return NULL;
    ssize_t length = getdelim(&text, &size, '\0', stream);
    fclose(stream);
    return length < 0 ? strdup("") : text;
}

/* The page with its sections filled in; NULL after a complaint. */
static char *fill(const char *path, const char *page)
{
    char *text = NULL, name[32], part[32];
    size_t size;
    FILE *out = open_memstream(&text, &size);
    bool inside = false, fine = true;
    for (const char *line = page, *next; *line && fine; line = next) {
        next = line + strcspn(line, "\n");
        next += *next != '\0';
        part[0] = '\0';
        bool begins = sscanf(line, "<!-- generated: %31s %31[^-]", name, part) >= 1, ends = !strncmp(line, "<!-- end -->", 12);
        if (begins == inside && (begins || ends)) {
            fprintf(stderr, "%s: a generated section inside another: %.*s", path, (int)(next - line), line);
            fine = false;
        }
        inside = begins || (inside && !ends);
        if (!inside || begins)
            fwrite(line, 1, (size_t)(next - line), out);
        for (size_t i = strlen(part); i > 0 && part[i - 1] == ' ';)
            part[--i] = '\0';
        if (begins && !print_section(out, name, part)) {
            fprintf(stderr, "%s: there is no section '%s'\n", path, name);
            fine = false;
        }
    }
    fclose(out);
    if (fine && !inside)
        return text;
    if (fine)
        fprintf(stderr, "%s: a generated section has no end\n", path);
    free(text);
    return NULL;
}

static bool check(const char *path, const char *page, const char *filled)
{
    int line = 1;
    for (; *page && *page == *filled; page++, filled++)
        line += *page == '\n';
    if (*page == *filled)
        return true;
    fprintf(stderr, "%s:%d: not up to date: run the target `reference` on it\n", path, line);
    return false;
}

static bool store(const char *path, const char *text)
{
    FILE *stream = fopen(path, "w");
    bool fine = stream && fputs(text, stream) >= 0;
    return stream && !fclose(stream) && fine;
}

int main(int argc, char **argv)
{
    bool checks = argc > 1 && !strcmp(argv[1], "--check"), fine = argc > 1 + checks;
    for (int i = 1 + checks; i < argc; i++) {
        char *page = load(argv[i]), *filled = page ? fill(argv[i], page) : NULL;
        bool good = filled && (checks ? check(argv[i], page, filled) : store(argv[i], filled));
        if (!page)
            fprintf(stderr, "%s: cannot be read\n", argv[i]);
        fine &= good;
        free(filled);
        free(page);
    }
    return fine ? 0 : 1;
}
