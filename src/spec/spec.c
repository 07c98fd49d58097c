/* The entry to the readers: which reader a file needs, its memory, and its messages in the order of the text.
 *
 * The spec owns one arena, which has all its parts. A second arena has the data that only reading needs. When memory runs out, the arenas jump back
 * into `guarded`, and one function frees everything on every path.
 */
#include "base/argument.h"
#include "spec/reader.h"
#include "spec/xml.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct reading {
    const char *file, *text; /* text == NULL: to be loaded */
    size_t length;
    int n_overrides;
    const dal_override *overrides;
    dal_arena keep, scratch;
    bool floating;
    bool in_folder; /* the text comes from the file: it may name other files beside it */
    void (*file_named)(void *user, const char *path);
    void *file_user;
    dal_yaml *yaml;
    dal_xml *xml;
    dal_messages *messages; /* the reader's own */
    dal_spec *spec;
} reading;

/* ---- files --------------------------------------------------------------------------- */

/* Memory must not be allocated while the file is open, because a jump would leave it open. */
char *dal_load_file(dal_arena *arena, const char *path, size_t *length, const char **why)
{
    struct stat found;
    char buffer[256];
    if (stat(path, &found)) {
        const char *reason = strerror_r(errno, buffer, sizeof buffer);
        *why = dal_arena_copy(arena, reason, strlen(reason));
        return NULL;
    }
    if (!S_ISREG(found.st_mode)) {
        *why = "it is not a plain file";
        return NULL;
    }
    if (found.st_size > DAL_FILE_LIMIT) {
        *why = "it is larger than 64 MiB";
        return NULL;
    }
    size_t size = (size_t)found.st_size, got = 0;
    char *text = dal_arena_alloc(arena, size + 1);
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    bool fine = fd >= 0 && !fstat(fd, &found) && S_ISREG(found.st_mode);
    for (ssize_t n = 1; fine && n > 0 && got <= size; got += (size_t)n) {
        n = read(fd, text + got, size + 1 - got);
        fine = n >= 0;
        n = fine ? n : 0;
    }
    int error = errno;
    if (fd >= 0)
        close(fd);
    if (!fine) {
        const char *reason = strerror_r(error, buffer, sizeof buffer);
        *why = dal_arena_copy(arena, reason, strlen(reason));
        return NULL;
    }
    if (got != size) {
        *why = "it changed while it was read";
        return NULL;
    }
    text[size] = '\0';
    *length = size;
    return text;
}

/* Resolves the links of both paths and compares the results. The file that is loaded is the one that was compared. */
char *dal_load_inside(dal_arena *arena, const char *folder, const char *path, size_t *length, const char **why)
{
    char root[PATH_MAX], place[PATH_MAX];
    if (!realpath(*folder ? folder : ".", root) || !realpath(path, place))
        return dal_load_file(arena, path, length, why);
    const size_t n = strcmp(root, "/") ? strlen(root) : 0;
    if (!strncmp(place, root, n) && (place[n] == '/' || !place[n]))
        return dal_load_file(arena, place, length, why);
    *why = "a link leads out of the model's folder";
    return NULL;
}

void dal_note_file(dal_reader *reader, const char *path)
{
    dal_file_list *files = reader->files;
    *DAL_PUSH(reader->keep, files->path, files->n, files->room) = dal_arena_copy(reader->keep, path, strlen(path));
    if (files->tell)
        files->tell(files->user, path);
}

const char *dal_folder_of(dal_arena *arena, const char *file)
{
    const char *slash = strrchr(file, '/');
    return slash ? dal_arena_copy(arena, file, (size_t)(slash - file) + 1) : "";
}

const char *dal_extension_of(const char *file)
{
    const char *slash = strrchr(file, '/'), *name = slash ? slash + 1 : file, *dot = strrchr(name, '.');
    return dot && dot > name ? dot : "";
}

bool dal_is_model_file(const char *file)
{
    static const char *const yaml[] = {".yaml", ".yml", ".json"};
    const char *extension = dal_extension_of(file);
    for (size_t i = 0; i < sizeof yaml / sizeof *yaml; i++)
        if (!strcasecmp(extension, yaml[i]))
            return true;
    return false;
}

bool dal_is_urdf_file(const char *file)
{
    return !strcasecmp(dal_extension_of(file), ".urdf");
}

/* Is there a reader for this type of file? */
static bool check_type(const reading *job, dal_mark mark)
{
    static const char *const foreign[] = {".xml", ".mjcf", ".sdf", ".xacro"};
    const char *extension = dal_extension_of(job->file);
    if (dal_is_model_file(job->file) || dal_is_urdf_file(job->file))
        return true;
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++) {
        if (!strcasecmp(extension, foreign[i])) {
            dal_error(job->messages, mark, "this version cannot read %s files: a model is a .yaml, .yml, .json or .urdf file", foreign[i]);
            return false;
        }
    }
    dal_error(job->messages, mark,
              *extension ? "the type of a '%.20s' file is not known: a model is a .yaml, .yml, .json or .urdf file"
                         : "a file without extension%.0s has no type: a model is a .yaml, .yml, .json or .urdf file",
              extension);
    return false;
}

/* ---- reading ----------------------------------------------------------------------------- */

static const dal_setting *copy_overrides(reading *job)
{
    dal_setting *settings = DAL_NEW(&job->keep, dal_setting, job->n_overrides);
    for (int i = 0; i < job->n_overrides; i++) {
        const dal_override *o = &job->overrides[i];
        dal_mark mark = {dal_arena_print(&job->keep, "--set %.80s=%.80s", o->name, o->value), 0, 1};
        settings[i].name = (dal_text){.text = dal_arena_copy(&job->keep, o->name, strlen(o->name)), .mark = mark};
        settings[i].value = (dal_text){.text = dal_arena_copy(&job->keep, o->value, strlen(o->value)), .mark = mark};
    }
    return settings;
}

/* False: there is nothing to check. */
static bool read_yaml(reading *job, dal_reader *reader)
{
    if (job->floating)
        dal_error(job->messages, (dal_mark){"--floating", 0, 0},
                  "a YAML model says itself what is fixed: only the root of a URDF file can be set free; here, drop the joint that holds it");
    job->yaml = reader->yaml = dal_yaml_open(&job->scratch);
    const dal_tree *root =
        dal_document_read(job->yaml, &job->scratch, &job->keep, job->file, job->text, job->length, job->messages, reader->no_memory);
    if (root)
        dal_read_model(reader, root);
    return root;
}

static bool read_xml(reading *job, dal_reader *reader)
{
    for (int i = 0; i < reader->n_settings; i++)
        dal_error(job->messages, reader->settings[i].name.mark, "a URDF file has no parameters that could be set");
    job->xml = dal_xml_open(&job->scratch);
    const dal_xml_node *root = dal_xml_read(job->xml, &job->scratch, job->file, job->text, job->length, job->messages, reader->no_memory);
    if (root)
        dal_read_urdf(reader, root, job->floating);
    return root;
}

static void keep_overrides(const reading *job, const dal_reader *reader)
{
    dal_spec *spec = reader->spec;
    dal_override *kept = DAL_NEW(reader->keep, dal_override, job->n_overrides);
    for (int i = 0; i < job->n_overrides; i++)
        kept[i] = (dal_override){reader->settings[i].name.text, reader->settings[i].value.text};
    spec->n_overrides = job->n_overrides;
    spec->overrides = kept;
    spec->floating = job->floating;
}

static void read_text(reading *job, const char *folder, bool *no_memory)
{
    const dal_source source = {.path = job->file + (folder ? strlen(folder) : 0)};
    dal_file_list files = {.tell = job->file_named, .user = job->file_user};
    dal_reader reader = {.keep = &job->keep,
                         .scratch = &job->scratch,
                         .messages = job->messages,
                         .folder = folder,
                         .root = folder,
                         .source = &source,
                         .no_memory = no_memory,
                         .xml = &job->xml,
                         .files = &files,
                         .n_settings = job->n_overrides,
                         .settings = copy_overrides(job)};
    dal_spec *spec = reader.spec = DAL_NEW(&job->keep, dal_spec, 1);
    spec->file = job->file;
    spec->text = dal_arena_copy(&job->keep, job->text, job->length);
    reader.graph = dal_graph_create(&job->scratch);
    if (folder)
        dal_note_file(&reader, job->file);
    reader.hash = dal_hash_add(dal_hash_begin(), job->text, job->length);
    if (!(dal_is_urdf_file(job->file) ? read_xml : read_yaml)(job, &reader))
        return;
    keep_overrides(job, &reader);
    for (int i = 0; i < job->n_overrides; i++)
        reader.hash = dal_hash_override(reader.hash, &job->overrides[i]);
    dal_hash_text(reader.hash, spec->hash);
    spec->n_files = files.n;
    spec->files = files.path;
    job->spec = spec;
}

static void keep_warnings(reading *job)
{
    const dal_message **last = &job->spec->warnings;
    for (const dal_message *m = dal_messages_first(job->messages); m; m = m->next)
        if (m->severity == DAL_WARNING) {
            dal_message *kept = dal_message_copy(&job->keep, m);
            *last = kept;
            last = (const dal_message **)(void *)&kept->next;
        }
}

static dal_status run_reading(reading *job, dal_messages *messages)
{
    const char *folder = NULL, *why = NULL;
    bool no_memory = false;
    dal_status status = DAL_OK;
    job->file = dal_arena_copy(&job->keep, job->file, strlen(job->file));
    dal_mark mark = {job->file, 0, 0};
    if (!job->text) {
        folder = dal_folder_of(&job->scratch, job->file);
        if (!check_type(job, mark))
            status = DAL_BAD_FILE;
        else if (!(job->text = dal_load_file(&job->scratch, job->file, &job->length, &why))) {
            dal_error(job->messages, mark, "the model cannot be read: %s", why);
            status = DAL_BAD_FILE;
        }
    } else if (job->in_folder) {
        folder = dal_folder_of(&job->scratch, job->file);
    } else if (job->length > DAL_FILE_LIMIT) {
        dal_error(job->messages, mark, "the model cannot be read: it is larger than 64 MiB");
        status = DAL_BAD_FILE;
    }
    if (status == DAL_OK)
        read_text(job, folder, &no_memory);
    if (!dal_messages_deliver(&job->scratch, job->file, job->messages, messages) || no_memory)
        return DAL_NO_MEMORY;
    if (status == DAL_OK && dal_messages_count(job->messages, DAL_ERROR))
        status = DAL_BAD_MODEL;
    if (status == DAL_OK)
        keep_warnings(job);
    return status;
}

static dal_status guarded(reading *job, dal_messages *messages)
{
    jmp_buf jump;
    if (setjmp(jump))
        return DAL_NO_MEMORY;
    job->keep.guard = job->scratch.guard = &jump;
    return run_reading(job, messages);
}

/* Reads for one of the three public calls. */
static bool can_read(const char *function, const dal_allocator *allocator, const reading *job, dal_messages *messages, dal_spec **spec)
{
    if (spec)
        *spec = NULL;
    bool fine = dal_needs(messages, function, "file", job->file) && dal_needs(messages, function, "spec", spec) &&
                dal_needs_allocator(messages, function, allocator) &&
                dal_needs_array(messages, function, "overrides", job->n_overrides, job->overrides);
    for (int i = 0; fine && i < job->n_overrides; i++)
        fine = dal_needs(messages, function, "overrides[].name", job->overrides[i].name) &&
               dal_needs(messages, function, "overrides[].value", job->overrides[i].value);
    return fine;
}

static dal_status read_job(const dal_allocator *allocator, reading *job, dal_messages *messages, dal_spec **spec)
{
    dal_arena_begin(&job->keep, allocator);
    dal_arena_begin(&job->scratch, allocator);
    job->messages = dal_messages_create(allocator);
    dal_status status = job->messages ? guarded(job, messages) : DAL_NO_MEMORY;
    dal_yaml_close(job->yaml);
    dal_xml_close(job->xml);
    dal_messages_free(job->messages);
    dal_arena_release(&job->scratch);
    job->keep.guard = NULL;
    dal_arena *owner = status == DAL_OK ? dal_arena_alloc(&job->keep, sizeof *owner) : NULL;
    if (!owner) {
        dal_arena_release(&job->keep);
        return status == DAL_OK ? DAL_NO_MEMORY : status;
    }
    *owner = job->keep;
    job->spec->memory = owner;
    *spec = job->spec;
    return DAL_OK;
}

dal_status dal_spec_read(const dal_allocator *allocator, const char *file, int n_overrides, const dal_override *overrides, dal_messages *messages,
                         dal_spec **spec)
{
    reading job = {.file = file, .n_overrides = n_overrides, .overrides = overrides};
    if (!can_read(__func__, allocator, &job, messages, spec))
        return DAL_BAD_COMMAND;
    return read_job(allocator, &job, messages, spec);
}

dal_status dal_spec_read_with(const dal_allocator *allocator, const char *file, const dal_read_options *options, dal_messages *messages,
                              dal_spec **spec)
{
    static const dal_read_options defaults = {0};
    const dal_read_options *o = options ? options : &defaults;
    reading job = {.file = file,
                   .n_overrides = o->n_overrides,
                   .overrides = o->overrides,
                   .floating = o->floating,
                   .file_named = o->file,
                   .file_user = o->file_user};
    if (!can_read(__func__, allocator, &job, messages, spec))
        return DAL_BAD_COMMAND;
    return read_job(allocator, &job, messages, spec);
}

dal_status dal_spec_parse(const dal_allocator *allocator, const char *file, const char *text, size_t length, int n_overrides,
                          const dal_override *overrides, dal_messages *messages, dal_spec **spec)
{
    reading job = {
        .file = file ? file : "model", .text = text ? text : "", .length = text ? length : 0, .n_overrides = n_overrides, .overrides = overrides};
    if (!can_read(__func__, allocator, &job, messages, spec))
        return DAL_BAD_COMMAND;
    if (!text && length)
        return dal_needs(messages, __func__, "text", text), DAL_BAD_COMMAND;
    return read_job(allocator, &job, messages, spec);
}

dal_status dal_spec_read_again(const dal_allocator *allocator, const dal_spec *kept, int n_overrides, const dal_override *overrides,
                               dal_messages *messages, dal_spec **spec)
{
    reading job = {.file = kept->file,
                   .text = kept->text,
                   .length = strlen(kept->text),
                   .n_overrides = n_overrides,
                   .overrides = overrides,
                   .floating = kept->floating,
                   .in_folder = kept->n_files > 0};
    *spec = NULL;
    return read_job(allocator, &job, messages, spec);
}

void dal_spec_free(dal_spec *spec)
{
    if (!spec || !spec->memory)
        return;
    dal_arena owner = *(dal_arena *)spec->memory; /* the copy is in its own memory */
    dal_arena_release(&owner);
}
