/* Shared by all parts of a check: warnings, and the count of rows, rank and freedoms. */
#include "check/checker.h"
#include "base/message.h"
#include "base/printer.h"
#include "model/system_parts.h"

void dal_check_hear(dal_checker *c, const dal_message *message)
{
    dal_verdict *v = c->verdict;
    const dal_message **warnings = (const dal_message **)(void *)v->warnings;
    *DAL_PUSH(&c->arena, warnings, v->n_warnings, c->cap_warnings) = dal_message_copy(&c->arena, message);
    v->warnings = warnings;
}

void dal_check_warn(dal_checker *c, dal_code code, double number, const char *format, ...)
{
    char text[1200];
    DAL_FORMAT(text, format);
    dal_check_hear(c, &(dal_message){.severity = DAL_WARNING, .text = text, .code = dal_code_name(code), .number = number});
}

void dal_check_count(dal_checker *c, dal_probe *p)
{
    dal_verdict *v = c->verdict;
    dal_probe_at(p, c->state);
    dal_probe_rows(p);
    v->own_coordinates = p->layout->placement != NULL;
    v->velocities = p->m;
    v->rows = p->r;
    v->rank = dal_probe_rank(p, dal_system_method(p->system)->rank_tolerance, false);
    v->freedoms = p->m - v->rank;
    v->counted = p->m - p->r;
    v->ratio = dal_probe_ratio(p, v->rank);
}
