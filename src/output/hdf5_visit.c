#ifdef DAL_HAVE_HDF5

#include "output/hdf5_visit.h"

#include "base/message.h"

#include <stdio.h>
#include <string.h>

/* ---- errors ------------------------------------------------------------- */

/* The innermost record of the error stack; of "..., error message = 'No space left on device', ..." the quoted part. */
static herr_t record_reason(unsigned n, const H5E_error2_t *error, void *user)
{
    dal_hdf5_visit *visit = user;
    if (n > 0 || !error->desc || visit->reason[0])
        return 0;
    static const char intro[] = "error message = '";
    const char *quoted = strstr(error->desc, intro);
    const char *text = quoted ? quoted + sizeof intro - 1 : error->desc;
    snprintf(visit->reason, sizeof visit->reason, "%.*s", quoted ? (int)strcspn(text, "'") : 255, text);
    return 0;
}

/* HDF5 calls this when a call fails, instead of printing, because the next call erases the reason. */
static herr_t note_reason(hid_t stack, void *user)
{
    dal_hdf5_visit *visit = user;
    return visit->library.H5Ewalk2(stack, H5E_WALK_UPWARD, record_reason, user);
}

/* The error handler that HDF5 had before is restored after each visit. */
void dal_hdf5_enter(dal_hdf5_visit *visit)
{
    visit->reason[0] = '\0';
    visit->library.H5Eget_auto2(H5E_DEFAULT, &visit->old_report, &visit->old_user);
    visit->library.H5Eset_auto2(H5E_DEFAULT, note_reason, visit);
}

void dal_hdf5_leave(dal_hdf5_visit *visit)
{
    visit->library.H5Eset_auto2(H5E_DEFAULT, visit->old_report, visit->old_user);
}

dal_status dal_hdf5_trouble(const dal_hdf5_visit *visit, const char *doing)
{
    if (visit->way.error)
        return dal_file_trouble(visit->destination, doing, visit->way.error);
    dal_error(visit->destination->messages, (dal_mark){visit->destination->name, 0, 0}, "cannot %s: %s", doing,
              visit->reason[0] ? visit->reason : "HDF5 gives no reason");
    return DAL_BAD_FILE;
}

/* After a visit without an error of HDF5, which does not know whether its bytes were written. */
dal_status dal_hdf5_arrived(const dal_hdf5_visit *visit)
{
    return visit->way.error ? dal_hdf5_trouble(visit, "be written") : DAL_OK;
}

/* ---- attributes --------------------------------------------------------- */

/* One value of `type` under `name`. */
bool dal_hdf5_write_attribute(const dal_hdf5 *h, hid_t object, const char *name, hid_t type, const void *value)
{
    hid_t space = h->H5Screate(H5S_SCALAR);
    hid_t attribute = space < 0 ? -1 : h->H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    bool good = attribute >= 0 && h->H5Awrite(attribute, type, value) >= 0;
    if (attribute >= 0)
        good = h->H5Aclose(attribute) >= 0 && good;
    dal_hdf5_close(h->H5Sclose, space);
    return good;
}

/* Marked as UTF-8, of fixed length. */
bool dal_hdf5_write_text(const dal_hdf5 *h, hid_t object, const char *name, const char *text)
{
    hid_t type = h->H5Tcopy(h->H5T_C_S1_g);
    const char *value = text ? text : "";
    bool good = type >= 0 && h->H5Tset_size(type, strlen(value) + 1) >= 0 && h->H5Tset_cset(type, H5T_CSET_UTF8) >= 0 &&
                dal_hdf5_write_attribute(h, object, name, type, value);
    dal_hdf5_close(h->H5Tclose, type);
    return good;
}

bool dal_hdf5_write_number(const dal_hdf5 *h, hid_t object, const char *name, double value)
{
    return dal_hdf5_write_attribute(h, object, name, h->H5T_NATIVE_DOUBLE_g, &value);
}

bool dal_hdf5_write_integer(const dal_hdf5 *h, hid_t object, const char *name, int value)
{
    return dal_hdf5_write_attribute(h, object, name, h->H5T_NATIVE_INT_g, &value);
}

/* A name that is one link for HDF5: "a/b" becomes "a%2Fb", "." becomes "%2E". */
void dal_hdf5_name(const char *name, char *out, size_t size)
{
    size_t used = 0;
    bool dots = name[0] && !name[strspn(name, ".")];
    for (; *name && used + 4 < size; name++) {
        bool odd = *name == '/' || *name == '%' || (unsigned char)*name < ' ' || (dots && *name == '.');
        used += (size_t)snprintf(out + used, size - used, odd ? "%%%02X" : "%c", (unsigned char)*name);
    }
    out[used] = '\0';
}

/* Closing the file closes all objects in it; there is no cache of chunks, which would need a megabyte for each channel; the driver is ours. */
hid_t dal_hdf5_access(dal_hdf5_visit *visit)
{
    const dal_hdf5 *h = &visit->library;
    hid_t access = h->H5Pcreate(h->H5P_CLS_FILE_ACCESS_ID_g);
    if (access < 0)
        return -1;
    if (h->H5Pset_fclose_degree(access, H5F_CLOSE_STRONG) >= 0 && h->H5Pset_cache(access, 0, 1, 0, 0.75) >= 0 &&
        h->H5Pset_libver_bounds(access, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST) >= 0 && dal_hdf5_way_use(&visit->way, access))
        return access;
    h->H5Pclose(access);
    return -1;
}

#else

typedef int dal_no_hdf5_visit; /* a file is never empty */

#endif
