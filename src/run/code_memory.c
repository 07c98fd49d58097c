/* Which object was made of which model, so that a source need not be made again to know the name of its object.
 *
 *     NAME.made      magic, name of the object, how many notes, the notes, SHA-256 of all that
 *
 * NAME is the SHA-256 of request->model, of compiler, options and version, and of the program: its build ID, which linkers compute of its contents
 * (a note of type 3 of the owner "GNU"). A program that was linked otherwise, with another generator for instance, finds nothing of the old one; one
 * without a build ID remembers nothing.
 */
#include "run/code_folder.h"

#include <errno.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char magic[16] = "dalembert code 1";

enum { DIGITS = 64, HEAD = sizeof magic + DIGITS + sizeof(int), ROOM = HEAD + DAL_CODE_NOTES * sizeof(int) + DIGITS };

/* ---- the program ------------------------------------------------------------------------------- */

typedef struct build {
    uintptr_t here; /* an address of this library */
    bool found;
    dal_digest *into;
} build;

static size_t rounded(size_t n)
{
    return (n + 3) & ~(size_t)3;
}

/* Notes of one segment: name, contents, each rounded to four bytes. */
static bool add_build_id(const unsigned char *at, size_t n, dal_digest *into)
{
    ElfW(Nhdr) note;
    while (n >= sizeof note) {
        memcpy(&note, at, sizeof note);
        const size_t name = rounded(note.n_namesz), contents = rounded(note.n_descsz);
        if (note.n_namesz > n || note.n_descsz > n || sizeof note + name + contents > n)
            return false;
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && !memcmp(at + sizeof note, "GNU", 4) && note.n_descsz >= 8) {
            dal_digest_add(into, at + sizeof note + name, note.n_descsz);
            return true;
        }
        at += sizeof note + name + contents;
        n -= sizeof note + name + contents;
    }
    return false;
}

/* The program or library that `here` lies in. */
static int visit_object(struct dl_phdr_info *info, size_t size, void *user)
{
    build *b = user;
    bool mine = false;
    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        mine |= p->p_type == PT_LOAD && b->here - info->dlpi_addr >= p->p_vaddr && b->here - info->dlpi_addr - p->p_vaddr < p->p_memsz;
    }
    for (int i = 0; mine && i < info->dlpi_phnum && !b->found; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        if (p->p_type == PT_NOTE)
            b->found = add_build_id((const unsigned char *)(info->dlpi_addr + p->p_vaddr), p->p_memsz, b->into);
    }
    return mine;
}

/* The name under which a model is stored. False: the program cannot be distinguished from others. */
static bool choose_name(dal_code_work *w)
{
    dal_digest d = dal_code_identity(w);
    build b = {.here = (uintptr_t)magic, .into = &d};
    if (strlen(w->request->model) != DIGITS)
        return false;
    dl_iterate_phdr(visit_object, &b);
    dal_digest_add(&d, w->request->model, DIGITS);
    dal_digest_text(&d, w->name);
    return b.found;
}

/* ---- files -------------------------------------------------------------------------------------- */

/* As many bytes as there are, at most `room`. */
static size_t read_all(int in, char *to, size_t room)
{
    size_t n = 0;
    for (ssize_t k = 1; k && n < room;) {
        k = read(in, to + n, room - n);
        if (k < 0 && errno != EINTR)
            return 0;
        n += k > 0 ? (size_t)k : 0;
        k = k < 0 ? 1 : k;
    }
    return n;
}

static void digest_of(const char *bytes, size_t n, char text[65])
{
    dal_digest d = dal_digest_begin();
    dal_digest_add(&d, bytes, n);
    dal_digest_text(&d, text);
}

static bool is_name(const char *text)
{
    return strspn(text, "0123456789abcdef") == DIGITS && !text[DIGITS];
}

/* The object's name and the notes of a whole file. */
static bool parse_notes(const char *bytes, size_t n, char object[65], dal_code_notes *notes)
{
    char sum[65];
    if (n < HEAD + DIGITS || memcmp(bytes, magic, sizeof magic))
        return false;
    memcpy(object, bytes + sizeof magic, DIGITS);
    object[DIGITS] = '\0';
    memcpy(&notes->n, bytes + sizeof magic + DIGITS, sizeof notes->n);
    if (!is_name(object) || notes->n < 0 || notes->n > DAL_CODE_NOTES || n != HEAD + sizeof(int) * (size_t)notes->n + DIGITS)
        return false;
    memcpy(notes->number, bytes + HEAD, sizeof(int) * (size_t)notes->n);
    digest_of(bytes, n - DIGITS, sum);
    return !memcmp(sum, bytes + n - DIGITS, DIGITS);
}

bool dal_code_load_known(const dal_code_request *request, dal_loaded_code *code, dal_code_notes *notes)
{
    char why[DAL_CODE_PATH], file[DAL_CODE_NAME], bytes[ROOM + 1];
    dal_code_work w = {.request = request, .why = why, .size = sizeof why};
    *code = (dal_loaded_code){0};
    notes->n = 0;
    if (dal_code_open(&w) && choose_name(&w)) {
        snprintf(file, sizeof file, "%s.made", w.name);
        const int in = dal_code_open_own(w.at, file);
        const size_t n = in < 0 ? 0 : read_all(in, bytes, sizeof bytes);
        if (in >= 0)
            close(in);
        if (parse_notes(bytes, n, w.name, notes)) {
            memcpy(code->name, w.name, sizeof code->name);
            code->handle = dal_code_open_cached(&w, code->sum);
            code->cached = code->handle != NULL;
        }
    }
    dal_code_close(&w);
    return code->handle != NULL;
}

void dal_code_remember(const dal_code_request *request, const dal_loaded_code *code, const dal_code_notes *notes)
{
    char why[DAL_CODE_PATH], file[2 * DAL_CODE_NAME], bytes[ROOM], sum[65];
    dal_code_work w = {.request = request, .why = why, .size = sizeof why};
    const size_t n = HEAD + sizeof(int) * (size_t)notes->n;
    memcpy(bytes, magic, sizeof magic);
    memcpy(bytes + sizeof magic, code->name, DIGITS);
    memcpy(bytes + sizeof magic + DIGITS, &notes->n, sizeof notes->n);
    memcpy(bytes + HEAD, notes->number, sizeof(int) * (size_t)notes->n);
    digest_of(bytes, n, sum);
    memcpy(bytes + n, sum, DIGITS);
    if (dal_code_open(&w) && choose_name(&w) && dal_code_open_bench(&w)) {
        snprintf(file, sizeof file, "%s/made", w.bench);
        if (dal_code_write(w.at, file, bytes, n + DIGITS))
            dal_code_publish(&w, "made", ".made");
        dal_code_clear_bench(&w);
    }
    dal_code_close(&w);
}
