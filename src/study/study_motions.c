/* Some runs are repeated for the page, with the motion of their bodies: a repeated run is exactly the same. These are the runs with the least and
 * the largest value of each summary, and then others that are evenly distributed in the plan: run floor(n frac(k g)), g the golden section, which
 * does not coincide with the steps of a grid. */
#include "study/study_code.h"
#include "study/study_page.h"

#include "model/system_parts.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { USUAL_MOTIONS = 40, MOST_MOTIONS = 1000, FRAMES = 240, MOST_BYTES = 32 << 20, MOST_THREADS = 64 };

/* ---- which runs ----------------------------------------------------------------------------- */

static bool add_run(dal_study_motions *m, int most, long run)
{
    for (int i = 0; i < m->n; i++)
        if (m->runs[i] == run)
            return false;
    if (m->n < most && run >= 0)
        m->runs[m->n++] = run;
    return m->n < most;
}

static int by_number(const void *a, const void *b)
{
    const long x = *(const long *)a, y = *(const long *)b;
    return (x > y) - (x < y);
}

static void choose_runs(dal_study_motions *m, const dal_study_table *table, int most)
{
    const double golden = 0.6180339887498949;
    const long rows = table->rows;
    for (int i = 0; i < table->n_extremes; i++)
        add_run(m, most, table->extremes[i]);
    for (long k = 0; k < (rows <= most ? rows : 4L * most) && m->n < most; k++) {
        const double at = fmod((double)(k + 1) * golden, 1);
        const long row = rows <= most ? k : (long)(at * (double)rows);
        add_run(m, most, table->numbers[row]);
    }
    qsort(m->runs, (size_t)m->n, sizeof *m->runs, by_number);
}

/* ---- items of the page ---------------------------------------------------------------------------- */

/* The approximate size in bytes of a scene and its frames, in memory and in the page. */
static size_t size_of(const dal_scene *scene)
{
    size_t bytes = (size_t)scene->n_bodies * 7 * sizeof(double) * FRAMES;
    for (int b = 0; b < scene->n_bodies; b++)
        for (int i = 0; i < scene->bodies[b].n_figures; i++) {
            const dal_figure *figure = &scene->bodies[b].figures[i];
            bytes += 12 * ((size_t)figure->mesh.n_vertices + (size_t)figure->mesh.n_triangles) + 24 * (size_t)figure->n_points;
        }
    return bytes;
}

/* Adds a run; false: it is refused, or the page has no room for more. */
static dal_status add_item(dal_study_motions *m, const dal_study *study, long run, dal_page *page, dal_messages *aside, size_t *bytes)
{
    dal_system *system = NULL;
    dal_series *series = NULL;
    char title[40];
    const dal_status refused = dal_study_system(study, run, aside, &system);
    if (refused != DAL_OK)
        return refused == DAL_NO_MEMORY ? refused : DAL_OK;
    snprintf(title, sizeof title, "run %ld", run);
    m->systems[m->n] = system;
    dal_status status = dal_page_item(page, title, "", "", NULL, dal_system_spec(system), system);
    if (status == DAL_OK)
        status = dal_page_series(
            page, &(dal_series_options){.name = title, .system = system, .no_velocities = true, .no_reactions = true, .most_frames = FRAMES},
            &series);
    if (status == DAL_OK)
        *bytes += size_of(page->last->scene);
    m->runs[m->n] = run;
    m->series[m->n++] = series;
    return status;
}

static dal_status add_items(dal_study_motions *m, const dal_study *study, dal_page *page, dal_messages *messages)
{
    const int wanted = m->n;
    size_t bytes = 0;
    dal_messages *aside = dal_messages_create(NULL);
    dal_status status = aside ? DAL_OK : DAL_NO_MEMORY;
    m->n = 0;
    for (int i = 0; i < wanted && status == DAL_OK && (i == 0 || bytes < MOST_BYTES); i++) {
        dal_messages_clear(aside);
        status = add_item(m, study, m->runs[i], page, aside, &bytes); /* overwrites entries of runs that were already read */
    }
    if (status != DAL_OK)
        dal_pass_all(messages, aside);
    dal_messages_free(aside);
    return status;
}

/* ---- the runs ------------------------------------------------------------------------------------------ */

typedef struct making {
    dal_study_motions *motions;
    const dal_study *study;
    dal_study_code code;
    const dal_study_write_options *options;
    pthread_mutex_t lock;
    int next;
    dal_status status;
} making;

static bool go_on(void *user, double t, double until, long steps, double wall)
{
    const dal_study_write_options *o = user;
    (void)t, (void)until, (void)steps, (void)wall;
    return !o->go_on || o->go_on(o->user);
}

static int next_run(making *m)
{
    pthread_mutex_lock(&m->lock);
    const int next = m->status == DAL_OK && go_on((void *)(uintptr_t)m->options, 0, 0, 0, 0) && m->next < m->motions->n ? m->next++ : -1;
    pthread_mutex_unlock(&m->lock);
    return next;
}

static void *make_motions(void *user)
{
    making *m = user;
    dal_messages *messages = dal_messages_create(NULL);
    dal_evidence evidence;
    for (int i = next_run(m); messages && i >= 0; i = next_run(m)) {
        const dal_shared_code *code = dal_study_code_of(&m->code, m->study, m->motions->runs[i]);
        const dal_run_options how = {.compiled = code ? 1 : -1, /* as in the study */
                                     .code = code,
                                     .frame = dal_series_frame,
                                     .frame_user = m->motions->series[i],
                                     .progress = go_on,
                                     .progress_user = (void *)(uintptr_t)m->options};
        dal_messages_clear(messages);
        const dal_status status = dal_run(m->motions->systems[i], &how, messages, &evidence);
        pthread_mutex_lock(&m->lock);
        m->status = status == DAL_NO_MEMORY ? status : m->status;
        pthread_mutex_unlock(&m->lock);
    }
    dal_messages_free(messages);
    return NULL;
}

static int threads_of(const dal_study_write_options *options, int motions)
{
    const long cores = sysconf(_SC_NPROCESSORS_ONLN), wanted = options->jobs > 0 ? options->jobs : cores > 0 ? cores : 1;
    const long most = motions < MOST_THREADS ? motions : MOST_THREADS;
    return (int)(wanted < most ? wanted : most);
}

static dal_status make_all(dal_study_motions *motions, const dal_study *study, const dal_study_write_options *options)
{
    making m = {.motions = motions, .study = study, .options = options};
    pthread_t thread[MOST_THREADS];
    int n = 0;
    if (!dal_study_code_make(&m.code, study, options->go_on, options->user, NULL))
        m.status = DAL_NO_MEMORY;
    pthread_mutex_init(&m.lock, NULL);
    for (const int wanted = threads_of(options, motions->n) - 1; n < wanted && !pthread_create(&thread[n], NULL, make_motions, &m); n++)
        ;
    make_motions(&m);
    for (int i = 0; i < n; i++)
        pthread_join(thread[i], NULL);
    pthread_mutex_destroy(&m.lock);
    dal_study_code_free(&m.code);
    return m.status;
}

dal_status dal_study_motions_make(dal_study_motions *m, const dal_study *study, const dal_study_table *table, const dal_study_write_options *options,
                                  dal_page *page, dal_messages *messages)
{
    const int asked = options->motions ? options->motions : USUAL_MOTIONS, most = asked < MOST_MOTIONS ? asked : MOST_MOTIONS;
    *m = (dal_study_motions){0};
    if (most < 0 || !table->rows)
        return DAL_OK;
    m->runs = calloc((size_t)most, sizeof *m->runs);
    m->systems = calloc((size_t)most, sizeof *m->systems);
    m->series = calloc((size_t)most, sizeof *m->series);
    if (!m->runs || !m->systems || !m->series)
        return DAL_NO_MEMORY;
    choose_runs(m, table, most);
    const dal_status status = add_items(m, study, page, messages);
    return status == DAL_OK ? make_all(m, study, options) : status;
}

void dal_study_motions_free(dal_study_motions *m)
{
    for (int i = 0; m->systems && i < m->n; i++)
        dal_system_free(m->systems[i]);
    free(m->runs);
    free(m->systems);
    free(m->series);
    *m = (dal_study_motions){0};
}
