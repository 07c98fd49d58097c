/* Are the rows of joints, constraints and speeds finite at the start? */
#include "compile/build.h"

#include <math.h>

static void refuse_value(dal_build *build, const char *what, dal_text name)
{
    dal_error(build->messages, name.mark, "%s '%s' or a derivative of it is not a finite number at the start", what, name.text);
}

/* sqrt and log have an end, a quotient has poles: there the rows are NaN or infinite, and no comparison would notice. */
bool dal_build_forms_finite(dal_build *build, const dal_mechanism *m, const dal_work *work)
{
    if (work->table_exceeded) {
        dal_text name = build->spec->tables[work->table_exceeded - 1].name;
        dal_error(build->messages, name.mark, "at the start: table '%s' was left, and its `outside:` is error", name.text);
        return false;
    }
    for (int i = 0; i < m->n_rows + m->n_speeds; i++) {
        const dal_row *row = i < m->n_rows ? &m->rows[i] : &m->speeds[i - m->n_rows];
        for (int k = 0; row->form >= 0 && k < dal_row_outputs(row); k++) {
            if (isfinite(work->form[row->form + k]))
                continue;
            if (i >= m->n_rows)
                refuse_value(build, "speed", build->spec->speeds[i - m->n_rows].name);
            else if (dal_joint_is_expression(&m->joints[row->joint]))
                refuse_value(build, "constraint", build->spec->constraints[row->joint - build->spec->n_joints].name);
            else
                dal_error(build->messages, m->joints[row->joint].mark,
                          m->joints[row->joint].equations
                              ? "an equation of joint '%s', or a derivative of one, is not a finite number at the start"
                              : "joint '%s' is singular at the start: a disc must not lie flat, and a blade must not stand upright",
                          m->joints[row->joint].name);
            return false;
        }
    }
    return true;
}
