/* The tab of equations of a page. */
#ifndef DAL_OUTPUT_PAGE_EQUATIONS_H
#define DAL_OUTPUT_PAGE_EQUATIONS_H

#include "output/page.h"
#include "output/stream.h"

/* page->equations, if there are any. */
void dal_page_put_equations(dal_stream *out, dal_page *page);

#endif
