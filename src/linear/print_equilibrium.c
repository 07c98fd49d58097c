/* Equilibria and steady motions as text for people and as JSON. */
#include "linear/print_linear.h"

#include <math.h>
#include <string.h>

static const char *const words[] = {
    [DAL_STABLE] = "stable", [DAL_UNSTABLE] = "unstable", [DAL_INDIFFERENT] = "indifferent", [DAL_NOT_DECIDED] = "not decided"};

static double largest_of(int n, const double *x)
{
    double most = 0;
    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(x[i]));
    return most;
}

static const char *model_of(const dal_equilibrium *e)
{
    return e->info.model && *e->info.model ? e->info.model : "the model";
}

/* ---- text ------------------------------------------------------------------------------------------------ */

static void print_list(dal_printer *out, int n, const char *const *names)
{
    for (int i = 0; i < n && i < 8; i++)
        dal_print(out, "%s%s", i ? ", " : "", names[i]);
    dal_print(out, n > 8 ? ", ...\n" : "\n");
}

/* The eigenvalue that grows the most, or decays the least. */
static void print_slowest(dal_tables *p, const dal_equilibrium *e)
{
    int at = 0;
    for (int i = 1; i < e->n_modes; i++)
        at = e->modes[i].re > e->modes[at].re ? i : at;
    if (!e->n_modes)
        return;
    const dal_mode *mode = &e->modes[at];
    const double re = dal_without_rounding(p, mode->re, hypot(mode->re, mode->im));
    dal_print(&p->out, "  the eigenvalue that %s is %.*g", e->stability == DAL_UNSTABLE ? "grows the fastest" : "decays the slowest", p->digits, re);
    if (mode->im > 0)
        dal_print(&p->out, " +- %.*g i", p->digits, mode->im);
    dal_print(&p->out, " 1/s: ");
    dal_print_shares(&p->out, mode->n_shares, mode->shares);
    dal_print(&p->out, "\n");
}

static void print_stability(dal_tables *p, const dal_equilibrium *e)
{
    if (e->singular)
        dal_print(
            &p->out,
            "  the position is singular: constraint '%s' depends on others here and not nearby, so that freedoms to first order are no motions; "
            "stability is not decided\n",
            e->singular);
    if (e->by_eigenvalues) {
        if (!e->drifts)
            print_slowest(p, e);
        if (e->stability == DAL_NOT_DECIDED)
            dal_print(&p->out, "  no small motion grows, and some do not decay: it is stable to first order, and first order does not decide more\n");
        if (e->n_zeros)
            dal_print(&p->out, "  %d eigenvalue%s zero%s\n", e->n_zeros, e->n_zeros == 1 ? " is" : "s are",
                      e->drifts   ? ": no motion grows exponentially, but one displacement drives another, as a power of time; see dalembert modes"
                      : e->steady ? ": the motion may begin elsewhere, and others like it are near"
                                  : ": nothing holds it there; see dalembert modes");
    } else if (e->n_stiffnesses) {
        const double soft = e->stiffnesses[0];
        dal_print(&p->out, "  the least stiffness over mass is %.*g 1/s^2", p->digits, soft);
        if (soft > 0)
            dal_print(&p->out, " (%.*g Hz)", p->digits, sqrt(soft) / (2 * M_PI));
        dal_print(&p->out, ": ");
        dal_print_shares(&p->out, e->n_softest, e->softest);
        dal_print(&p->out, "\n");
    }
    if (e->n_free) {
        dal_print(&p->out, "  to second order nothing holds %d direction%s: ", e->n_free, e->n_free == 1 ? "" : "s");
        print_list(&p->out, e->n_free, e->free);
    }
    if (e->n_detours > 0 && e->stability == DAL_STABLE)
        dal_print(&p->out, "  it is one of a family: %d displacement%s possible by detours only, and equilibria lie there as well\n", e->n_detours,
                  e->n_detours == 1 ? " is" : "s are");
    if (e->n_choices > 0)
        dal_print(&p->out, "  %d rate%s not given and could be others: those nearest to the start were taken\n", e->n_choices,
                  e->n_choices == 1 ? " was" : "s were");
    if (e->held) {
        dal_print(&p->out, "  dry friction sticks, and holds the start of the model: one of a set of equilibria. It holds at ");
        print_list(&p->out, e->n_frictions, e->frictions);
    } else if (e->n_frictions) {
        dal_print(&p->out, "  it needs no friction; while joints with dry friction stick, the positions around it are equilibria as well: ");
        print_list(&p->out, e->n_frictions, e->frictions);
    }
}

static void print_coordinates(dal_tables *p, const dal_equilibrium *e, int name)
{
    const int wide = p->digits + 7;
    dal_print(&p->out, e->steady ? "\ncoordinates, m and rad, and rates\n" : "\ncoordinates, m and rad\n");
    for (int i = 0; i < e->n_coordinates; i++) {
        dal_print(&p->out, "  %-*s %*.*g", name, e->coordinates[i], wide, p->digits,
                  dal_without_rounding(p, e->values[i], largest_of(e->n_coordinates, e->values)));
        if (e->steady)
            dal_print(&p->out, " %*.*g", wide, p->digits, dal_without_rounding(p, e->rates[i], largest_of(e->n_coordinates, e->rates)));
        dal_print(&p->out, "\n");
    }
}

static void print_reactions(dal_tables *p, const dal_equilibrium *e, int name)
{
    const int wide = p->digits + 7;
    double force = 0, torque = 0;
    if (e->n_reactions)
        dal_print(&p->out, "\nreactions on the second body: force in N, torque in N m\n");
    for (int i = 0; i < e->n_reactions; i++) {
        force = fmax(force, largest_of(3, e->reactions[i].force));
        torque = fmax(torque, fmax(largest_of(3, e->reactions[i].torque), force * e->info.length));
    }
    for (int i = 0; i < e->n_reactions; i++) {
        const dal_evaluation_reaction *r = &e->reactions[i];
        dal_print(&p->out, "  %-*s", name, r->joint);
        for (int k = 0; k < 6; k++)
            dal_print(&p->out, " %*.*g", wide, p->digits,
                      k < 3 ? dal_without_rounding(p, r->force[k], force) : dal_without_rounding(p, r->torque[k - 3], torque));
        dal_print(&p->out, "%s\n", r->unique ? "" : "  one of many: the constraints are redundant");
    }
}

static void print_equilibrium(dal_tables *p, const dal_equilibrium *e)
{
    int name = 8;
    const char *word = e->held                                                ? "held by friction"
                       : e->singular                                          ? "at a singular position"
                       : e->stability == DAL_NOT_DECIDED && e->by_eigenvalues ? "stable to first order"
                                                                              : words[e->stability];
    dal_print(&p->out, e->singular ? "%s has %s %s%s\n" : "%s has %s, %s%s\n", model_of(e), e->steady ? "a steady motion" : "an equilibrium", word,
              e->by_eigenvalues && !e->steady ? " by its eigenvalues" : "");
    print_stability(p, e);
    for (int i = 0; i < e->n_coordinates; i++)
        name = (int)strlen(e->coordinates[i]) > name ? (int)strlen(e->coordinates[i]) : name;
    print_coordinates(p, e, name);
    print_reactions(p, e, name);
}

int dal_equilibrium_text(const dal_equilibrium *e, int digits, char *buffer, size_t size)
{
    if (!e)
        return -1;
    dal_tables p = dal_tables_begin(digits, 100, buffer, size);
    print_equilibrium(&p, e);
    return p.out.length;
}

int dal_equilibria_text(const dal_equilibria *all, int digits, char *buffer, size_t size)
{
    if (!all)
        return -1;
    dal_tables p = dal_tables_begin(digits, 100, buffer, size);
    dal_print(&p.out, "%d equilibri%s found from %d start%s", all->n, all->n == 1 ? "um" : "a", all->starts, all->starts == 1 ? "" : "s");
    if (all->failed)
        dal_print(&p.out, ", none from %d of them", all->failed);
    dal_print(&p.out, "; there may be others\n");
    int families = 0;
    for (int i = 0; i < all->n; i++)
        families += all->list[i]->stability == DAL_INDIFFERENT || all->list[i]->n_detours > 0;
    if (families)
        dal_print(
            &p.out,
            families == all->n
                ? "  each is a point of a family of equilibria, along the directions that nothing holds, or by detours; several may be of one "
                  "family\n"
                : "  %d of them %s of a family of equilibria, along the directions that nothing holds, or by detours; several may be of one family\n",
            families, families == 1 ? "is a point" : "are points");
    for (int i = 0; i < all->n; i++) {
        dal_print(&p.out, "\n%d. found %d time%s: ", i + 1, all->times[i], all->times[i] == 1 ? "" : "s");
        print_equilibrium(&p, all->list[i]);
    }
    return p.out.length;
}

/* ---- JSON -------------------------------------------------------------------------------------------------- */

static void write_members(dal_json *json, const dal_equilibrium *e)
{
    dal_json_string(dal_json_line(json, "\n"), "stability", words[e->stability]);
    dal_json_truth(json, "steady", e->steady);
    dal_json_truth(json, "by_eigenvalues", e->by_eigenvalues);
    dal_json_number(json, "time", e->time);
    dal_json_numbers(dal_json_line(json, "\n"), "stiffness_over_mass", e->n_stiffnesses, e->stiffnesses);
    dal_write_shares(dal_json_line(json, "\n"), "softest", e->n_softest, e->softest);
    dal_json_strings(dal_json_line(json, "\n"), "free", e->n_free, e->free);
    dal_json_integer(json, "detours", e->n_detours);
    dal_json_strings(dal_json_line(json, "\n"), "frictions", e->n_frictions, e->frictions);
    dal_json_truth(json, "held", e->held);
    dal_json_string(json, "singular", e->singular);
    dal_json_integer(json, "choices", e->n_choices);
    dal_write_eigenvalues(dal_json_line(json, "\n"), "eigenvalues", e->n_modes, e->modes);
    dal_json_integer(json, "zeros", e->n_zeros);
    dal_json_truth(json, "drifts", e->drifts);
    dal_json_named(dal_json_line(json, "\n"), "coordinates", e->n_coordinates, e->coordinates, e->values);
    dal_json_named(dal_json_line(json, "\n"), "rates", e->n_coordinates, e->coordinates, e->rates);
    dal_json_open(dal_json_line(json, "\n"), "reactions", '{');
    for (int i = 0; i < e->n_reactions; i++) {
        dal_json_open(dal_json_line(json, "\n  "), e->reactions[i].joint, '{');
        dal_json_numbers(json, "force", 3, e->reactions[i].force);
        dal_json_numbers(json, "torque", 3, e->reactions[i].torque);
        dal_json_truth(json, "unique", e->reactions[i].unique);
        dal_json_close(json, '}');
    }
    dal_json_close(json, '}');
}

static void write_equilibrium(dal_json *json, const void *of)
{
    const dal_equilibrium *e = of;
    dal_json_open(json, NULL, '{');
    dal_json_string(json, "model", e->info.model);
    dal_json_string(json, "model_hash", e->info.model_hash);
    dal_json_string(json, "version", e->info.version);
    dal_json_string(dal_json_line(json, "\n "), "formulation", e->info.formulation);
    dal_json_string(json, "family", e->info.coordinates); /* "coordinates" are the numbers below */
    write_members(json, e);
    dal_json_close(json, '}');
}

int dal_equilibrium_json(const dal_equilibrium *e, char *buffer, size_t size)
{
    return e ? dal_json_text(buffer, size, write_equilibrium, e) : -1;
}

static void write_found(dal_json *json, const void *of, int i)
{
    const dal_equilibria *all = of;
    dal_json_integer(json, "times", all->times[i]);
    write_members(json, all->list[i]);
}

static void write_equilibria(dal_json *json, const void *of)
{
    const dal_equilibria *all = of;
    dal_json_open(json, NULL, '{');
    if (all->n)
        dal_json_members(json, dal_heading, &all->list[0]->info);
    dal_json_integer(dal_json_line(json, "\n"), "starts", all->starts);
    dal_json_integer(json, "failed", all->failed);
    dal_json_objects(dal_json_line(json, "\n"), "equilibria", all->n, "\n", write_found, all);
    dal_json_close(json, '}');
}

int dal_equilibria_json(const dal_equilibria *all, char *buffer, size_t size)
{
    return all ? dal_json_text(buffer, size, write_equilibria, all) : -1;
}
