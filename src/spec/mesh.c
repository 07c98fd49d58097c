/* Reading meshes. Such a file is not trusted: sizes, numbers and indices are checked, and errors are reported with their line.
 *
 * STL, binary: 80 bytes, the number n of triangles (32 bits, little endian), n times 50 bytes: normal, three corners, two bytes.
 * STL, text: `facet normal x y z`, `outer loop`, three times `vertex x y z`, `endloop`, `endfacet`.
 * OBJ: `v x y z` is a vertex, `f 1 2 3 ...` a polygon of vertices (i, i/j, i//k or i/j/k; negative ones count from the last), cut into a
 * fan of triangles. Other lines of OBJ (textures, normals, groups, materials) say nothing about the form.
 */
#include "spec/mesh.h"

#include "base/words.h"
#include "spec/reader.h"

#include <math.h>
#include <string.h>
#include <strings.h>

typedef struct builder {
    dal_arena *arena;
    dal_messages *messages;
    dal_mesh *mesh;
    size_t room_vertices, room_triangles;
    uint32_t *slot; /* table of vertices, open addressing: 1 + the number of the vertex; 0: free */
    size_t n_slots;
    dal_mark mark; /* where it is reading */
} builder;

static bool refuse_mesh(const builder *b, const char *sentence)
{
    dal_error(b->messages, b->mark, "%s", sentence);
    return false;
}

/* ---- vertices and triangles ------------------------------------------------------- */

static void push_vertex(builder *b, const double x[3])
{
    int n = 3 * b->mesh->n_vertices;
    for (int k = 0; k < 3; k++)
        *DAL_PUSH(b->arena, b->mesh->vertices, n, b->room_vertices) = x[k];
    b->mesh->n_vertices++;
}

/* Files of triangles repeat their vertices, some of them with other last digits: what is the same in single precision is one vertex. */
static void single_bits(const double x[3], uint32_t bits[3])
{
    const float rounded[3] = {(float)x[0] + 0.0f, (float)x[1] + 0.0f, (float)x[2] + 0.0f}; /* no negative zero */
    memcpy(bits, rounded, sizeof rounded);
}

static bool same_vertex(const double x[3], const uint32_t bits[3])
{
    uint32_t other[3];
    single_bits(x, other);
    return !memcmp(other, bits, sizeof other);
}

static size_t find_slot(const builder *b, const double x[3])
{
    uint32_t bits[3], hash = 2166136261u;
    single_bits(x, bits);
    for (int k = 0; k < 3; k++)
        hash = (hash ^ bits[k] ^ bits[k] >> 15) * 16777619u;
    size_t slot = hash % b->n_slots;
    while (b->slot[slot] && !same_vertex(b->mesh->vertices + 3 * (size_t)(b->slot[slot] - 1), bits))
        slot = (slot + 1) % b->n_slots;
    return slot;
}

static void enlarge_table(builder *b)
{
    b->n_slots = b->n_slots ? 2 * b->n_slots + 1 : 1021;
    b->slot = DAL_NEW(b->arena, uint32_t, b->n_slots);
    for (int i = 0; i < b->mesh->n_vertices; i++)
        b->slot[find_slot(b, b->mesh->vertices + 3 * (size_t)i)] = (uint32_t)i + 1;
}

/* The number of a vertex, which many triangles of an STL file repeat. */
static uint32_t number_of(builder *b, const double x[3])
{
    if (2 * (size_t)b->mesh->n_vertices >= b->n_slots)
        enlarge_table(b);
    size_t slot = find_slot(b, x);
    if (!b->slot[slot]) {
        push_vertex(b, x);
        b->slot[slot] = (uint32_t)b->mesh->n_vertices;
    }
    return b->slot[slot] - 1;
}

static bool add_triangle(builder *b, const uint32_t corner[3])
{
    int n = 3 * b->mesh->n_triangles;
    if (b->mesh->n_triangles >= DAL_TRIANGLE_LIMIT)
        return refuse_mesh(b, "the mesh has more than 500,000 triangles, which is too much for a picture: reduce it");
    for (int k = 0; k < 3; k++)
        *DAL_PUSH(b->arena, b->mesh->triangles, n, b->room_triangles) = corner[k];
    b->mesh->n_triangles++;
    return true;
}

/* Pages have vertices in single precision. */
static bool read_coordinate(const builder *b, double value, double *x)
{
    *x = value + 0.0;
    return isfinite((float)value) ? true : refuse_mesh(b, "a coordinate of the mesh is not a finite number");
}

/* ---- binary STL --------------------------------------------------------------------- */

static uint32_t little_endian(const char *bytes)
{
    const unsigned char *u = (const unsigned char *)bytes;
    return (uint32_t)u[0] | (uint32_t)u[1] << 8 | (uint32_t)u[2] << 16 | (uint32_t)u[3] << 24;
}

static bool is_binary(const char *text, size_t length)
{
    return length >= 84 && (length - 84) / 50 == little_endian(text + 80) && (length - 84) % 50 == 0;
}

static bool read_binary(builder *b, const char *text)
{
    const uint32_t n = little_endian(text + 80);
    for (uint32_t i = 0; i < n; i++) {
        const char *at = text + 84 + 50 * (size_t)i + 12;
        uint32_t corner[3];
        for (int k = 0; k < 3; k++, at += 12) {
            double x[3];
            for (int c = 0; c < 3; c++) {
                const uint32_t bits = little_endian(at + 4 * c);
                float value;
                memcpy(&value, &bits, sizeof value);
                if (!read_coordinate(b, (double)value, &x[c]))
                    return false;
            }
            corner[k] = number_of(b, x);
        }
        if (!add_triangle(b, corner))
            return false;
    }
    return true;
}

/* ---- text ------------------------------------------------------------------------------ */

/* The next line without its end, NULL after the last one; next_word cuts words off it. */
static char *next_line(builder *b, char **rest)
{
    char *line = *rest;
    if (!*line)
        return NULL;
    size_t size = strcspn(line, "\r\n");
    *rest = line + size + (line[size] == '\r' && line[size + 1] == '\n' ? 2 : line[size] != '\0');
    line[size] = '\0';
    b->mark.line++;
    b->mark.column = 1;
    return line;
}

/* The same for OBJ: a line that ends with a backslash continues in the next one, unless it is a comment. */
static char *next_lines(builder *b, char **rest)
{
    char *line = next_line(b, rest), *end = line ? line + strlen(line) : NULL;
    if (line && line[strspn(line, " \t")] == '#')
        return line;
    while (end && end > line && end[-1] == '\\' && **rest) {
        end[-1] = ' ';
        char *more = next_line(b, rest);
        const size_t length = strlen(more);
        memmove(end, more, length + 1);
        end += length;
    }
    if (end && end > line && end[-1] == '\\')
        end[-1] = '\0';
    return line;
}

static const char *next_word(char **line)
{
    char *word = *line + strspn(*line, " \t"), *end = word + strcspn(word, " \t");
    *line = *end ? end + 1 : end;
    *end = '\0';
    return word;
}

static bool read_numbers(builder *b, char **line, double x[3])
{
    for (int k = 0; k < 3; k++) {
        const char *word = next_word(line);
        double value;
        const char *end = *word ? dal_scan_number(b->arena, word, &value) : NULL;
        if (!end || *end) {
            dal_error(b->messages, b->mark, "three numbers are needed here; '%.40s' was found", *word ? word : "the end of the line");
            return false;
        }
        if (!read_coordinate(b, value, &x[k]))
            return false;
    }
    return true;
}

static bool read_stl(builder *b, char *text)
{
    static const char *const order[] = {"facet", "outer", "vertex", "vertex", "vertex", "endloop", "endfacet"};
    uint32_t corner[3] = {0, 0, 0};
    int next = 0;
    for (char *line; (line = next_line(b, &text));) {
        const char *word = next_word(&line);
        if (!*word || (next == 0 && (!strcasecmp(word, "solid") || !strcasecmp(word, "endsolid"))))
            continue;
        if (strcasecmp(word, order[next])) {
            dal_error(b->messages, b->mark, "'%s' is needed here; '%.40s' was found", order[next], word);
            return false;
        }
        double x[3];
        if (next >= 2 && next <= 4) {
            if (!read_numbers(b, &line, x))
                return false;
            corner[next - 2] = number_of(b, x);
        }
        if (next == 6 && !add_triangle(b, corner))
            return false;
        next = (next + 1) % 7;
    }
    return next ? refuse_mesh(b, "the file ends within a facet") : true;
}

/* "3/1/2" -> 2; negative numbers count from the last vertex. */
static bool read_index(builder *b, const char *word, uint32_t *index)
{
    const bool back = *word == '-';
    long number = 0;
    const char *at = word + back;
    for (; *at >= '0' && *at <= '9' && number < 100000000; at++)
        number = 10 * number + (*at - '0');
    if (at == word + back || (*at && *at != '/') || number < 1 || number > b->mesh->n_vertices) {
        dal_error(b->messages, b->mark, "'%.40s' is not a vertex: there are %d so far, counted from 1", word, b->mesh->n_vertices);
        return false;
    }
    *index = (uint32_t)(back ? b->mesh->n_vertices - number : number - 1);
    return true;
}

static bool read_polygon(builder *b, char *line)
{
    uint32_t corner[3];
    int n = 0;
    for (const char *word; *(word = next_word(&line)); n++) {
        uint32_t index;
        if (!read_index(b, word, &index))
            return false;
        if (n < 2) {
            corner[n] = index;
            continue;
        }
        corner[2] = index;
        if (!add_triangle(b, corner))
            return false;
        corner[1] = index;
    }
    return n >= 3 ? true : refuse_mesh(b, "a face needs three vertices or more");
}

static bool read_obj(builder *b, char *text)
{
    static const char *const silent[] = {"#", "vn", "vt", "vp", "o", "g", "s", "usemtl", "mtllib", "l", "p", NULL};
    for (char *line; (line = next_lines(b, &text));) {
        const char *word = next_word(&line);
        double x[3];
        if (!*word || *word == '#' || dal_is_one_of(word, silent))
            continue;
        if (!strcmp(word, "v")) {
            if (!read_numbers(b, &line, x))
                return false;
            if (b->mesh->n_vertices >= 3 * DAL_TRIANGLE_LIMIT)
                return refuse_mesh(b, "the mesh has more than 1,500,000 vertices, which is too much for a picture: reduce it");
            push_vertex(b, x);
        } else if (!strcmp(word, "f")) {
            if (!read_polygon(b, line))
                return false;
        } else {
            dal_error(b->messages, b->mark, "'%.40s' is not known in an .obj file: vertices (v) and faces (f) are read", word);
            return false;
        }
    }
    return true;
}

/* ---- the file ------------------------------------------------------------------------------ */

static bool parse_mesh(builder *b, const char *path, const char *text, size_t length)
{
    const char *extension = dal_extension_of(path);
    const bool obj = !strcasecmp(extension, ".obj");
    if (!obj && strcasecmp(extension, ".stl"))
        return refuse_mesh(b, "a mesh is an .stl or an .obj file");
    if (!obj && is_binary(text, length))
        return read_binary(b, text);
    if (memchr(text, '\0', length))
        return refuse_mesh(b, obj ? "the file is not text" : "the file is neither a binary STL file of its size nor text");
    char *copy = dal_arena_copy(b->arena, text, length);
    return obj ? read_obj(b, copy) : read_stl(b, copy);
}

bool dal_mesh_parse(dal_arena *arena, dal_messages *messages, const char *path, const char *text, size_t length, dal_mesh *mesh)
{
    builder b = {.arena = arena, .messages = messages, .mesh = mesh, .mark = {path, 0, 0}};
    *mesh = (dal_mesh){0};
    if (!parse_mesh(&b, path, text, length))
        return false;
    b.mark.line = b.mark.column = 0;
    return mesh->n_triangles ? true : refuse_mesh(&b, "the mesh has no triangles");
}

bool dal_mesh_read(dal_arena *arena, dal_messages *messages, const char *root, const char *path, dal_mark mark, dal_mesh *mesh)
{
    const char *why = NULL;
    size_t length = 0;
    const char *text = dal_load_inside(arena, root, path, &length, &why);
    if (!text) {
        dal_error(messages, mark, "the mesh '%.200s' cannot be read: %s", path, why);
        return false;
    }
    return dal_mesh_parse(arena, messages, path, text, length, mesh);
}
