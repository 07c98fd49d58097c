#include "run/run.h"
size_t dal_simulation_save(const dal_simulation *r, void *buffer, size_t size){(void)r;(void)buffer;(void)size;return 0;}
dal_status dal_simulation_restore(dal_simulation *r, const void *blob, size_t size){(void)r;(void)blob;(void)size;return DAL_BAD_FILE;}
