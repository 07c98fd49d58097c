/* URDF: <visual> of a link as shapes for pictures: boxes, cylinders, spheres and meshes. Pictures do not affect the motion, so that faulty entries
 * (bad numbers, sizes of zero, missing meshes) are ignored without a message, as <collision> is.
 *
 * A mesh is searched in the package of the file: the next folder above it that has a package.xml, or the folder of the file if there is none. Files
 * outside of it are never read: dal_load_inside compares the paths after links are resolved.
 */
#include "spec/urdf.h"

#include "expr/graph.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

static const dal_xml_node *child_of(const dal_xml_node *node, const char *name)
{
    for (const dal_xml_node *child = node ? node->first : NULL; child; child = child->next)
        if (!strcmp(child->name, name))
            return child;
    return NULL;
}

/* `n` numbers of an attribute. */
static bool read_numbers(dal_reader *r, const dal_xml_node *node, const char *name, int n, double *out)
{
    const char *text = node ? dal_xml_get(node, name) : NULL;
    for (int i = 0; i < n; i++) {
        text = text ? dal_scan_number(r->scratch, text + strspn(text, " \t\r\n"), &out[i]) : NULL;
        if (!text || !isfinite(out[i]) || (*text && !strchr(" \t\r\n", *text)))
            return false;
    }
    return !text[strspn(text, " \t\r\n")];
}

static dal_text number(dal_reader *r, double value, dal_mark mark)
{
    char buffer[32];
    dal_print_number(value == 0 ? 0 : value, buffer); /* no -0 */
    return (dal_text){.text = dal_arena_copy(r->keep, buffer, strlen(buffer)), .mark = mark};
}

static dal_list numbers(dal_reader *r, int n, const double *values, dal_mark mark)
{
    dal_list list = {.n = n, .item = DAL_NEW(r->keep, dal_text, n), .mark = mark};
    for (int i = 0; i < n; i++)
        list.item[i] = number(r, values[i], mark);
    return list;
}

/* ---- meshes ---------------------------------------------------------------------------- */

/* The folder of the package, with a final '/'; NULL: there is no package.xml, or the text did not come from a file. */
static const char *package_of(dal_reader *r)
{
    char place[PATH_MAX];
    if (!r->folder || !realpath(*r->folder ? r->folder : ".", place))
        return NULL;
    for (char *end = place + strlen(place); end > place; end = strrchr(place, '/')) {
        *end = '\0';
        if (*place && !access(dal_arena_print(r->scratch, "%s/package.xml", place), F_OK))
            return dal_arena_print(r->keep, "%s/", place);
    }
    return NULL;
}

static bool is_file(const char *path)
{
    struct stat info;
    return !stat(path, &info) && S_ISREG(info.st_mode);
}

/* The first existing place of the file: "package://NAME/rest" is `rest` in the package, in a folder NAME beside the model, or beside the model. */
static const char *find_mesh(dal_reader *r, const char *name, const char *package)
{
    static const char scheme[] = "package://";
    const bool packed = !strncmp(name, scheme, sizeof scheme - 1);
    const char *inside = packed ? name + sizeof scheme - 1 : name, *slash = packed ? strchr(inside, '/') : NULL, *rest = slash ? slash + 1 : inside;
    const char *const places[] = {packed && package ? dal_arena_print(r->keep, "%s%s", package, rest) : "",
                                  dal_arena_print(r->keep, "%s%s", r->folder, inside), dal_arena_print(r->keep, "%s%s", r->folder, rest)};
    if (strlen(name) >= PATH_MAX / 2 || *inside == '/' || *rest == '/' || (!packed && strchr(name, ':')))
        return NULL;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (*places[i] && is_file(places[i]))
            return places[i];
    return NULL;
}

/* A file that is missing, or neither STL nor OBJ, is ignored. */
static bool read_mesh(dal_reader *r, const dal_xml_node *mesh, dal_figure_spec *f)
{
    const char *name = dal_xml_get(mesh, "filename"), *extension = name ? dal_extension_of(name) : "";
    double scale[3];
    if (!r->folder || (strcasecmp(extension, ".stl") && strcasecmp(extension, ".obj")))
        return false;
    const char *package = package_of(r), *path = find_mesh(r, name, package);
    const bool scaled = dal_xml_get(mesh, "scale");
    if (!path || (scaled && (!read_numbers(r, mesh, "scale", 3, scale) || scale[0] == 0 || scale[1] == 0 || scale[2] == 0)))
        return false;
    f->type = (dal_text){.text = "mesh", .mark = f->mark};
    f->file = (dal_text){.text = dal_arena_copy(r->keep, name, strlen(name)), .mark = f->mark};
    f->path = path;
    f->root = package ? package : dal_arena_copy(r->keep, r->folder, strlen(r->folder));
    f->picture = true;
    if (scaled)
        f->stretch = numbers(r, 3, scale, f->mark);
    dal_note_file(r, path);
    return true;
}

static bool read_geometry(dal_reader *r, const dal_xml_node *geometry, dal_figure_spec *f)
{
    const dal_xml_node *box = child_of(geometry, "box"), *cylinder = child_of(geometry, "cylinder"), *sphere = child_of(geometry, "sphere");
    const dal_xml_node *mesh = child_of(geometry, "mesh");
    double size[3] = {1, 1, 1};
    if (mesh)
        return read_mesh(r, mesh, f);
    if (box ? !read_numbers(r, box, "size", 3, size) : !read_numbers(r, cylinder ? cylinder : sphere, "radius", 1, &size[0]))
        return false;
    if (!box && cylinder && !read_numbers(r, cylinder, "length", 1, &size[1]))
        return false;
    if (!(size[0] > 0 && size[1] > 0 && size[2] > 0))
        return false;
    f->type = (dal_text){.text = box ? "box" : cylinder ? "cylinder" : "sphere", .mark = f->mark};
    if (box)
        f->size = numbers(r, 3, size, f->mark);
    else
        f->radius = number(r, size[0], f->mark);
    if (!box && cylinder)
        f->length = number(r, size[1], f->mark);
    return true;
}

static void read_place(dal_reader *r, const dal_xml_node *origin, dal_figure_spec *f)
{
    double xyz[3], rpy[3];
    if (read_numbers(r, origin, "xyz", 3, xyz) && (xyz[0] != 0 || xyz[1] != 0 || xyz[2] != 0))
        f->at = numbers(r, 3, xyz, f->mark);
    if (read_numbers(r, origin, "rpy", 3, rpy) && (rpy[0] != 0 || rpy[1] != 0 || rpy[2] != 0))
        f->orientation = (dal_orientation){.kind = DAL_ATTITUDE_RPY, .first = numbers(r, 3, rpy, f->mark), .mark = f->mark};
}

static void read_color(dal_reader *r, const dal_xml_node *material, dal_figure_spec *f)
{
    double c[4];
    if (!read_numbers(r, child_of(material, "color"), "rgba", 4, c))
        return;
    for (int k = 0; k < 3; k++)
        c[k] = c[k] < 0 ? 0 : c[k] > 1 ? 255 : round(255 * c[k]);
    f->color = (dal_text){.text = dal_arena_print(r->keep, "#%02x%02x%02x", (unsigned)c[0], (unsigned)c[1], (unsigned)c[2]), .mark = f->mark};
}

void dal_urdf_visuals(dal_reader *r, const dal_xml_node *link, dal_figures *figures)
{
    size_t room = 0;
    for (const dal_xml_node *node = link->first; node; node = node->next) {
        dal_figure_spec f = {.mark = node->mark};
        if (strcmp(node->name, "visual") || !read_geometry(r, child_of(node, "geometry"), &f))
            continue;
        read_place(r, child_of(node, "origin"), &f);
        read_color(r, child_of(node, "material"), &f);
        *DAL_PUSH(r->keep, figures->item, figures->n, room) = f;
    }
}
