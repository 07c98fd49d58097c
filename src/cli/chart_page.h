/* A page with charts: a title and pictures, without scripts. */
#ifndef DAL_CLI_CHART_PAGE_H
#define DAL_CLI_CHART_PAGE_H

/* HTML text, from malloc; NULL without memory. */
char *dal_chart_page(const char *title, int n, const char *const *svgs);

#endif
