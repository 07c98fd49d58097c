/* The page with moving shapes of modes. */
#ifndef DAL_CLI_MODES_PAGE_H
#define DAL_CLI_MODES_PAGE_H

#include "dalembert/linear.h"

/* Writes it. DAL_OK, or a status after a message. title: NULL, the name of the model. */
dal_status dal_modes_page(const char *path, const dal_spec *spec, const dal_modes *modes, const char *title, dal_messages *messages);

#endif
