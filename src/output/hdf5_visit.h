/* A file that HDF5 writes: errors become sentences instead of text on the terminal; attributes, names. */
#ifndef DAL_OUTPUT_HDF5_VISIT_H
#define DAL_OUTPUT_HDF5_VISIT_H

#include "output/file.h"
#include "output/hdf5_driver.h"

typedef struct dal_hdf5_visit {
    const dal_destination *destination;
    dal_hdf5 library;
    dal_hdf5_way way;
    H5E_auto2_t old_report; /* the error handler that HDF5 had before */
    void *old_user;
    char reason[256]; /* of the first failure of this visit */
} dal_hdf5_visit;

/* Called before and after calls of HDF5; the error handler that HDF5 had before is restored. */
void dal_hdf5_enter(dal_hdf5_visit *visit);
void dal_hdf5_leave(dal_hdf5_visit *visit);
/* "name: cannot be written: ..."; returns DAL_BAD_FILE. */
dal_status dal_hdf5_trouble(const dal_hdf5_visit *visit, const char *doing);
/* After a visit without an error of HDF5, which does not know whether its bytes were written. */
dal_status dal_hdf5_arrived(const dal_hdf5_visit *visit);

/* One value of `type` named `name`; false: HDF5 refuses it. */
bool dal_hdf5_write_attribute(const dal_hdf5 *h, hid_t object, const char *name, hid_t type, const void *value);
/* Marked as UTF-8, of fixed length. */
bool dal_hdf5_write_text(const dal_hdf5 *h, hid_t object, const char *name, const char *text);
bool dal_hdf5_write_number(const dal_hdf5 *h, hid_t object, const char *name, double value);
bool dal_hdf5_write_integer(const dal_hdf5 *h, hid_t object, const char *name, int value);

/* A name that is one link for HDF5: "a/b" becomes "a%2Fb", "." becomes "%2E". */
void dal_hdf5_name(const char *name, char *out, size_t size);
/* Properties for opening a file; a negative number: HDF5 refuses them. */
hid_t dal_hdf5_access(dal_hdf5_visit *visit);

#endif
