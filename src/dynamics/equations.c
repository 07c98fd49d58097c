/* The equations of motion at one state: the part that all formulations share.
 *
 * Blocks, their names, and the system K x = b that they make up. Everything lies
 * in one arena, which the equations own; without memory the arena's guard jumps
 * back to dal_equations_create.
 */
#include "dynamics/equations.h"

#include "base/argument.h"
#include "dynamics/speeds.h"
#include "dynamics/row_rank.h"
#include "dynamics/tree_state.h"
#include "model/coordinate_names.h"
#include "model/system_parts.h"
#include "state/state_parts.h"

#include <stdio.h>
#include <string.h>

/* The public struct and its parts. */
typedef struct frame {
    dal_equations shown;
    dal_arena arena;
    size_t cap_blocks, cap_places, cap_rights;
    /* made once, shared by the blocks: equal lists are the same pointer */
    dal_names velocities, accelerations, rows, dependent, speeds, speed_rates, twist;
} frame;

static frame *frame_of(dal_equations *equations)
{
    return equations->memory;
}

static dal_arena *arena_of(dal_equations *equations)
{
    return &frame_of(equations)->arena;
}

double *dal_show_scratch(dal_equations *equations, size_t n)
{
    return dal_arena_alloc(arena_of(equations), sizeof(double) * n);
}

/* ---- names --------------------------------------------------------------------- */

typedef void name_writer(const dal_state *state, int k, char *buffer, size_t size);

static dal_names make_names(dal_equations *equations, const dal_state *state, int n, name_writer *write)
{
    dal_arena *arena = arena_of(equations);
    const char **names = DAL_NEW(arena, const char *, n + 1);
    for (int k = 0; k < n; k++) {
        char buffer[256];
        write(state, k, buffer, sizeof buffer);
        names[k] = dal_arena_copy(arena, buffer, strlen(buffer));
    }
    return (dal_names){n, names};
}

static dal_names store_equations(dal_equations *equations, dal_names *kept, const dal_state *state, int n, name_writer *write)
{
    if (!kept->name)
        *kept = make_names(equations, state, n, write);
    return *kept;
}

static void write_coordinate(const dal_state *state, int k, char *buffer, size_t size)
{
    dal_coordinate_name(dal_system_of(state), k, buffer, size);
}

static void write_velocity(const dal_state *state, int k, char *buffer, size_t size)
{
    dal_velocity_name(dal_system_of(state), k, buffer, size);
}

static void write_acceleration(const dal_state *state, int k, char *buffer, size_t size)
{
    dal_velocity_name(dal_system_of(state), k, buffer, size - 1);
    strcat(buffer, "'");
}

/* "hinge 1", "hinge" where it has one row, "hinge drive"; "rod unit length", "rod orthonormal 3". */
void dal_row_name(const dal_state *state, int i, char *buffer, size_t size)
{
    const dal_layout *layout = dal_layout_of(state);
    const dal_mechanism *m = layout->mechanism;
    int source = layout->row[i].source;
    if (source >= 0) {
        const dal_joint *joint = &m->joints[m->rows[source].joint];
        if (source == joint->drive)
            snprintf(buffer, size, "%s drive", joint->name);
        else if (joint->n_rows == 1)
            snprintf(buffer, size, "%s", joint->name);
        else
            snprintf(buffer, size, "%s %d", joint->name, source - joint->row + 1);
        return;
    }
    snprintf(buffer, size, "row %d", i + 1);
    for (int b = 0; b < m->n_bodies; b++) {
        const dal_body_layout *at = &layout->body[b];
        if (i < at->intrinsic || i >= at->intrinsic + at->n_intrinsic)
            continue;
        if (at->n_intrinsic == 1)
            snprintf(buffer, size, "%s unit length", m->bodies[b].name);
        else
            snprintf(buffer, size, "%s orthonormal %d", m->bodies[b].name, i - at->intrinsic + 1);
    }
}

static void write_independent(const dal_state *state, int k, char *buffer, size_t size)
{
    dal_row_name(state, dal_rank_of(state)->order[k], buffer, size);
}

static void write_dependent(const dal_state *state, int k, char *buffer, size_t size)
{
    const dal_rank *rank = dal_rank_of(state);
    dal_row_name(state, rank->order[rank->n + k], buffer, size);
}

/* The name that the model gives, or the velocity that was chosen; a speed that is neither has only its number. */
static void name_speed(const dal_state *state, int k, const char *prime, char *buffer, size_t size)
{
    const dal_speed_choice *speeds = dal_speeds_of(state);
    const dal_system *system = dal_system_of(state);
    char name[200];
    if (speeds->basis->fixed) {
        snprintf(buffer, size, "%s%s", dal_speed_name(system, speeds->column[k]), prime);
        return;
    }
    dal_velocity_name(system, speeds->column[k], name, sizeof name);
    snprintf(buffer, size, "u%d%s = %s%s", k + 1, prime, name, prime);
}

static void write_speed(const dal_state *state, int k, char *buffer, size_t size)
{
    name_speed(state, k, "", buffer, size);
}

static void write_speed_rate(const dal_state *state, int k, char *buffer, size_t size)
{
    name_speed(state, k, "'", buffer, size);
}

static void write_twist(const dal_state *state, int k, char *buffer, size_t size)
{
    static const char *const spatial[] = {"w_x", "w_y", "w_z", "v_x", "v_y", "v_z"}, *const planar[] = {"w", "v_x", "v_y"};
    snprintf(buffer, size, "%s", dal_layout_of(state)->mechanism->space == DAL_PLANAR ? planar[k] : spatial[k]);
}

dal_names dal_names_velocities(dal_equations *equations, const dal_state *state)
{
    return store_equations(equations, &frame_of(equations)->velocities, state, dal_layout_of(state)->nv, write_velocity);
}

dal_names dal_names_accelerations(dal_equations *equations, const dal_state *state)
{
    return store_equations(equations, &frame_of(equations)->accelerations, state, dal_layout_of(state)->nv, write_acceleration);
}

dal_names dal_names_rows(dal_equations *equations, const dal_state *state)
{
    return store_equations(equations, &frame_of(equations)->rows, state, dal_rank_of(state)->n, write_independent);
}

dal_names dal_names_dependent(dal_equations *equations, const dal_state *state)
{
    return store_equations(equations, &frame_of(equations)->dependent, state, dal_layout_of(state)->n_rows - dal_rank_of(state)->n, write_dependent);
}

dal_names dal_names_speeds(dal_equations *equations, const dal_state *state)
{
    return store_equations(equations, &frame_of(equations)->speeds, state, dal_speeds_of(state)->basis->p, write_speed);
}

dal_names dal_names_speed_rates(dal_equations *equations, const dal_state *state)
{
    return store_equations(equations, &frame_of(equations)->speed_rates, state, dal_speeds_of(state)->basis->p, write_speed_rate);
}

dal_names dal_names_twist(dal_equations *equations, const dal_state *state)
{
    return store_equations(equations, &frame_of(equations)->twist, state, dal_layout_of(state)->mechanism->space == DAL_PLANAR ? 3 : 6, write_twist);
}

dal_names dal_names_part(dal_equations *equations, dal_names names, int n, const int *which)
{
    const char **part = DAL_NEW(arena_of(equations), const char *, n + 1);
    for (int i = 0; i < n; i++)
        part[i] = names.name[which[i]];
    return (dal_names){n, part};
}

dal_names dal_names_join(dal_equations *equations, dal_names first, dal_names second)
{
    const char **all = DAL_NEW(arena_of(equations), const char *, first.n + second.n + 1);
    for (int i = 0; i < first.n + second.n; i++)
        all[i] = i < first.n ? first.name[i] : second.name[i - first.n];
    return (dal_names){first.n + second.n, all};
}

/* ---- blocks --------------------------------------------------------------------- */

static const char *copy_text(dal_equations *equations, const char *text)
{
    return dal_arena_copy(arena_of(equations), text, strlen(text));
}

void dal_show_equation(dal_equations *equations, const char *equation, const char *source)
{
    equations->equation = copy_text(equations, equation);
    equations->source = copy_text(equations, source);
}

double *dal_show_matrix(dal_equations *equations, const char *name, const char *title, dal_names rows, dal_names columns)
{
    frame *f = frame_of(equations);
    double *values = dal_show_scratch(equations, (size_t)rows.n * (size_t)columns.n);
    *DAL_PUSH(&f->arena, equations->blocks, equations->n_blocks, f->cap_blocks) =
        (dal_equation_block){copy_text(equations, name), copy_text(equations, title), rows.n, columns.n, values, rows.name, columns.name};
    return values;
}

double *dal_show_vector(dal_equations *equations, const char *name, const char *title, dal_names rows)
{
    const char **own = DAL_NEW(arena_of(equations), const char *, 1);
    *own = copy_text(equations, name);
    return dal_show_matrix(equations, name, title, rows, (dal_names){1, own});
}

void dal_show_place_of(dal_equations *equations, int block, int row, int column, bool transposed, double factor)
{
    frame *f = frame_of(equations);
    *DAL_PUSH(&f->arena, equations->places, equations->n_places, f->cap_places) = (dal_equation_place){block, row, column, transposed, factor, -1};
}

void dal_show_product(dal_equations *equations, int block, int times, int row)
{
    frame *f = frame_of(equations);
    *DAL_PUSH(&f->arena, equations->rights, equations->n_rights, f->cap_rights) = (dal_equation_place){block, row, 0, false, 1, times};
}

void dal_show_right_of(dal_equations *equations, int block, int row)
{
    dal_show_product(equations, block, -1, row);
}

void dal_show_place(dal_equations *equations, int row, int column, bool transposed, double factor)
{
    dal_show_place_of(equations, equations->n_blocks - 1, row, column, transposed, factor);
}

void dal_show_right(dal_equations *equations, int row)
{
    dal_show_right_of(equations, equations->n_blocks - 1, row);
}

void dal_show_unknowns(dal_equations *equations, dal_names names, const double *values)
{
    frame *f = frame_of(equations);
    int n = equations->solution.n, total = n + names.n;
    const char **all = DAL_NEW(&f->arena, const char *, total + 1);
    double *x = dal_show_scratch(equations, (size_t)total);
    for (int i = 0; i < total; i++) {
        all[i] = i < n ? equations->solution.names[i] : names.name[i - n];
        x[i] = i < n ? equations->solution.values[i] : values[i - n];
    }
    equations->solution = (dal_equation_values){total, all, x};
}

void dal_show_multipliers(dal_equations *equations, const dal_state *state, const char *sign)
{
    const dal_names rows = dal_names_rows(equations, state);
    const char **names = DAL_NEW(arena_of(equations), const char *, rows.n + 1);
    double *values = dal_show_scratch(equations, (size_t)rows.n);
    const double *lambda = dal_multipliers_of(state);
    const int *order = dal_rank_of(state)->order;
    for (int i = 0; i < rows.n; i++) {
        names[i] = dal_arena_print(arena_of(equations), "%slambda of %s", sign, rows.name[i]);
        values[i] = *sign ? -lambda[order[i]] : lambda[order[i]];
    }
    dal_show_unknowns(equations, (dal_names){rows.n, names}, values);
}

/* ---- blocks that many formulations have ------------------------------------------- */

int dal_show_mass(dal_equations *equations, const dal_state *state)
{
    const dal_layout *layout = dal_layout_of(state);
    const size_t m = (size_t)layout->nv;
    double *M = dal_show_matrix(equations, "M", "the mass matrix: v . M v / 2 is the part of the kinetic energy that is quadratic in v",
                                dal_names_velocities(equations, state), dal_names_velocities(equations, state));
    for (int b = 0; b < layout->n_blocks; b++) {
        const dal_mass_block *at = &layout->block[b];
        for (int i = 0; i < at->n; i++)
            for (int j = 0; j < at->n; j++)
                M[(size_t)(at->column + i) * m + (size_t)(at->column + j)] = dal_seen_work(state)->M[at->value + at->n * i + j];
    }
    return equations->n_blocks - 1;
}

int dal_show_force(dal_equations *equations, const dal_state *state)
{
    const dal_work *work = dal_seen_work(state);
    double *f = dal_show_vector(equations, "Q - h", "the applied forces Q less h, the inertia forces that hold no accelerations",
                                dal_names_velocities(equations, state));
    for (int i = 0; i < dal_layout_of(state)->nv; i++)
        f[i] = work->Q[i] - work->h[i];
    return equations->n_blocks - 1;
}

static void fill_rows_equations(const dal_state *state, int first, int n, double *A)
{
    const dal_layout *layout = dal_layout_of(state);
    for (int i = 0; i < n; i++) {
        const dal_row_layout *at = &layout->row[dal_rank_of(state)->order[first + i]];
        for (int k = at->value; k < at->value + at->n_values; k++)
            A[(size_t)i * (size_t)layout->nv + (size_t)layout->column[k]] += dal_seen_work(state)->A[k];
    }
}

static void fill_gamma(const dal_state *state, int first, int n, double *gamma)
{
    for (int i = 0; i < n; i++)
        gamma[i] = dal_gamma_of(state)[dal_rank_of(state)->order[first + i]];
}

int dal_show_constraints(dal_equations *equations, const dal_state *state)
{
    const dal_rank *rank = dal_rank_of(state);
    bool all = rank->n == dal_layout_of(state)->n_rows;
    double *A = dal_show_matrix(equations, all ? "A" : "A_k",
                                all ? "the constraints at the level of velocities, A v = beta" : "independent rows of the constraints, A v = beta",
                                dal_names_rows(equations, state), dal_names_velocities(equations, state));
    fill_rows_equations(state, 0, rank->n, A);
    return equations->n_blocks - 1;
}

int dal_show_gamma(dal_equations *equations, const dal_state *state)
{
    const dal_rank *rank = dal_rank_of(state);
    bool all = rank->n == dal_layout_of(state)->n_rows;
    double *gamma = dal_show_vector(equations, all ? "gamma" : "gamma_k", "their right side at the level of accelerations, A v' = gamma",
                                    dal_names_rows(equations, state));
    fill_gamma(state, 0, rank->n, gamma);
    return equations->n_blocks - 1;
}

void dal_show_dependent(dal_equations *equations, const dal_state *state)
{
    const dal_rank *rank = dal_rank_of(state);
    int n = dal_layout_of(state)->n_rows - rank->n;
    if (!n)
        return;
    fill_rows_equations(state, rank->n, n,
                        dal_show_matrix(equations, "A_d", "the rows that depend on those of A_k: they hold by themselves and are skipped",
                                        dal_names_dependent(equations, state), dal_names_velocities(equations, state)));
    fill_gamma(state, rank->n, n, dal_show_vector(equations, "gamma_d", "their right side", dal_names_dependent(equations, state)));
}

/* ---- the whole ---------------------------------------------------------------------- */

static dal_equation_values name_values(dal_equations *equations, dal_names names, const double *values)
{
    double *copy = dal_show_scratch(equations, (size_t)names.n);
    memcpy(copy, values, sizeof *copy * (size_t)names.n);
    return (dal_equation_values){names.n, names.name, copy};
}

/* Speeds are what the integrator holds, where that is not v: p of them, or a part. */
static void note_state(dal_equations *equations, dal_state *state)
{
    dal_work *work = dal_work_of(state);
    const dal_layout *layout = dal_layout_of(state);
    const dal_system *system = dal_system_of(state);
    const dal_method *method = dal_system_method(system);
    equations->coordinates = name_values(equations, make_names(equations, state, layout->nq, write_coordinate), work->q);
    equations->velocities = name_values(equations, dal_names_velocities(equations, state), work->v);
    if (method->formulation->chooses && method->formulation->speeds)
        equations->speeds = name_values(equations, dal_names_speeds(equations, state), dal_state_y(state) + layout->nq);
}

static dal_status compose_equations(dal_equations *equations, dal_state *state, dal_messages *messages)
{
    const dal_formulation *formulation = dal_system_method(dal_system_of(state))->formulation;
    equations->info = dal_system_describe(dal_system_of(state));
    equations->title = formulation->title;
    equations->equation = equations->source = "";
    dal_status status = dal_state_evaluate(state, messages);
    if (status != DAL_OK)
        return status;
    if (!dal_state_widen(state))
        return DAL_NO_MEMORY;
    dal_need(state, DAL_STAGE_LOADS);
    if (dal_layout_of(state)->columnless && !formulation->recursive && formulation->solve(state)) /* on matrices, for once */
        return DAL_NUMERICAL;
    if (!formulation->show) {
        dal_error(messages, dal_nowhere, "%s does not show its equations", formulation->name);
        return DAL_BAD_MODEL;
    }
    equations->time = dal_work_of(state)->t;
    equations->rank = dal_rank_of(state)->n;
    note_state(equations, state);
    equations->accelerations = name_values(equations, dal_names_accelerations(equations, state), dal_rates_of(state));
    formulation->show(state, equations);
    return DAL_OK;
}

dal_status dal_equations_create(const dal_allocator *allocator, dal_state *state, dal_messages *messages, dal_equations **equations)
{
    if (equations)
        *equations = NULL;
    if (!DAL_NEEDS(messages, equations) || !dal_needs_state(messages, __func__, state) || !DAL_NEEDS_ALLOCATOR(messages, allocator))
        return DAL_BAD_COMMAND;
    dal_allocator source = allocator ? *allocator : dal_default_allocator();
    frame *f = source.allocate(source.user, sizeof *f);
    if (!f)
        return DAL_NO_MEMORY;
    memset(f, 0, sizeof *f);
    dal_arena_begin(&f->arena, &source);
    f->shown.memory = f;
    jmp_buf jump;
    f->arena.guard = &jump;
    if (setjmp(jump)) {
        dal_equations_free(&f->shown);
        return DAL_NO_MEMORY;
    }
    dal_status status = compose_equations(&f->shown, state, messages);
    f->arena.guard = NULL;
    if (status == DAL_OK)
        *equations = &f->shown;
    else
        dal_equations_free(&f->shown);
    return status;
}

void dal_equations_free(dal_equations *equations)
{
    if (!equations)
        return;
    frame *f = equations->memory;
    dal_allocator source = f->arena.allocator;
    dal_arena_release(&f->arena);
    source.release(source.user, f);
}
