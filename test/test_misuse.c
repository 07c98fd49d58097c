/* Every function of include/dalembert/, called with arguments that it cannot use: it answers, and nothing is read or written outside. */
#include "misuse.h"

#include <dirent.h>

static const char viewer[] = "<html><body>viewer connect-src 'none'<!--DATA--></body></html>\n";
static const char study_text[] = "study: 1\nmodel: model.yaml\nvary: {push: 1}\n";
static const char model[] = "dalembert: 1\n"
                            "space: planar\n"
                            "gravity: [0, -9.81]\n"
                            "inputs: {push: 0}\n"
                            "bodies:\n"
                            "  rod: {mass: 1.5, inertia: 0.18, position: [0.6, 0], angle: -30*deg, points: {O: [-0.6, 0], E: [0.6, 0]}}\n"
                            "  arm: {mass: 0.5, inertia: 0.02, position: [1.4, -0.3], points: {O: [-0.2, 0]}}\n"
                            "joints:\n"
                            "  pivot: {type: revolute, connect: [ground, rod.O]}\n"
                            "  elbow: {type: revolute, connect: [rod.E, arm.O]}\n"
                            "forces: {f: {type: torque, joint: pivot, value: push}}\n"
                            "simulate: {until: 0.02, every: 0.01, coordinates: joint}\n";
enum { NQ = 2, NV = 2, BODIES = 2, JOINTS = 2 };

static char folder[] = "/tmp/test_misuse.XXXXXX";

/* ---- good arguments -------------------------------------------------------------------------------- */

/* Where they come from. */
typedef enum source {
    NOTHING,
    ALLOCATOR_,
    MESSAGES_,
    MESSAGE_,
    SEVERITY_,
    STATUS_,
    FLAG_,
    SPEC_,
    SPEC_OUT,
    SYSTEM_,
    SYSTEM_OUT,
    VARIED_COUNT,
    VARIED_NAMES,
    VARIED_VALUES,
    STATE_,
    TEXT_,
    LENGTH_,
    MODEL_FILE,
    ROBOT_,
    OVERRIDES_,
    OVERRIDE_COUNT,
    READ_OPTIONS,
    KEY_,
    KEY_INDEX,
    SETTING_,
    KIND_,
    LIST_INDEX,
    NAME_OUT,
    TITLE_OUT,
    INT_OUT,
    INT_OUT2,
    BODY_NAME,
    JOINT_NAME,
    INPUT_NAME,
    BODY_,
    JOINT_,
    TIME_,
    INPUT_,
    VECTOR_OUT,
    VECTOR_OUT2,
    DOUBLE_OUT,
    DOUBLE_OUT2,
    Q_,
    V_,
    TAU_,
    VD_,
    WRENCHES_,
    NUMBERS_OUT,
    MATRIX_,
    FACTOR_,
    X_,
    POINT_,
    MOTION_OUT,
    CENTROID_OUT,
    DERIVATIVES_OUT,
    INVERSE_OUT,
    PARAMETER_NAME,
    PARAMETER_OUT,
    A_OUT,
    CARRIED_OUT,
    LABEL_,
    BUFFER_,
    BUFFER_SIZE,
    DIGITS_,
    WIDTH_,
    EQUATIONS_,
    EQUATIONS_OUT,
    GIVEN_COUNT,
    GIVEN_,
    INSTANT_,
    INSTANT_OUT,
    STATE_FILE,
    STATE_TEXT,
    STATE_LENGTH,
    EVALUATION_,
    EVALUATION_OUT,
    EVALUATION_OPTIONS,
    RUN_OPTIONS,
    EVIDENCE_,
    WRITER_,
    WRITER_PATH,
    WRITER_OUT,
    RUN_FILES,
    RUN_FILES_OPEN,
    RUN_FILES_OUT,
    RUN_FILES_OPTIONS,
    RUN_PATHS,
    RESULTS_,
    RESULTS_PATH,
    RESULTS_OUT,
    ROW_OUT,
    COLUMN_NAME,
    PAGE_,
    PAGE_PATH,
    PAGE_OPTIONS,
    PAGE_OUT,
    SERIES_,
    SERIES_OPTIONS,
    SERIES_OUT,
    COLUMN_COUNT,
    ROW_,
    ROW_VALUES,
    MOST_FRAMES,
    WORD_,
    WORD2_,
    VERDICT_,
    VERDICT_OUT,
    CHECK_OPTIONS,
    COMPARISON_,
    COMPARISON_OUT,
    COMPARE_OPTIONS,
    PORTS_,
    PORTS_OUT,
    LINEAR_OPTIONS,
    DERIVATION_OPTIONS,
    C_CODE_,
    C_CODE_OUT,
    C_CODE_OPTIONS,
    ROLLOUT_,
    ROLLOUT_OUT,
    ROLLOUT_OPTIONS,
    ROLLOUT_BATCH,
    ROLLOUT_OUTCOME,
    LINEARIZATION_,
    LINEARIZATION_OUT,
    MODES_,
    MODES_OUT,
    EQUILIBRIUM_,
    EQUILIBRIUM_OUT,
    CAMPBELL_,
    CAMPBELL_OUT,
    MODES_LIST,
    EQUILIBRIA_,
    EQUILIBRIA_OUT,
    STEADY_,
    RESPONSE_,
    RESPONSE_OUT,
    RESPONSE_DRAWING,
    SVG_OUT,
    PLOT_OPTIONS,
    SNAPSHOT_OPTIONS,
    SEED_,
    SIMULATION_,
    SIMULATION_OUT,
    BLOB_,
    BLOB_SIZE,
    SAVED_OUT,
    STEP_,
    WORK_,
    COLUMN_,
    INPUT_INDEX,
    STUDY_,
    STUDY_OUT,
    STUDY_PLAN,
    STUDY_OPTIONS,
    WRITE_OPTIONS,
    STUDY_TEXT,
    STUDY_LENGTH,
    STUDY_PATH,
    STUDY_FILE_,
    STUDY_FILE_OUT,
    STUDY_READER,
    STUDY_READER_OUT,
    STUDY_ROW,
    STUDY_RESULT,
    OUTCOME_OUT,
    JOURNAL_,
    JOURNALS_,
    RUN_,
    NOTE_OUT,
    SIZE_OUT
} source;

/* All that calls work on; made anew for each of them. */
typedef struct stage {
    dal_messages *messages;
    dal_spec *spec, *robot;
    dal_system *system;
    dal_state *state;
    dal_allocator allocator;
    dal_evidence evidence;
    dal_equations *equations;
    dal_c_code *c_code;
    dal_c_code_options c_code_options;
    dal_rollout_model *rollout;
    dal_rollout_options rollout_options;
    dal_rollout_batch rollout_batch;
    dal_rollout_outcome rollout_outcome;
    dal_instant *instant;
    dal_evaluation *evaluation;
    dal_writer *writer;
    dal_run_files *run_files;
    dal_run_files_options run_files_options;
    const char *run_paths[1];
    dal_results *results;
    dal_page *page;
    dal_series *series;
    dal_verdict *verdict;
    dal_comparison *comparison;
    dal_ports *ports;
    dal_linearization *linearization;
    dal_modes *modes;
    dal_equilibrium *equilibrium;
    dal_campbell *campbell;
    dal_modes *modes_list[1];
    dal_equilibria *equilibria;
    dal_steady steady[1];
    dal_response *response;
    dal_study *study;
    dal_study_plan study_plan;
    dal_study_options study_options;
    dal_study_write_options write_options;
    dal_study_file *study_file;
    dal_study_reader *study_reader;
    dal_study_row study_row;
    dal_study_outcome outcome;
    char journal_path[100], study_path[100], study_result[100];
    const char *journals[1];
    dal_system *fixed; /* with a fixed step, for the simulation */
    dal_simulation *simulation;
    unsigned char *blob, saved[1 << 16];
    size_t blob_size;
    const char *varied_names[1];
    double varied_values[1];
    double q[NQ], v[NV], tau[NV], vd[NV], point[3], out[64], matrix[NV * NV], factor[NV * NV], x[NV], row[64];
    dal_wrench wrenches[BODIES], carried[BODIES];
    dal_motion motion;
    dal_centroid centroid;
    dal_derivatives derivatives; /* nothing is wanted */
    dal_inverse_result inverse;
    dal_parameter_result parameter;
    dal_given given[1];
    dal_override override[1];
    char buffer[200], results_path[100], page_path[100], writer_path[100], state_path[100], model_path[100];
    void *pointer, *pointer2;
    int number, number2;
    const char *channel[1], *word[1];
    dal_read_options read_options;
    dal_run_options run_options;
    dal_page_options page_options;
    dal_series_options series_options;
    dal_series_row series_row;
    dal_plot_options plot_options;
    dal_snapshot_options snapshot_options;
    dal_compare_options compare_options;
    dal_check_options check_options;
    dal_evaluation_options evaluation_options;
    dal_linear_options linear_options;
    dal_derivation_options derivation_options;
    dal_response_drawing response_drawing;
} stage;

static stage *s; /* of the row that runs */

static void must(bool fine, const char *what)
{
    if (!fine)
        misuse_failed("making good arguments", what);
}

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    must(file && fputs(text, file) >= 0 && !fclose(file), path);
}

static void need_system(void)
{
    if (!s->spec)
        must(dal_spec_parse(NULL, "m", model, sizeof model - 1, 0, NULL, s->messages, &s->spec) == DAL_OK, "a spec");
    if (!s->system)
        must(dal_compile(NULL, s->spec, s->messages, &s->system) == DAL_OK, "a system");
}

static dal_run_files *need_run_files(bool open)
{
    must(dal_run_files_create(1, s->run_paths, NULL, s->messages, &s->run_files) == DAL_OK, "files of a run");
    must(!open || dal_run_files_open(s->run_files, NULL) == DAL_OK, "files of a run that are open");
    return s->run_files;
}

static dal_state *need_state(void)
{
    need_system();
    if (!s->state) {
        s->state = dal_state_create(NULL, s->system);
        must(s->state && dal_state_evaluate(s->state, NULL) == DAL_OK, "a state");
    }
    return s->state;
}

static dal_results *need_results(void)
{
    need_system();
    if (!s->results)
        must(dal_results_open(NULL, s->results_path, s->messages, &s->results) == DAL_OK, "results");
    return s->results;
}

static dal_page *need_page(void)
{
    need_system();
    if (!s->page)
        must(dal_page_open(s->page_path, s->spec, s->system, &s->page_options, s->messages, &s->page) == DAL_OK, "a page");
    return s->page;
}

static dal_series *need_series(void)
{
    need_page();
    if (!s->series)
        must(dal_page_series(s->page, &(dal_series_options){.system = s->system}, &s->series) == DAL_OK, "a series");
    return s->series;
}

static dal_instant *need_instant(void)
{
    need_system();
    if (!s->instant)
        must(dal_instant_create(NULL, s->system, &s->instant) == DAL_OK, "an instant");
    return s->instant;
}

static dal_simulation *need_simulation(void)
{
    need_system();
    if (!s->simulation) {
        must(dal_spec_set(s->spec, "integrator", "rk4", s->messages) && dal_spec_set(s->spec, "step", "1e-3", s->messages), "a fixed step");
        must(dal_compile(NULL, s->spec, s->messages, &s->fixed) == DAL_OK, "a system with a fixed step");
        must(dal_simulation_create(s->fixed, NULL, s->messages, &s->simulation) == DAL_OK, "a simulation");
        s->blob_size = dal_simulation_save(s->simulation, NULL, 0);
        must(s->blob_size > 0 && s->blob_size <= sizeof s->saved, "a blob");
        s->blob = malloc(s->blob_size);
        must(dal_simulation_save(s->simulation, s->blob, s->blob_size) == s->blob_size, "a saved simulation");
    }
    return s->simulation;
}

static int column_count(void)
{
    int n = 0;
    need_system();
    dal_system_columns(s->system, NULL, &n);
    return n;
}

static void begin_stage(void)
{
    s = calloc(1, sizeof *s);
    s->messages = dal_messages_create(NULL);
    s->allocator = dal_default_allocator();
    snprintf(s->results_path, sizeof s->results_path, "%s/good.csv", folder);
    snprintf(s->page_path, sizeof s->page_path, "%s/page.html", folder);
    snprintf(s->writer_path, sizeof s->writer_path, "%s/out.csv", folder);
    snprintf(s->state_path, sizeof s->state_path, "%s/state.json", folder);
    snprintf(s->model_path, sizeof s->model_path, "%s/model.yaml", folder);
    snprintf(s->journal_path, sizeof s->journal_path, "%s/study.journal", folder);
    snprintf(s->study_path, sizeof s->study_path, "%s/study.yaml", folder);
    snprintf(s->study_result, sizeof s->study_result, "%s/study.csv", folder);
    unlink(s->journal_path);
    s->journals[0] = s->journal_path;
    s->run_paths[0] = s->writer_path;
    static const char *const vary[] = {"push=0.1"}, *const each[] = {"x=final(rod.x)"};
    s->study_plan = (dal_study_plan){.n_vary = 1, .vary = vary, .n_each = 1, .each = each};
    s->rollout_options = (dal_rollout_options){.engine = true};
    s->rollout_batch = (dal_rollout_batch){.copies = 1, .step = 1e-3, .steps = 2, .q = s->x, .v = s->vd};
    s->study_options = (dal_study_options){.journal = s->journal_path, .resume = true, .jobs = 1};
    s->override[0] = (dal_override){"nothing", "1"};
    s->given[0] = (dal_given){"pivot.angle", 0.1};
    s->varied_names[0] = "push";
    s->varied_values[0] = 0.7;
    s->channel[0] = "rod.x";
    s->steady[0] = (dal_steady){s->channel[0], 0};
    s->word[0] = "lagrange";
    s->matrix[0] = s->matrix[NV * NV - 1] = s->factor[0] = s->factor[NV * NV - 1] = 1;
    s->page_options = (dal_page_options){.viewer = viewer, .viewer_length = sizeof viewer - 1};
    s->series_row = (dal_series_row){.values = s->row};
    s->plot_options = (dal_plot_options){.n_channels = 1, .channels = s->channel, .from = NAN, .to = NAN};
    s->compare_options = (dal_compare_options){.n_formulations = 1, .formulations = s->word};
}

static void end_stage(void)
{
    dal_study_close(s->study_reader);
    dal_study_file_free(s->study_file);
    dal_study_free(s->study);
    dal_simulation_free(s->simulation);
    dal_system_free(s->fixed);
    free(s->blob);
    dal_page_close(s->page, false);
    dal_writer_close(s->writer, false, NULL);
    dal_run_files_free(s->run_files);
    dal_results_close(s->results);
    dal_evaluation_free(s->evaluation);
    dal_instant_free(s->instant);
    dal_equations_free(s->equations);
    dal_c_code_free(s->c_code);
    dal_rollout_model_free(s->rollout);
    dal_verdict_free(s->verdict);
    dal_comparison_free(s->comparison);
    dal_ports_free(s->ports);
    dal_linearization_free(s->linearization);
    dal_modes_free(s->modes);
    dal_equilibrium_free(s->equilibrium);
    dal_response_free(s->response);
    dal_equilibria_free(s->equilibria);
    dal_campbell_free(s->campbell);
    dal_modes_free(s->modes_list[0]);
    dal_state_free(s->state);
    dal_system_free(s->system);
    dal_spec_free(s->spec);
    dal_spec_free(s->robot);
    dal_messages_free(s->messages);
    free(s);
}

static dal_study *need_study(void)
{
    need_system();
    if (!s->study) {
        must(dal_study_create(NULL, s->spec, &s->study_plan, s->messages, &s->study) == DAL_OK, "a study");
        must(dal_study_run(s->study, &s->study_options, s->messages, NULL) == DAL_OK, "a journal");
    }
    return s->study;
}

/* A message that the stage owns. */
static const dal_message *need_message(void)
{
    dal_spec *none;
    dal_spec_parse(NULL, "m", "x", 1, 0, NULL, s->messages, &none);
    return dal_messages_first(s->messages);
}

static dal_spec *need_robot(void)
{
    if (!s->robot)
        must(dal_spec_read(NULL, DAL_TEST_MODELS "/urdf/arm.urdf", 0, NULL, s->messages, &s->robot) == DAL_OK, "a robot");
    return s->robot;
}

static void need_evidence(void)
{
    need_system();
    must(dal_run(s->system, NULL, s->messages, &s->evidence) == DAL_OK, "evidence");
}

/* Objects that calls work on. */
static void *object(source from)
{
    switch (from) {
    case MESSAGES_: return s->messages;
    case MESSAGE_: return (void *)(size_t)need_message();
    case SPEC_: need_system(); return s->spec;
    case ROBOT_: return need_robot();
    case SYSTEM_: need_system(); return s->system;
    case STATE_: return need_state();
    case SIMULATION_: return need_simulation();
    case C_CODE_:
        need_system();
        must(dal_c_code_generate(NULL, s->spec, NULL, NULL, &s->c_code) == DAL_OK, "code");
        return s->c_code;
    case ROLLOUT_:
        need_system();
        must(dal_rollout_model_create(NULL, s->spec, &s->rollout_options, NULL, &s->rollout) == DAL_OK, "a rollout");
        return s->rollout;
    case EQUATIONS_: must(dal_equations_create(NULL, need_state(), NULL, &s->equations) == DAL_OK, "equations"); return s->equations;
    case INSTANT_: return need_instant();
    case EVALUATION_:
        must(dal_evaluate(NULL, need_state(), need_instant(), NULL, NULL, &s->evaluation) == DAL_OK, "an evaluation");
        return s->evaluation;
    case EVIDENCE_: need_evidence(); return &s->evidence;
    case WRITER_: must(dal_writer_open(NULL, s->writer_path, false, s->messages, &s->writer) == DAL_OK, "a writer"); return s->writer;
    case RUN_FILES: return need_run_files(false);
    case RUN_FILES_OPEN: return need_run_files(true);
    case RESULTS_: return need_results();
    case PAGE_: return need_page();
    case SERIES_: return need_series();
    case VERDICT_:
        need_system();
        must(dal_check(s->spec, NULL, NULL, &s->verdict) == DAL_OK, "a verdict");
        return s->verdict;
    case COMPARISON_:
        need_system();
        must(dal_compare(s->spec, &s->compare_options, NULL, &s->comparison) == DAL_OK, "a comparison");
        return s->comparison;
    case PORTS_:
        need_system();
        must(dal_ports_create(NULL, s->spec, NULL, &s->ports) == DAL_OK, "ports");
        return s->ports;
    case LINEARIZATION_:
        need_system();
        must(dal_linearize(NULL, s->spec, NULL, NULL, &s->linearization) == DAL_OK, "a linearisation");
        return s->linearization;
    case MODES_:
        need_system();
        must(dal_modes_find(NULL, s->spec, NULL, NULL, &s->modes) == DAL_OK, "modes");
        return s->modes;
    case EQUILIBRIUM_:
        need_system();
        must(dal_equilibrium_find(NULL, s->spec, NULL, &s->equilibrium) == DAL_OK, "an equilibrium");
        return s->equilibrium;
    case MODES_LIST:
        need_system();
        must(s->modes_list[0] || dal_modes_find(NULL, s->spec, NULL, NULL, &s->modes_list[0]) == DAL_OK, "modes");
        return s->modes_list;
    case CAMPBELL_:
        need_system();
        must(s->modes_list[0] || dal_modes_find(NULL, s->spec, NULL, NULL, &s->modes_list[0]) == DAL_OK, "modes");
        must(dal_campbell_track(NULL, "p", 1, s->varied_values, (const dal_modes *const *)s->modes_list, NULL, &s->campbell) == DAL_OK, "a diagram");
        return s->campbell;
    case STUDY_: return need_study();
    case STUDY_FILE_: must(dal_study_read(NULL, s->study_path, NULL, &s->study_file) == DAL_OK, "a study file"); return s->study_file;
    case STUDY_READER: must(dal_study_open(need_study(), 1, s->journals, NULL, &s->study_reader) == DAL_OK, "a reader"); return s->study_reader;
    case EQUILIBRIA_:
        need_system();
        must(dal_equilibria_find(NULL, s->spec, 1, 1, NULL, &s->equilibria) == DAL_OK, "equilibria");
        return s->equilibria;
    case RESPONSE_:
        need_system();
        must(dal_response_find(NULL, s->spec, NULL, 1, s->varied_values, NULL, &s->response) == DAL_OK, "a response");
        return s->response;
    default: return NULL;
    }
}

/* Arrays and texts. */
static void *datum(source from)
{
    switch (from) {
    case ALLOCATOR_: return &s->allocator;
    case TEXT_: return (void *)(size_t)model;
    case MODEL_FILE: return s->model_path;
    case OVERRIDES_: return s->override;
    case READ_OPTIONS: return &s->read_options;
    case KEY_: return "step";
    case SETTING_: return "0.001";
    case KIND_: return "joint";
    case BODY_NAME: return "rod";
    case JOINT_NAME: return "pivot";
    case INPUT_NAME: return "push";
    case PARAMETER_NAME: return (void *)(size_t)s->varied_names[0];
    case COLUMN_NAME: return "rod.x";
    case WORD_:
    case WORD2_: return "\"word\"";
    case Q_: return s->q;
    case V_: return s->v;
    case TAU_: return s->tau;
    case VD_: return s->vd;
    case WRENCHES_: return s->wrenches;
    case POINT_: return s->point;
    case MATRIX_: return s->matrix;
    case FACTOR_: return s->factor;
    case X_: return s->x;
    case VARIED_NAMES: return s->varied_names;
    case VARIED_VALUES: return s->varied_values;
    case ROW_VALUES: return s->row;
    case ROW_: return &s->series_row;
    case GIVEN_: return s->given;
    case STATE_FILE: return s->state_path;
    case BLOB_: need_simulation(); return s->blob;
    case STATE_TEXT: return "{}";
    case RUN_OPTIONS: return &s->run_options;
    case WRITER_PATH: return s->writer_path;
    case RUN_FILES_OPTIONS: return &s->run_files_options;
    case RUN_PATHS: return s->run_paths;
    case RESULTS_PATH: return s->results_path;
    case PAGE_PATH: return s->page_path;
    case PAGE_OPTIONS: return &s->page_options;
    case SERIES_OPTIONS:
        need_system();
        s->series_options.system = s->system;
        return &s->series_options;
    case CHECK_OPTIONS: return &s->check_options;
    case COMPARE_OPTIONS: return &s->compare_options;
    case PLOT_OPTIONS: return &s->plot_options;
    case SNAPSHOT_OPTIONS: return &s->snapshot_options;
    case EVALUATION_OPTIONS: return &s->evaluation_options;
    case LINEAR_OPTIONS: return &s->linear_options;
    case C_CODE_OPTIONS: return &s->c_code_options;
    case ROLLOUT_OPTIONS: return &s->rollout_options;
    case ROLLOUT_BATCH: return &s->rollout_batch;
    case ROLLOUT_OUTCOME: return &s->rollout_outcome;
    case DERIVATION_OPTIONS: return &s->derivation_options;
    case STUDY_PLAN: return &s->study_plan;
    case STUDY_OPTIONS: return &s->study_options;
    case WRITE_OPTIONS: return &s->write_options;
    case STUDY_TEXT: return (void *)(size_t)study_text;
    case STUDY_PATH: return s->study_path;
    case STUDY_RESULT: return s->study_result;
    case JOURNAL_: need_study(); return s->journal_path;
    case JOURNALS_: need_study(); return s->journals;
    case STEADY_: return s->steady;
    case RESPONSE_DRAWING: return &s->response_drawing;
    default: return NULL;
    }
}

/* Places for results. */
static void *place_for(source from)
{
    switch (from) {
    case NAME_OUT: return &s->pointer;
    case TITLE_OUT: return &s->pointer2;
    case INT_OUT: return &s->number;
    case INT_OUT2: return &s->number2;
    case SPEC_OUT:
    case SYSTEM_OUT:
    case SVG_OUT:
    case ROW_OUT: return &s->pointer;
    case C_CODE_OUT: return &s->c_code;
    case ROLLOUT_OUT: return &s->rollout;
    case EQUATIONS_OUT: return &s->equations;
    case INSTANT_OUT: return &s->instant;
    case EVALUATION_OUT: return &s->evaluation;
    case WRITER_OUT: return &s->writer;
    case RUN_FILES_OUT: return &s->run_files;
    case RESULTS_OUT: return &s->results;
    case PAGE_OUT: return &s->page;
    case SERIES_OUT: return &s->series;
    case VERDICT_OUT: return &s->verdict;
    case COMPARISON_OUT: return &s->comparison;
    case PORTS_OUT: return &s->ports;
    case LINEARIZATION_OUT: return &s->linearization;
    case MODES_OUT: return &s->modes;
    case EQUILIBRIUM_OUT: return &s->equilibrium;
    case CAMPBELL_OUT: return &s->campbell;
    case EQUILIBRIA_OUT: return &s->equilibria;
    case RESPONSE_OUT: return &s->response;
    case STUDY_OUT:
    case STUDY_FILE_OUT:
    case STUDY_READER_OUT:
    case NOTE_OUT: return &s->pointer;
    case STUDY_ROW: return &s->study_row;
    case OUTCOME_OUT: return &s->outcome;
    case SIZE_OUT: return &s->blob_size;
    case VECTOR_OUT:
    case NUMBERS_OUT:
    case DOUBLE_OUT:
    case A_OUT: return s->out;
    case VECTOR_OUT2:
    case DOUBLE_OUT2: return s->out + 3;
    case MOTION_OUT: return &s->motion;
    case CENTROID_OUT: return &s->centroid;
    case DERIVATIVES_OUT: return &s->derivatives;
    case INVERSE_OUT: return &s->inverse;
    case PARAMETER_OUT: return &s->parameter;
    case CARRIED_OUT: return s->carried;
    case BUFFER_: return s->buffer;
    case SAVED_OUT: return s->saved;
    case SIMULATION_OUT: return &s->simulation;
    default: return NULL;
    }
}

static value good(source from)
{
    switch (from) {
    case LENGTH_: return (value){.z = sizeof model - 1};
    case STUDY_LENGTH: return (value){.z = sizeof study_text - 1};
    case STATE_LENGTH: return (value){.z = 2};
    case BUFFER_SIZE: return (value){.z = sizeof s->buffer};
    case BLOB_SIZE: need_simulation(); return (value){.z = s->blob_size};
    case WORK_: return (value){.z = 100};
    case STEP_: return (value){.d = 1e-3};
    case SEVERITY_: return (value){.i = DAL_ERROR};
    case STATUS_:
    case FLAG_:
    case KEY_INDEX:
    case LIST_INDEX:
    case BODY_:
    case JOINT_:
    case LABEL_:
    case COLUMN_:
    case INPUT_INDEX:
    case OVERRIDE_COUNT:
    case MOST_FRAMES:
    case RUN_:
    case SEED_: return (value){.z = 0};
    case DIGITS_: return (value){.i = 6};
    case WIDTH_: return (value){.i = 100};
    case GIVEN_COUNT: return (value){.i = 1};
    case VARIED_COUNT: return (value){.i = 1};
    case COLUMN_COUNT: return (value){.i = column_count()};
    case TIME_:
    case INPUT_: return (value){.d = 0.5};
    default: break;
    }
    void *p = place_for(from);
    if (!p)
        p = datum(from);
    return (value){.p = p ? p : object(from)};
}

/* How many numbers an array has, or things an index counts. */
static int size_of(source from)
{
    switch (from) {
    case Q_:
    case LABEL_: return NQ;
    case V_:
    case TAU_:
    case VD_:
    case X_: return NV;
    case VARIED_VALUES: return 1;
    case WRENCHES_: return 6 * BODIES;
    case POINT_: return 3;
    case BODY_: return BODIES;
    case JOINT_: return JOINTS;
    case RUN_:
    case INPUT_INDEX: return 1;
    case COLUMN_:
    case KEY_INDEX:
    case LIST_INDEX: return 100000;
    default: return 0;
    }
}

/* ---- the functions ------------------------------------------------------------------------------------- */

#define P(k) (x[k].p)
#define I(k) (x[k].i)
#define CALL(name, expression)                                                                                                                       \
    static answer call_##name(const value *x)                                                                                                        \
    {                                                                                                                                                \
        (void)x;                                                                                                                                     \
        return expression;                                                                                                                           \
    }

/* A result that the stage does not free. */
static answer of_spec(dal_status status, dal_spec **spec)
{
    if (spec && status == DAL_OK)
        dal_spec_free(*spec);
    if (spec && status != DAL_OK && *spec)
        misuse_failed("a spec", "is there although it was refused");
    return of_status(status);
}

static answer of_system(dal_status status, dal_system **system)
{
    if (system && status == DAL_OK)
        dal_system_free(*system);
    if (system && status != DAL_OK && *system)
        misuse_failed("a system", "is there although it was refused");
    return of_status(status);
}

static answer of_text(dal_status status, char **text)
{
    if (text && status == DAL_OK)
        free(*text);
    if (text && status != DAL_OK && *text)
        misuse_failed("a text", "is there although it was refused");
    return of_status(status);
}

static answer of_state(dal_state *state)
{
    dal_state_free(state);
    return of_bool(state);
}

static answer of_messages(dal_messages *messages)
{
    dal_messages_free(messages);
    return of_bool(messages);
}

/* Calls on a page have no answer: the page has it when it is closed. A page that is NULL has none. */
static answer closed(bool there)
{
    dal_page *page = s->page;
    s->page = NULL;
    s->series = NULL;
    const dal_status status = dal_page_close(page, true);
    return there ? of_status(status) : REFUSED;
}

static answer freed(void *slot)
{
    memset(slot, 0, sizeof(void *)); /* not once more at the end of the stage */
    return QUIET;
}

static dal_status give_row(dal_writer *writer, const double *values)
{
    const dal_sink *sink = dal_writer_sink(writer);
    const dal_column columns[2] = {{"time", "s"}, {"x", "m"}};
    const dal_system_info info = dal_system_describe(NULL);
    if (!sink || sink->begin(sink->user, &info, 2, columns) != DAL_OK)
        return DAL_BAD_COMMAND;
    if (sink->row(sink->user, 3, values) == DAL_OK || sink->row(sink->user, -1, values) == DAL_OK || sink->row(sink->user, 2, NULL) == DAL_OK)
        misuse_failed("a row of another length", "was accepted");
    return sink->row(sink->user, 2, values);
}

/* What a run left that was stopped; NULL: nothing. */
static void leave_part(const char *path)
{
    dal_writer *writer = NULL;
    if (!path)
        return;
    must(dal_writer_open(NULL, path, false, s->messages, &writer) == DAL_OK && give_row(writer, s->row) == DAL_OK, "a part");
    must(dal_writer_close(writer, false, NULL) == DAL_OK, "a part that is left");
    dal_messages_clear(s->messages);
}

CALL(dal_status_text, of_bool(dal_status_text((dal_status)I(0))))
CALL(dal_default_allocator, of_bool(dal_default_allocator().allocate &&dal_default_allocator().release))
CALL(dal_messages_create, of_messages(dal_messages_create(P(0))))
CALL(dal_messages_free, (dal_messages_free(P(0)), P(0) ? freed(&s->messages) : QUIET))
CALL(dal_messages_first, (dal_messages_first(P(0)), QUIET))
CALL(dal_messages_count, (dal_messages_count(P(0), (dal_severity)I(1)), QUIET))
CALL(dal_messages_clear, (dal_messages_clear(P(0)), QUIET))
CALL(dal_message_format, of_length(dal_message_format(P(0), P(1), x[2].z)))
CALL(dal_compare, of_status(dal_compare(P(0), P(1), P(2), P(3))))
CALL(dal_comparison_agrees, of_bool(dal_comparison_agrees(P(0), P(1), P(2))))
CALL(dal_comparison_free, (dal_comparison_free(P(0)), P(0) ? freed(&s->comparison) : QUIET))
CALL(dal_derivation_text, of_text(dal_derivation_text(P(0), P(1), P(2), P(3), P(4)), P(4)))
CALL(dal_to_yaml, of_text(dal_to_yaml(P(0), P(1), P(2), P(3)), P(3)))
CALL(dal_to_urdf, of_text(dal_to_urdf(P(0), P(1), P(2), P(3)), P(3)))
CALL(dal_c_code_generate, of_status(dal_c_code_generate(P(0), P(1), P(2), P(3), P(4))))
CALL(dal_c_code_free, (dal_c_code_free(P(0)), P(0) ? freed(&s->c_code) : QUIET))
CALL(dal_rollout_model_create, of_status(dal_rollout_model_create(P(0), P(1), P(2), P(3), P(4))))
CALL(dal_rollout_model_free, (dal_rollout_model_free(P(0)), P(0) ? freed(&s->rollout) : QUIET))
CALL(dal_rollout_describe, of_bool(dal_rollout_describe(P(0)).system))
CALL(dal_rollout, of_status(dal_rollout(P(0), P(1), P(2), P(3))))
CALL(dal_equations_create, of_status(dal_equations_create(P(0), P(1), P(2), P(3))))
CALL(dal_equations_free, (dal_equations_free(P(0)), P(0) ? freed(&s->equations) : QUIET))
CALL(dal_equations_text, of_length(dal_equations_text(P(0), I(1), I(2), P(3), x[4].z)))
CALL(dal_equations_json, of_length(dal_equations_json(P(0), P(1), x[2].z)))
CALL(dal_state_assign, of_status(dal_state_assign(P(0), I(1), P(2), P(3), P(4))))
CALL(dal_coordinate_label, of_bool(dal_coordinate_label(P(0), I(1), P(2), x[3].z)))
CALL(dal_rate_label, of_bool(dal_rate_label(P(0), I(1), P(2), x[3].z)))
CALL(dal_instant_create, of_status(dal_instant_create(P(0), P(1), P(2))))
CALL(dal_instant_read, of_status(dal_instant_read(P(0), P(1), P(2), P(3), P(4))))
CALL(dal_instant_parse, of_status(dal_instant_parse(P(0), P(1), P(2), P(3), x[4].z, P(5), P(6))))
CALL(dal_instant_random, of_status(dal_instant_random(P(0), P(1), x[2].z, P(3), P(4))))
CALL(dal_instant_of, of_status(dal_instant_of(P(0), P(1), P(2), P(3))))
CALL(dal_instant_json, of_length(dal_instant_json(P(0), P(1), P(2), x[3].z)))
CALL(dal_instant_free, (dal_instant_free(P(0)), P(0) ? freed(&s->instant) : QUIET))
CALL(dal_evaluate, of_status(dal_evaluate(P(0), P(1), P(2), P(3), P(4), P(5))))
CALL(dal_evaluation_free, (dal_evaluation_free(P(0)), P(0) ? freed(&s->evaluation) : QUIET))
CALL(dal_evaluation_text, of_length(dal_evaluation_text(P(0), I(1), I(2), true, P(3), x[4].z)))
CALL(dal_evaluation_json, of_length(dal_evaluation_json(P(0), P(1), x[2].z)))
CALL(dal_page_available, (dal_page_available(), QUIET))
CALL(dal_spec_show, (dal_spec_show(P(0)), QUIET))
CALL(dal_spec_record_motion, (dal_spec_record_motion(P(0)), QUIET))
CALL(dal_page_open, of_status(dal_page_open(P(0), P(1), P(2), P(3), P(4), P(5))))
CALL(dal_page_series, of_status(dal_page_series(P(0), P(1), P(2))))
CALL(dal_series_frame, of_status(dal_series_frame(P(0), P(1), I(2), P(3))))
CALL(dal_series_add, of_status(dal_series_add(P(0), P(1))))
CALL(dal_page_results, of_status(dal_page_results(P(0), P(1), P(2), I(3))))
CALL(dal_series_evidence, (dal_series_evidence(P(0), P(1), (dal_status)I(2)), closed(P(0))))
CALL(dal_series_failed, (dal_series_failed(P(0), P(1)), closed(P(0))))
CALL(dal_series_fact, (dal_series_fact(P(0), P(1), P(2)), closed(P(0))))
CALL(dal_page_evidence, (dal_page_evidence(P(0), P(1), (dal_status)I(2)), closed(P(0))))
CALL(dal_page_verdict, (dal_page_verdict(P(0), P(1)), closed(P(0))))
CALL(dal_page_messages, (dal_page_messages(P(0), P(1)), closed(P(0))))
CALL(dal_page_option, (dal_page_option(P(0), P(1), P(2)), closed(P(0))))
CALL(dal_page_entry, (dal_page_entry(P(0), P(1), P(2)), closed(P(0))))
CALL(dal_page_item, of_status(dal_page_item(P(0), P(1), P(2), P(3), P(4), P(5), P(6))))
CALL(dal_page_close, (dal_page_close(P(0), true), P(0) ? freed(&s->page) : QUIET))
CALL(dal_page_discard, (dal_page_discard(P(0)), P(0) ? freed(&s->page) : QUIET))
CALL(dal_plot_svg, of_text(dal_plot_svg(P(0), P(1), P(2), P(3), P(4)), P(4)))
CALL(dal_snapshots_svg, of_text(dal_snapshots_svg(P(0), P(1), P(2), P(3), P(4), P(5), P(6)), P(6)))
CALL(dal_linearize, of_status(dal_linearize(P(0), P(1), P(2), P(3), P(4))))
CALL(dal_linearization_free, (dal_linearization_free(P(0)), P(0) ? freed(&s->linearization) : QUIET))
CALL(dal_linearization_text, of_length(dal_linearization_text(P(0), I(1), I(2), P(3), x[4].z)))
CALL(dal_linearization_json, of_length(dal_linearization_json(P(0), P(1), x[2].z)))
CALL(dal_linearization_csv, of_length(dal_linearization_csv(P(0), P(1), x[2].z)))
CALL(dal_modes_find, of_status(dal_modes_find(P(0), P(1), P(2), P(3), P(4))))
CALL(dal_modes_free, (dal_modes_free(P(0)), P(0) ? freed(&s->modes) : QUIET))
CALL(dal_modes_text, of_length(dal_modes_text(P(0), I(1), I(2), P(3), x[4].z)))
CALL(dal_modes_json, of_length(dal_modes_json(P(0), P(1), x[2].z)))
CALL(dal_equilibrium_find, of_status(dal_equilibrium_find(P(0), P(1), P(2), P(3))))
CALL(dal_equilibrium_free, (dal_equilibrium_free(P(0)), P(0) ? freed(&s->equilibrium) : QUIET))
CALL(dal_equilibrium_text, of_length(dal_equilibrium_text(P(0), I(1), P(2), x[3].z)))
CALL(dal_campbell_track, of_status(dal_campbell_track(P(0), P(1), I(2), P(3), P(4), P(5), P(6))))
CALL(dal_campbell_free, (dal_campbell_free(P(0)), P(0) ? freed(&s->campbell) : QUIET))
CALL(dal_campbell_text, of_length(dal_campbell_text(P(0), I(1), P(2), x[3].z)))
CALL(dal_campbell_csv, of_length(dal_campbell_csv(P(0), P(1), x[2].z)))
CALL(dal_campbell_svg, of_text(dal_campbell_svg(P(0), P(1), I(2), P(3), 0, 0, P(4), P(5), P(6)), P(6)))
CALL(dal_steady_find, of_status(dal_steady_find(P(0), P(1), I(2), P(3), P(4), P(5))))
CALL(dal_equilibria_find, of_status(dal_equilibria_find(P(0), P(1), I(2), x[3].z, P(4), P(5))))
CALL(dal_equilibria_free, (dal_equilibria_free(P(0)), P(0) ? freed(&s->equilibria) : QUIET))
CALL(dal_equilibria_text, of_length(dal_equilibria_text(P(0), I(1), P(2), x[3].z)))
CALL(dal_equilibria_json, of_length(dal_equilibria_json(P(0), P(1), x[2].z)))
CALL(dal_response_find, of_status(dal_response_find(P(0), P(1), P(2), I(3), P(4), P(5), P(6))))
CALL(dal_response_free, (dal_response_free(P(0)), P(0) ? freed(&s->response) : QUIET))
CALL(dal_response_text, of_length(dal_response_text(P(0), I(1), P(2), x[3].z)))
CALL(dal_response_json, of_length(dal_response_json(P(0), P(1), x[2].z)))
CALL(dal_response_csv, of_length(dal_response_csv(P(0), P(1), x[2].z)))
CALL(dal_response_svg, of_text(dal_response_svg(P(0), P(1), P(2), P(3), P(4)), P(4)))
CALL(dal_equilibrium_json, of_length(dal_equilibrium_json(P(0), P(1), x[2].z)))
CALL(dal_ports_create, of_status(dal_ports_create(P(0), P(1), P(2), P(3))))
CALL(dal_ports_free, (dal_ports_free(P(0)), P(0) ? freed(&s->ports) : QUIET))
CALL(dal_ports_text, of_length(dal_ports_text(P(0), P(1), x[2].z)))
CALL(dal_ports_json, of_length(dal_ports_json(P(0), P(1), x[2].z)))
CALL(dal_ports_svg, of_text(dal_ports_svg(P(0), P(1), P(2), P(3)), P(3)))
CALL(dal_results_open, of_status(dal_results_open(P(0), P(1), P(2), P(3))))
CALL(dal_results_close, (dal_results_close(P(0)), P(0) ? freed(&s->results) : QUIET))
CALL(dal_results_columns, of_bool(dal_results_columns(P(0), P(1))))
CALL(dal_results_column, of_length(dal_results_column(P(0), P(1))))
CALL(dal_results_hash, (strlen(dal_results_hash(P(0))) > 99 ? REFUSED : QUIET))
CALL(dal_results_incomplete, (dal_results_incomplete(P(0)) ? REFUSED : QUIET))
CALL(dal_results_next, of_status(dal_results_next(P(0), P(1))))
CALL(dal_system_columns, of_bool(dal_system_columns(P(0), P(1), P(2))))
CALL(dal_run, of_status(dal_run(P(0), P(1), P(2), P(3))))
CALL(dal_simulation_create, of_status(dal_simulation_create(P(0), P(1), P(2), P(3))))
CALL(dal_simulation_free, (dal_simulation_free(P(0)), P(0) ? freed(&s->simulation) : QUIET))
CALL(dal_step, of_status(dal_step(P(0), x[1].d)))
CALL(dal_look, of_status(dal_look(P(0), x[1].d)))
CALL(dal_step_fixed, of_status(dal_step_fixed(P(0), x[1].d, (long)x[2].i)))
CALL(dal_simulation_time, of_bool(!isnan(dal_simulation_time(P(0)))))
CALL(dal_simulation_system, of_bool(dal_simulation_system(P(0))))
CALL(dal_simulation_values, of_bool(dal_simulation_values(P(0), P(1))))
CALL(dal_simulation_value, of_bool(!isnan(dal_simulation_value(P(0), I(1)))))
CALL(dal_simulation_state, of_bool(dal_simulation_state(P(0))))
CALL(dal_simulation_evidence, of_status(dal_simulation_evidence(P(0), P(1))))
CALL(dal_simulation_set_input, of_bool(dal_simulation_set_input(P(0), P(1), x[2].d)))
CALL(dal_simulation_set_input_number, of_bool(dal_simulation_set_input_number(P(0), I(1), x[2].d)))
CALL(dal_simulation_input, of_bool(!isnan(dal_simulation_input(P(0), I(1)))))
CALL(dal_simulation_save, of_bool(dal_simulation_save(P(0), P(1), x[2].z)))
CALL(dal_simulation_restore, of_status(dal_simulation_restore(P(0), P(1), x[2].z)))
CALL(dal_system_input, of_length(dal_system_input(P(0), P(1))))
CALL(dal_system_column, of_length(dal_system_column(P(0), P(1))))
CALL(dal_evidence_json, of_length(dal_evidence_json(P(0), (dal_status)I(1), P(2), x[3].z)))
CALL(dal_evidence_text, of_length(dal_evidence_text(P(0), (dal_status)I(1), P(2), x[3].z)))
CALL(dal_run_files_create, of_status(dal_run_files_create(I(0), P(1), P(2), P(3), P(4))))
CALL(dal_run_files_shown, (dal_run_files_shown(P(0)), QUIET))
CALL(dal_run_files_open, of_status(dal_run_files_open(P(0), P(1))))
CALL(dal_run_files_join, of_status(dal_run_files_join(P(0), P(1))))
CALL(dal_run_files_close, of_status(dal_run_files_close(P(0), (dal_status)I(1), (dal_run_files_end){I(2), I(2)}, P(3))))
CALL(dal_run_files_saved, (dal_run_files_saved(P(0)), QUIET))
CALL(dal_run_files_free, (dal_run_files_free(P(0)), P(0) ? freed(&s->run_files) : QUIET))
CALL(dal_writer_open, of_status(dal_writer_open(P(0), P(1), I(2), P(3), P(4))))
CALL(dal_writer_resume, (leave_part(P(1)), of_status(dal_writer_resume(P(0), P(1), I(2), (long)x[3].i, x[4].d, P(5), P(6)))))
CALL(dal_writer_flush, (give_row(P(0), s->row), of_status(dal_writer_flush(P(0), I(1)))))
CALL(dal_writer_sink, of_status(give_row(P(0), s->row)))
CALL(dal_writer_close, (dal_writer_close(P(0), I(1), P(2)), P(0) ? freed(&s->writer) : QUIET))
CALL(dal_writer_discard, (dal_writer_discard(P(0)), P(0) ? freed(&s->writer) : QUIET))
CALL(dal_spec_read, of_spec(dal_spec_read(P(0), P(1), I(2), P(3), P(4), P(5)), P(5)))
CALL(dal_spec_clone, of_spec(dal_spec_clone(P(0), P(1), P(2), P(3)), P(3)))
CALL(dal_spec_read_with, of_spec(dal_spec_read_with(P(0), P(1), P(2), P(3), P(4)), P(4)))
CALL(dal_spec_parse, of_spec(dal_spec_parse(P(0), P(1), P(2), x[3].z, I(4), P(5), P(6), P(7)), P(7)))
CALL(dal_spec_free, (dal_spec_free(P(0)), P(0) ? freed(&s->spec) : QUIET))
CALL(dal_spec_key, of_bool(dal_spec_key(I(0))))
CALL(dal_spec_record, of_status(dal_spec_record(P(0), I(1), P(2), P(3))))
CALL(dal_spec_set, of_bool(dal_spec_set(P(0), P(1), P(2), P(3))))
CALL(dal_compile, of_system(dal_compile(P(0), P(1), P(2), P(3)), P(3)))
CALL(dal_compile_for_evaluation, of_system(dal_compile_for_evaluation(P(0), P(1), P(2), P(3)), P(3)))
CALL(dal_system_vary, of_system(dal_system_vary(P(0), P(1), I(2), P(3), P(4), P(5), P(6)), P(6)))
CALL(dal_system_free, (dal_system_free(P(0)), P(0) ? freed(&s->system) : QUIET))
CALL(dal_system_describe, (strlen(dal_system_describe(P(0)).model) > 99 ? REFUSED : QUIET))
CALL(dal_system_warnings, (dal_system_warnings(P(0), P(1)), QUIET))
CALL(dal_system_body, of_length(dal_system_body(P(0), P(1))))
CALL(dal_system_joint, of_length(dal_system_joint(P(0), P(1))))
CALL(dal_state_create, of_state(dal_state_create(P(0), P(1))))
CALL(dal_state_free, (dal_state_free(P(0)), P(0) ? freed(&s->state) : QUIET))
CALL(dal_state_reset, of_bool(dal_state_reset(P(0))))
CALL(dal_state_y, of_bool(dal_state_y(P(0))))
CALL(dal_state_time, of_number(dal_state_time(P(0))))
CALL(dal_state_set_time, of_bool(dal_state_set_time(P(0), x[1].d)))
CALL(dal_state_set_input, of_bool(dal_state_set_input(P(0), P(1), x[2].d)))
CALL(dal_state_evaluate, of_status(dal_state_evaluate(P(0), P(1))))
CALL(dal_state_body, of_number(dal_state_body(P(0), I(1)).acceleration[1]))
CALL(dal_state_reaction, of_bool(dal_state_reaction(P(0), I(1), P(2), P(3))))
CALL(dal_state_energy, of_number(dal_state_energy(P(0)).potential))
CALL(dal_state_coordinates, of_bool(dal_state_coordinates(P(0), P(1))))
CALL(dal_state_velocities, of_bool(dal_state_velocities(P(0), P(1))))
CALL(dal_state_accelerations, of_bool(dal_state_accelerations(P(0), P(1))))
CALL(dal_state_residuals, of_bool(dal_state_residuals(P(0), P(1), P(2))))
CALL(dal_list_entry, of_bool(dal_list_entry(P(0), I(1), P(2), P(3))))
CALL(dal_version, of_bool(dal_version()))
CALL(dal_system_has_tree, of_bool(dal_system_has_tree(P(0))))
CALL(dal_tree_coordinate, of_bool(dal_tree_coordinate(P(0), I(1), P(2), x[3].z)))
CALL(dal_tree_velocity, of_bool(dal_tree_velocity(P(0), I(1), P(2), x[3].z)))
CALL(dal_forward_dynamics, of_status(dal_forward_dynamics(P(0), P(1), P(2), P(3), P(4), P(5))))
CALL(dal_inverse_dynamics, of_status(dal_inverse_dynamics(P(0), P(1), P(2), P(3), P(4), P(5))))
CALL(dal_bias_forces, of_status(dal_bias_forces(P(0), P(1), P(2), P(3))))
CALL(dal_gravity_forces, of_status(dal_gravity_forces(P(0), P(1), P(2))))
CALL(dal_mass_matrix, of_status(dal_mass_matrix(P(0), P(1), P(2))))
CALL(dal_mass_factor, of_status(dal_mass_factor(P(0), P(1))))
CALL(dal_mass_solve, of_status(dal_mass_solve(P(0), P(1), P(2))))
CALL(dal_mass_inverse, of_status(dal_mass_inverse(P(0), P(1), P(2))))
CALL(dal_tree_inverse_derivatives, of_status(dal_tree_inverse_derivatives(P(0), P(1), P(2), P(3), P(4), P(5), P(6))))
CALL(dal_tree_forward_derivatives, of_status(dal_tree_forward_derivatives(P(0), P(1), P(2), P(3), P(4), P(5), P(6), P(7))))
CALL(dal_derivatives_describe, (dal_derivatives_describe(P(0)).velocities < 0 ? ACCEPTED : QUIET))
CALL(dal_forward_derivatives, of_status(dal_forward_derivatives(P(0), P(1), P(2))))
CALL(dal_inverse_derivatives, of_status(dal_inverse_derivatives(P(0), P(1), P(2), P(3), P(4))))
CALL(dal_parameter_derivatives, of_status(dal_parameter_derivatives(P(0), P(1), P(2), P(3))))
CALL(dal_coriolis_matrix, of_status(dal_coriolis_matrix(P(0), P(1), P(2), P(3))))
CALL(dal_frame_motion, of_status(dal_frame_motion(P(0), P(1), P(2), P(3), I(4), P(5), P(6))))
CALL(dal_frame_jacobian, of_status(dal_frame_jacobian(P(0), P(1), I(2), P(3), P(4))))
CALL(dal_frame_jacobian_rate, of_status(dal_frame_jacobian_rate(P(0), P(1), P(2), I(3), P(4), P(5))))
CALL(dal_centroidal_momentum, of_status(dal_centroidal_momentum(P(0), P(1), P(2), P(3), P(4))))
CALL(dal_joint_wrenches, of_status(dal_joint_wrenches(P(0), P(1), P(2), P(3), P(4), P(5))))
static answer of_study(dal_status status, dal_study **study)
{
    if (study && status == DAL_OK)
        dal_study_free(*study);
    if (study && status != DAL_OK && *study)
        misuse_failed("a study", "is there although it was refused");
    return of_status(status);
}

static answer of_study_file(dal_status status, dal_study_file **file)
{
    if (file && status == DAL_OK)
        dal_study_file_free(*file);
    return of_status(status);
}

static answer of_reader(dal_status status, dal_study_reader **reader)
{
    if (reader && status == DAL_OK)
        dal_study_close(*reader);
    return of_status(status);
}

static answer of_note(dal_status status, char **note)
{
    if (note && status == DAL_OK)
        free(*note);
    return of_status(status);
}

CALL(dal_study_read, of_study_file(dal_study_read(P(0), P(1), P(2), P(3)), P(3)))
CALL(dal_study_parse, of_study_file(dal_study_parse(P(0), P(1), P(2), x[3].z, P(4), P(5)), P(5)))
CALL(dal_study_file_free, (dal_study_file_free(P(0)), P(0) ? freed(&s->study_file) : QUIET))
CALL(dal_is_study, dal_is_study(P(0)) ? ACCEPTED : REFUSED)
CALL(dal_study_create, of_study(dal_study_create(P(0), P(1), P(2), P(3), P(4)), P(4)))
CALL(dal_study_free, (dal_study_free(P(0)), P(0) ? freed(&s->study) : QUIET))
CALL(dal_study_describe, dal_study_describe(P(0)).runs ? ACCEPTED : REFUSED)
CALL(dal_study_variable_at, dal_study_variable_at(P(0), I(1)) ? ACCEPTED : REFUSED)
CALL(dal_study_values, dal_study_values(P(0), P(1)) ? ACCEPTED : REFUSED)
CALL(dal_study_channels, dal_study_channels(P(0), P(1)) ? ACCEPTED : REFUSED)
CALL(dal_study_point, dal_study_point(P(0), I(1), P(2)) ? ACCEPTED : REFUSED)
CALL(dal_study_system, of_system(dal_study_system(P(0), I(1), P(2), P(3)), P(3)))
CALL(dal_study_run, of_status(dal_study_run(P(0), P(1), P(2), P(3))))
CALL(dal_study_note, of_note(dal_study_note(P(0), P(1), P(2), P(3)), P(2)))
CALL(dal_study_open, of_reader(dal_study_open(P(0), I(1), P(2), P(3), P(4)), P(4)))
CALL(dal_study_next, dal_study_next(P(0), P(1), P(2)) ? ACCEPTED : REFUSED)
CALL(dal_study_missing, (dal_study_missing(P(0)), QUIET))
CALL(dal_study_close, (dal_study_close(P(0)), P(0) ? freed(&s->study_reader) : QUIET))
CALL(dal_study_write, of_status(dal_study_write(P(0), I(1), P(2), P(3), P(4))))
CALL(dal_study_write_with, of_status(dal_study_write_with(P(0), I(1), P(2), P(3), P(4), P(5))))
CALL(dal_check, of_status(dal_check(P(0), P(1), P(2), P(3))))
CALL(dal_verdict_text, of_length(dal_verdict_text(P(0), P(1), x[2].z)))
CALL(dal_verdict_json, of_length(dal_verdict_json(P(0), P(1), x[2].z)))
CALL(dal_comparison_text, of_length(dal_comparison_text(P(0), x[1].i != 0, P(2), x[3].z)))
CALL(dal_comparison_json, of_length(dal_comparison_json(P(0), P(1), x[2].z)))
CALL(dal_verdict_free, (dal_verdict_free(P(0)), P(0) ? freed(&s->verdict) : QUIET))

#define ROW(name, ...)                                                                                                                               \
    {                                                                                                                                                \
#name, call_##name,                                                                                                                          \
        {                                                                                                                                            \
            __VA_ARGS__                                                                                                                              \
        }                                                                                                                                            \
    }
#define HEARD                                                                                                                                        \
    {                                                                                                                                                \
        MESSAGES_, PASSED                                                                                                                            \
    }
#define MEMORY                                                                                                                                       \
    {                                                                                                                                                \
        ALLOCATOR_, ALLOCATOR                                                                                                                        \
    }
#define PRINTED                                                                                                                                      \
    {BUFFER_, MEASURED},                                                                                                                             \
    {                                                                                                                                                \
        BUFFER_SIZE, SIZE                                                                                                                            \
    }
#define LABELLED                                                                                                                                     \
    {LABEL_, INDEX}, {BUFFER_, NEEDED},                                                                                                              \
    {                                                                                                                                                \
        BUFFER_SIZE, SIZE                                                                                                                            \
    }

static const call calls[] = {
    ROW(dal_status_text, {STATUS_, MEMBER}),
    ROW(dal_default_allocator, {NOTHING, FREE}),
    ROW(dal_messages_create, MEMORY),
    ROW(dal_messages_free, {MESSAGES_, PASSED}),
    ROW(dal_messages_first, HEARD),
    ROW(dal_messages_count, HEARD, {SEVERITY_, MEMBER}),
    ROW(dal_messages_clear, HEARD),
    ROW(dal_message_format, {MESSAGE_, NEEDED}, PRINTED),
    ROW(dal_compare, {SPEC_, NEEDED}, {COMPARE_OPTIONS, PASSED}, HEARD, {COMPARISON_OUT, NEEDED}),
    ROW(dal_comparison_agrees, {COMPARISON_, NEEDED}, {INT_OUT, PASSED}, {DOUBLE_OUT, PASSED}),
    ROW(dal_comparison_free, {COMPARISON_, PASSED}),
    ROW(dal_derivation_text, MEMORY, {SPEC_, NEEDED}, {DERIVATION_OPTIONS, PASSED}, HEARD, {SVG_OUT, NEEDED}),
    ROW(dal_to_yaml, MEMORY, {ROBOT_, NEEDED}, HEARD, {SVG_OUT, NEEDED}),
    ROW(dal_to_urdf, MEMORY, {ROBOT_, NEEDED}, HEARD, {SVG_OUT, NEEDED}),
    ROW(dal_c_code_generate, MEMORY, {SPEC_, NEEDED}, {C_CODE_OPTIONS, PASSED}, HEARD, {C_CODE_OUT, NEEDED}),
    ROW(dal_c_code_free, {C_CODE_, PASSED}),
    ROW(dal_rollout_model_create, MEMORY, {SPEC_, NEEDED}, {ROLLOUT_OPTIONS, PASSED}, HEARD, {ROLLOUT_OUT, NEEDED}),
    ROW(dal_rollout_model_free, {ROLLOUT_, PASSED}),
    ROW(dal_rollout_describe, {ROLLOUT_, NEEDED}),
    ROW(dal_rollout, {ROLLOUT_, NEEDED}, {ROLLOUT_BATCH, NEEDED}, {ROLLOUT_OUTCOME, PASSED}, HEARD),
    ROW(dal_equations_create, MEMORY, {STATE_, NEEDED}, HEARD, {EQUATIONS_OUT, NEEDED}),
    ROW(dal_equations_free, {EQUATIONS_, PASSED}),
    ROW(dal_equations_text, {EQUATIONS_, NEEDED}, {DIGITS_, ANY}, {WIDTH_, ANY}, PRINTED),
    ROW(dal_equations_json, {EQUATIONS_, NEEDED}, PRINTED),
    ROW(dal_state_assign, {STATE_, NEEDED}, {GIVEN_COUNT, COUNT}, {GIVEN_, NEEDED}, HEARD, {DOUBLE_OUT, PASSED}),
    ROW(dal_coordinate_label, {SYSTEM_, NEEDED}, LABELLED),
    ROW(dal_rate_label, {SYSTEM_, NEEDED}, LABELLED),
    ROW(dal_instant_create, MEMORY, {SYSTEM_, NEEDED}, {INSTANT_OUT, NEEDED}),
    ROW(dal_instant_read, MEMORY, {SYSTEM_, NEEDED}, {STATE_FILE, NEEDED}, HEARD, {INSTANT_OUT, NEEDED}),
    ROW(dal_instant_parse, MEMORY, {SYSTEM_, NEEDED}, {WORD_, NEEDED}, {STATE_TEXT, NEEDED}, {STATE_LENGTH, FREE}, HEARD, {INSTANT_OUT, NEEDED}),
    ROW(dal_instant_random, MEMORY, {STATE_, NEEDED}, {SEED_, FREE}, HEARD, {INSTANT_OUT, NEEDED}),
    ROW(dal_instant_of, MEMORY, {STATE_, NEEDED}, HEARD, {INSTANT_OUT, NEEDED}),
    ROW(dal_instant_json, {SYSTEM_, NEEDED}, {INSTANT_, NEEDED}, PRINTED),
    ROW(dal_instant_free, {INSTANT_, PASSED}),
    ROW(dal_evaluate, MEMORY, {STATE_, NEEDED}, {INSTANT_, NEEDED}, {EVALUATION_OPTIONS, PASSED}, HEARD, {EVALUATION_OUT, NEEDED}),
    ROW(dal_evaluation_free, {EVALUATION_, PASSED}),
    ROW(dal_evaluation_text, {EVALUATION_, NEEDED}, {DIGITS_, ANY}, {WIDTH_, ANY}, PRINTED),
    ROW(dal_evaluation_json, {EVALUATION_, NEEDED}, PRINTED),
    ROW(dal_page_available, {NOTHING, FREE}),
    ROW(dal_spec_show, {SPEC_, PASSED}),
    ROW(dal_spec_record_motion, {SPEC_, PASSED}),
    ROW(dal_page_open, {PAGE_PATH, NEEDED}, {SPEC_, PASSED}, {SYSTEM_, PASSED}, {PAGE_OPTIONS, FREE}, HEARD, {PAGE_OUT, NEEDED}),
    ROW(dal_page_series, {PAGE_, NEEDED}, {SERIES_OPTIONS, NEEDED}, {SERIES_OUT, NEEDED}),
    ROW(dal_series_frame, {SERIES_, NEEDED}, {STATE_, NEEDED}, {COLUMN_COUNT, COUNT}, {ROW_VALUES, NEEDED}),
    ROW(dal_series_add, {SERIES_, NEEDED}, {ROW_, NEEDED}),
    ROW(dal_page_results, {PAGE_, NEEDED}, {RESULTS_, NEEDED}, {SYSTEM_, NEEDED}, {MOST_FRAMES, COUNT}),
    ROW(dal_series_evidence, {SERIES_, NEEDED}, {EVIDENCE_, NEEDED}, {STATUS_, MEMBER}),
    ROW(dal_series_failed, {SERIES_, NEEDED}, {WORD_, NEEDED}),
    ROW(dal_series_fact, {SERIES_, NEEDED}, {WORD_, NEEDED}, {WORD2_, NEEDED}),
    ROW(dal_page_evidence, {PAGE_, NEEDED}, {EVIDENCE_, NEEDED}, {STATUS_, MEMBER}),
    ROW(dal_page_verdict, {PAGE_, NEEDED}, {VERDICT_, NEEDED}),
    ROW(dal_page_messages, {PAGE_, NEEDED}, HEARD),
    ROW(dal_page_option, {PAGE_, NEEDED}, {WORD_, NEEDED}, {WORD2_, NEEDED}),
    ROW(dal_page_entry, {PAGE_, NEEDED}, {WORD_, NEEDED}, {WORD2_, NEEDED}),
    ROW(dal_page_item, {PAGE_, NEEDED}, {WORD_, NEEDED}, {WORD_, PASSED}, {WORD_, PASSED}, {WORD_, PASSED}, {SPEC_, NEEDED}, {SYSTEM_, NEEDED}),
    ROW(dal_page_close, {PAGE_, PASSED}),
    ROW(dal_page_discard, {PAGE_, PASSED}),
    ROW(dal_plot_svg, MEMORY, {RESULTS_PATH, NEEDED}, {PLOT_OPTIONS, NEEDED}, HEARD, {SVG_OUT, NEEDED}),
    ROW(dal_snapshots_svg, MEMORY, {RESULTS_PATH, NEEDED}, {SPEC_, NEEDED}, {SYSTEM_, NEEDED}, {SNAPSHOT_OPTIONS, NEEDED}, HEARD, {SVG_OUT, NEEDED}),
    ROW(dal_linearize, MEMORY, {SPEC_, NEEDED}, {LINEAR_OPTIONS, PASSED}, HEARD, {LINEARIZATION_OUT, NEEDED}),
    ROW(dal_linearization_free, {LINEARIZATION_, PASSED}),
    ROW(dal_linearization_text, {LINEARIZATION_, NEEDED}, {DIGITS_, ANY}, {WIDTH_, ANY}, PRINTED),
    ROW(dal_linearization_json, {LINEARIZATION_, NEEDED}, PRINTED),
    ROW(dal_linearization_csv, {LINEARIZATION_, NEEDED}, PRINTED),
    ROW(dal_modes_find, MEMORY, {SPEC_, NEEDED}, {LINEAR_OPTIONS, PASSED}, HEARD, {MODES_OUT, NEEDED}),
    ROW(dal_modes_free, {MODES_, PASSED}),
    ROW(dal_modes_text, {MODES_, NEEDED}, {DIGITS_, ANY}, {WIDTH_, ANY}, PRINTED),
    ROW(dal_verdict_text, {VERDICT_, NEEDED}, PRINTED),
    ROW(dal_verdict_json, {VERDICT_, NEEDED}, PRINTED),
    ROW(dal_comparison_text, {COMPARISON_, NEEDED}, {FLAG_, FREE}, PRINTED),
    ROW(dal_comparison_json, {COMPARISON_, NEEDED}, PRINTED),
    ROW(dal_modes_json, {MODES_, NEEDED}, PRINTED),
    ROW(dal_equilibrium_find, MEMORY, {SPEC_, NEEDED}, HEARD, {EQUILIBRIUM_OUT, NEEDED}),
    ROW(dal_equilibrium_free, {EQUILIBRIUM_, PASSED}),
    ROW(dal_equilibrium_text, {EQUILIBRIUM_, NEEDED}, {DIGITS_, ANY}, PRINTED),
    ROW(dal_campbell_track, MEMORY, {WORD_, NEEDED}, {VARIED_COUNT, COUNT}, {VARIED_VALUES, NEEDED}, {MODES_LIST, NEEDED}, HEARD,
        {CAMPBELL_OUT, NEEDED}),
    ROW(dal_campbell_free, {CAMPBELL_, PASSED}),
    ROW(dal_campbell_text, {CAMPBELL_, NEEDED}, {DIGITS_, ANY}, PRINTED),
    ROW(dal_campbell_csv, {CAMPBELL_, NEEDED}, PRINTED),
    ROW(dal_campbell_svg, MEMORY, {CAMPBELL_, NEEDED}, {VARIED_COUNT, COUNT}, {VARIED_VALUES, NEEDED}, {WORD_, PASSED}, HEARD, {SVG_OUT, NEEDED}),
    ROW(dal_study_read, MEMORY, {STUDY_PATH, NEEDED}, HEARD, {STUDY_FILE_OUT, NEEDED}),
    ROW(dal_study_parse, MEMORY, {STUDY_PATH, PASSED}, {STUDY_TEXT, NEEDED}, {STUDY_LENGTH, SIZE}, HEARD, {STUDY_FILE_OUT, NEEDED}),
    ROW(dal_study_file_free, {STUDY_FILE_, PASSED}),
    ROW(dal_is_study, {STUDY_PATH, NEEDED}),
    ROW(dal_study_create, MEMORY, {SPEC_, NEEDED}, {STUDY_PLAN, NEEDED}, HEARD, {STUDY_OUT, NEEDED}),
    ROW(dal_study_free, {STUDY_, PASSED}),
    ROW(dal_study_describe, {STUDY_, NEEDED}),
    ROW(dal_study_variable_at, {STUDY_, NEEDED}, {RUN_, INDEX}),
    ROW(dal_study_values, {STUDY_, NEEDED}, {INT_OUT, PASSED}),
    ROW(dal_study_channels, {STUDY_, NEEDED}, {INT_OUT, PASSED}),
    ROW(dal_study_point, {STUDY_, NEEDED}, {RUN_, INDEX}, {DOUBLE_OUT, NEEDED}),
    ROW(dal_study_system, {STUDY_, NEEDED}, {RUN_, INDEX}, HEARD, {SYSTEM_OUT, NEEDED}),
    ROW(dal_study_run, {STUDY_, NEEDED}, {STUDY_OPTIONS, NEEDED}, HEARD, {OUTCOME_OUT, PASSED}),
    ROW(dal_study_note, {JOURNAL_, NEEDED}, HEARD, {NOTE_OUT, NEEDED}, {SIZE_OUT, NEEDED}),
    ROW(dal_study_open, {STUDY_, NEEDED}, {VARIED_COUNT, COUNT}, {JOURNALS_, NEEDED}, HEARD, {STUDY_READER_OUT, NEEDED}),
    ROW(dal_study_next, {STUDY_READER, NEEDED}, {STUDY_ROW, NEEDED}, {INT_OUT, PASSED}),
    ROW(dal_study_missing, {STUDY_READER, PASSED}),
    ROW(dal_study_close, {STUDY_READER, PASSED}),
    ROW(dal_study_write, {STUDY_, NEEDED}, {VARIED_COUNT, COUNT}, {JOURNALS_, NEEDED}, {STUDY_RESULT, NEEDED}, HEARD),
    ROW(dal_study_write_with, {STUDY_, NEEDED}, {VARIED_COUNT, COUNT}, {JOURNALS_, NEEDED}, {STUDY_RESULT, NEEDED}, {WRITE_OPTIONS, PASSED}, HEARD),
    ROW(dal_steady_find, MEMORY, {SPEC_, NEEDED}, {VARIED_COUNT, COUNT}, {STEADY_, NEEDED}, HEARD, {EQUILIBRIUM_OUT, NEEDED}),
    ROW(dal_equilibria_find, MEMORY, {SPEC_, NEEDED}, {VARIED_COUNT, COUNT}, {SEED_, FREE}, HEARD, {EQUILIBRIA_OUT, NEEDED}),
    ROW(dal_equilibria_free, {EQUILIBRIA_, PASSED}),
    ROW(dal_equilibria_text, {EQUILIBRIA_, NEEDED}, {DIGITS_, ANY}, PRINTED),
    ROW(dal_equilibria_json, {EQUILIBRIA_, NEEDED}, PRINTED),
    ROW(dal_response_find, MEMORY, {SPEC_, NEEDED}, {LINEAR_OPTIONS, PASSED}, {VARIED_COUNT, COUNT}, {VARIED_VALUES, NUMBERS}, HEARD,
        {RESPONSE_OUT, NEEDED}),
    ROW(dal_response_free, {RESPONSE_, PASSED}),
    ROW(dal_response_text, {RESPONSE_, NEEDED}, {DIGITS_, ANY}, PRINTED),
    ROW(dal_response_json, {RESPONSE_, NEEDED}, PRINTED),
    ROW(dal_response_csv, {RESPONSE_, NEEDED}, PRINTED),
    ROW(dal_response_svg, MEMORY, {RESPONSE_, NEEDED}, {RESPONSE_DRAWING, PASSED}, HEARD, {SVG_OUT, NEEDED}),
    ROW(dal_equilibrium_json, {EQUILIBRIUM_, NEEDED}, PRINTED),
    ROW(dal_ports_create, MEMORY, {SPEC_, NEEDED}, HEARD, {PORTS_OUT, NEEDED}),
    ROW(dal_ports_free, {PORTS_, PASSED}),
    ROW(dal_ports_text, {PORTS_, NEEDED}, PRINTED),
    ROW(dal_ports_json, {PORTS_, NEEDED}, PRINTED),
    ROW(dal_ports_svg, MEMORY, {PORTS_, NEEDED}, HEARD, {SVG_OUT, NEEDED}),
    ROW(dal_results_open, MEMORY, {RESULTS_PATH, NEEDED}, HEARD, {RESULTS_OUT, NEEDED}),
    ROW(dal_results_close, {RESULTS_, PASSED}),
    ROW(dal_results_columns, {RESULTS_, NEEDED}, {INT_OUT, PASSED}),
    ROW(dal_results_column, {RESULTS_, NEEDED}, {COLUMN_NAME, NEEDED}),
    ROW(dal_results_hash, {RESULTS_, NEEDED}),
    ROW(dal_results_incomplete, {RESULTS_, NEEDED}),
    ROW(dal_results_next, {RESULTS_, NEEDED}, {ROW_OUT, NEEDED}),
    ROW(dal_system_columns, {SYSTEM_, NEEDED}, {INT_OUT, PASSED}, {INT_OUT2, PASSED}),
    ROW(dal_run, {SYSTEM_, NEEDED}, {RUN_OPTIONS, PASSED}, HEARD, {EVIDENCE_, NEEDED}),
    ROW(dal_simulation_create, {SYSTEM_, NEEDED}, {RUN_OPTIONS, PASSED}, HEARD, {SIMULATION_OUT, NEEDED}),
    ROW(dal_simulation_free, {SIMULATION_, PASSED}),
    ROW(dal_step, {SIMULATION_, NEEDED}, {TIME_, NUMBER}),
    ROW(dal_look, {SIMULATION_, NEEDED}, {TIME_, NUMBER}),
    ROW(dal_step_fixed, {SIMULATION_, NEEDED}, {STEP_, NUMBER}, {WORK_, COUNT}),
    ROW(dal_simulation_time, {SIMULATION_, NEEDED}),
    ROW(dal_simulation_system, {SIMULATION_, NEEDED}),
    ROW(dal_simulation_values, {SIMULATION_, NEEDED}, {INT_OUT, PASSED}),
    ROW(dal_simulation_value, {SIMULATION_, NEEDED}, {COLUMN_, INDEX}),
    ROW(dal_simulation_state, {SIMULATION_, NEEDED}),
    ROW(dal_simulation_evidence, {SIMULATION_, NEEDED}, {EVIDENCE_, NEEDED}),
    ROW(dal_simulation_set_input, {SIMULATION_, NEEDED}, {INPUT_NAME, NEEDED}, {INPUT_, NUMBER}),
    ROW(dal_simulation_set_input_number, {SIMULATION_, NEEDED}, {INPUT_INDEX, INDEX}, {INPUT_, NUMBER}),
    ROW(dal_simulation_input, {SIMULATION_, NEEDED}, {INPUT_INDEX, INDEX}),
    ROW(dal_simulation_save, {SIMULATION_, NEEDED}, {SAVED_OUT, MEASURED}, {BLOB_SIZE, SIZE}),
    ROW(dal_simulation_restore, {SIMULATION_, NEEDED}, {BLOB_, NEEDED}, {BLOB_SIZE, SIZE}),
    ROW(dal_system_input, {SYSTEM_, NEEDED}, {INPUT_NAME, NEEDED}),
    ROW(dal_system_column, {SYSTEM_, NEEDED}, {COLUMN_NAME, NEEDED}),
    ROW(dal_evidence_json, {EVIDENCE_, NEEDED}, {STATUS_, MEMBER}, PRINTED),
    ROW(dal_evidence_text, {EVIDENCE_, NEEDED}, {STATUS_, MEMBER}, PRINTED),
    ROW(dal_run_files_create, {VARIED_COUNT, COUNT}, {RUN_PATHS, NEEDED}, {RUN_FILES_OPTIONS, PASSED}, HEARD, {RUN_FILES_OUT, NEEDED}),
    ROW(dal_run_files_shown, {RUN_FILES, PASSED}),
    ROW(dal_run_files_open, {RUN_FILES, NEEDED}, {SPEC_, PASSED}),
    ROW(dal_run_files_join, {RUN_FILES_OPEN, NEEDED}, {RUN_OPTIONS, NEEDED}),
    ROW(dal_run_files_close, {RUN_FILES_OPEN, NEEDED}, {STATUS_, MEMBER}, {FLAG_, FREE}, {EVIDENCE_, PASSED}),
    ROW(dal_run_files_saved, {RUN_FILES, PASSED}),
    ROW(dal_run_files_free, {RUN_FILES, PASSED}),
    ROW(dal_writer_open, MEMORY, {WRITER_PATH, NEEDED}, {FLAG_, FREE}, HEARD, {WRITER_OUT, NEEDED}),
    ROW(dal_writer_resume, MEMORY, {WRITER_PATH, NEEDED}, {FLAG_, FREE}, {WORK_, COUNT}, {STEP_, NUMBER}, HEARD, {WRITER_OUT, NEEDED}),
    ROW(dal_writer_flush, {WRITER_, NEEDED}, {FLAG_, FREE}),
    ROW(dal_writer_sink, {WRITER_, NEEDED}),
    ROW(dal_writer_close, {WRITER_, PASSED}, {FLAG_, FREE}, {EVIDENCE_, PASSED}),
    ROW(dal_writer_discard, {WRITER_, PASSED}),
    ROW(dal_spec_read, MEMORY, {MODEL_FILE, NEEDED}, {OVERRIDE_COUNT, COUNT}, {OVERRIDES_, PASSED}, HEARD, {SPEC_OUT, NEEDED}),
    ROW(dal_spec_read_with, MEMORY, {MODEL_FILE, NEEDED}, {READ_OPTIONS, PASSED}, HEARD, {SPEC_OUT, NEEDED}),
    ROW(dal_spec_parse, MEMORY, {WORD_, PASSED}, {TEXT_, NEEDED}, {LENGTH_, FREE}, {OVERRIDE_COUNT, COUNT}, {OVERRIDES_, PASSED}, HEARD,
        {SPEC_OUT, NEEDED}),
    ROW(dal_spec_clone, MEMORY, {SPEC_, NEEDED}, HEARD, {SPEC_OUT, NEEDED}),
    ROW(dal_spec_free, {SPEC_, PASSED}),
    ROW(dal_spec_key, {KEY_INDEX, INDEX}),
    ROW(dal_spec_record, {SPEC_, NEEDED}, {VARIED_COUNT, COUNT}, {VARIED_NAMES, NEEDED}, HEARD),
    ROW(dal_spec_set, {SPEC_, NEEDED}, {KEY_, NEEDED}, {SETTING_, NEEDED}, HEARD),
    ROW(dal_compile, MEMORY, {SPEC_, NEEDED}, HEARD, {SYSTEM_OUT, NEEDED}),
    ROW(dal_compile_for_evaluation, MEMORY, {SPEC_, NEEDED}, HEARD, {SYSTEM_OUT, NEEDED}),
    ROW(dal_system_vary, MEMORY, {SYSTEM_, NEEDED}, {VARIED_COUNT, COUNT}, {VARIED_NAMES, NEEDED}, {VARIED_VALUES, NUMBERS}, HEARD,
        {SYSTEM_OUT, NEEDED}),
    ROW(dal_system_free, {SYSTEM_, PASSED}),
    ROW(dal_system_describe, {SYSTEM_, NEEDED}),
    ROW(dal_system_warnings, {SYSTEM_, NEEDED}, {INT_OUT, PASSED}),
    ROW(dal_system_body, {SYSTEM_, NEEDED}, {BODY_NAME, NEEDED}),
    ROW(dal_system_joint, {SYSTEM_, NEEDED}, {JOINT_NAME, NEEDED}),
    ROW(dal_state_create, MEMORY, {SYSTEM_, NEEDED}),
    ROW(dal_state_free, {STATE_, PASSED}),
    ROW(dal_state_reset, {STATE_, NEEDED}),
    ROW(dal_state_y, {STATE_, NEEDED}),
    ROW(dal_state_time, {STATE_, NEEDED}),
    ROW(dal_state_set_time, {STATE_, NEEDED}, {TIME_, NUMBER}),
    ROW(dal_state_set_input, {STATE_, NEEDED}, {INPUT_NAME, NEEDED}, {INPUT_, NUMBER}),
    ROW(dal_state_evaluate, {STATE_, NEEDED}, HEARD),
    ROW(dal_state_body, {STATE_, NEEDED}, {BODY_, INDEX}),
    ROW(dal_state_reaction, {STATE_, NEEDED}, {JOINT_, INDEX}, {VECTOR_OUT, PASSED}, {VECTOR_OUT2, PASSED}),
    ROW(dal_state_energy, {STATE_, NEEDED}),
    ROW(dal_state_coordinates, {STATE_, NEEDED}, {INT_OUT, PASSED}),
    ROW(dal_state_velocities, {STATE_, NEEDED}, {INT_OUT, PASSED}),
    ROW(dal_state_accelerations, {STATE_, NEEDED}, {INT_OUT, PASSED}),
    ROW(dal_state_residuals, {STATE_, NEEDED}, {DOUBLE_OUT, PASSED}, {DOUBLE_OUT2, PASSED}),
    ROW(dal_list_entry, {KIND_, NEEDED}, {LIST_INDEX, INDEX}, {NAME_OUT, PASSED}, {TITLE_OUT, PASSED}),
    ROW(dal_version, {NOTHING, FREE}),
    ROW(dal_system_has_tree, {SYSTEM_, NEEDED}),
    ROW(dal_tree_coordinate, {SYSTEM_, NEEDED}, LABELLED),
    ROW(dal_tree_velocity, {SYSTEM_, NEEDED}, LABELLED),
    ROW(dal_forward_dynamics, {STATE_, NEEDED}, {Q_, NUMBERS}, {V_, NUMBERS}, {TAU_, NUMBERS_OR_NOT}, {WRENCHES_, NUMBERS_OR_NOT},
        {NUMBERS_OUT, NEEDED}),
    ROW(dal_inverse_dynamics, {STATE_, NEEDED}, {Q_, NUMBERS}, {V_, NUMBERS_OR_NOT}, {VD_, NUMBERS_OR_NOT}, {WRENCHES_, NUMBERS_OR_NOT},
        {NUMBERS_OUT, NEEDED}),
    ROW(dal_bias_forces, {STATE_, NEEDED}, {Q_, NUMBERS}, {V_, NUMBERS_OR_NOT}, {NUMBERS_OUT, NEEDED}),
    ROW(dal_gravity_forces, {STATE_, NEEDED}, {Q_, NUMBERS}, {NUMBERS_OUT, NEEDED}),
    ROW(dal_mass_matrix, {STATE_, NEEDED}, {Q_, NUMBERS}, {NUMBERS_OUT, NEEDED}),
    ROW(dal_mass_factor, {SYSTEM_, NEEDED}, {MATRIX_, NEEDED}),
    ROW(dal_mass_solve, {SYSTEM_, NEEDED}, {FACTOR_, NEEDED}, {X_, NUMBERS}),
    ROW(dal_mass_inverse, {STATE_, NEEDED}, {Q_, NUMBERS}, {NUMBERS_OUT, NEEDED}),
    ROW(dal_tree_inverse_derivatives, {STATE_, NEEDED}, {Q_, NUMBERS}, {V_, NUMBERS_OR_NOT}, {VD_, NUMBERS_OR_NOT}, {WRENCHES_, NUMBERS_OR_NOT},
        {NUMBERS_OUT, NEEDED}, {A_OUT, NEEDED}),
    ROW(dal_tree_forward_derivatives, {STATE_, NEEDED}, {Q_, NUMBERS}, {V_, NUMBERS}, {TAU_, NUMBERS_OR_NOT}, {WRENCHES_, NUMBERS_OR_NOT},
        {X_, NEEDED}, {NUMBERS_OUT, NEEDED}, {A_OUT, NEEDED}),
    ROW(dal_derivatives_describe, {SYSTEM_, NEEDED}),
    ROW(dal_forward_derivatives, {STATE_, NEEDED}, {DERIVATIVES_OUT, NEEDED}, HEARD),
    ROW(dal_inverse_derivatives, {STATE_, NEEDED}, {VD_, NUMBERS_OR_NOT}, {X_, PASSED}, {INVERSE_OUT, NEEDED}, HEARD),
    ROW(dal_parameter_derivatives, {STATE_, NEEDED}, {PARAMETER_NAME, NEEDED}, {PARAMETER_OUT, NEEDED}, HEARD),
    ROW(dal_coriolis_matrix, {STATE_, NEEDED}, {Q_, NUMBERS}, {V_, NUMBERS}, {NUMBERS_OUT, NEEDED}),
    ROW(dal_frame_motion, {STATE_, NEEDED}, {Q_, NUMBERS}, {V_, NUMBERS_OR_NOT}, {VD_, NUMBERS_OR_NOT}, {BODY_, INDEX}, {POINT_, NUMBERS},
        {MOTION_OUT, NEEDED}),
    ROW(dal_frame_jacobian, {STATE_, NEEDED}, {Q_, NUMBERS}, {BODY_, INDEX}, {POINT_, NUMBERS}, {NUMBERS_OUT, NEEDED}),
    ROW(dal_frame_jacobian_rate, {STATE_, NEEDED}, {Q_, NUMBERS}, {V_, NUMBERS}, {BODY_, INDEX}, {POINT_, NUMBERS}, {NUMBERS_OUT, NEEDED}),
    ROW(dal_centroidal_momentum, {STATE_, NEEDED}, {Q_, NUMBERS}, {V_, NUMBERS_OR_NOT}, {CENTROID_OUT, NEEDED}, {A_OUT, PASSED}),
    ROW(dal_joint_wrenches, {STATE_, NEEDED}, {Q_, NUMBERS}, {V_, NUMBERS_OR_NOT}, {VD_, NUMBERS_OR_NOT}, {WRENCHES_, NUMBERS_OR_NOT},
        {CARRIED_OUT, NEEDED}),
    ROW(dal_check, {SPEC_, NEEDED}, {CHECK_OPTIONS, PASSED}, HEARD, {VERDICT_OUT, NEEDED}),
    ROW(dal_verdict_free, {VERDICT_, PASSED}),
};
enum { N_CALLS = sizeof calls / sizeof *calls };
#undef P
#undef I

/* ---- one wrong argument at a time ---------------------------------------------------------------------------- */

/* Functions that have no answer where their only argument is NULL. */
static bool has_answer(const call *c)
{
    static const char *const without[] = {"dal_results_hash", "dal_results_incomplete", "dal_system_describe", "dal_system_warnings"};
    for (size_t i = 0; i < sizeof without / sizeof *without; i++)
        if (!strcmp(without[i], c->name))
            return false;
    return true;
}

static void call_once(const call *c, int changed, const wrong *w, char *where)
{
    value x[MOST_ARGUMENTS];
    begin_stage();
    for (int k = 0; k < MOST_ARGUMENTS && c->argument[k].source; k++)
        x[k] = good((source)c->argument[k].source);
    snprintf(where, 300, "%s, argument %d: %s", c->name, changed + 1, w ? w->text : "all good");
    if (w && w->element >= 0)
        ((double *)x[changed].p)[w->element] = w->value.d;
    else if (w)
        x[changed] = w->value;
    const answer got = c->make(x), expected = w ? w->expected : ACCEPTED;
    if (got != QUIET && expected != QUIET && got != expected && has_answer(c))
        misuse_failed(where, got == ACCEPTED ? "was accepted" : "was refused");
    end_stage();
}

static void call_all_ways(void *user, char *where)
{
    const call *c = user;
    wrong list[MOST_WRONG];
    call_once(c, -1, NULL, where);
    for (int k = 0; k < MOST_ARGUMENTS && c->argument[k].source; k++) {
        const int n = wrong_ones(c->argument[k].kind, size_of((source)c->argument[k].source), list);
        for (int i = 0; i < n; i++)
            call_once(c, k, &list[i], where);
    }
}

static void every_function_answers_every_wrong_argument(void **unused)
{
    (void)unused;
    char report[500];
    int failed = 0;
    for (int i = 0; i < N_CALLS; i++) {
        const char *trouble = in_a_child(call_all_ways, (void *)(size_t)&calls[i], report, sizeof report);
        if (trouble)
            print_error("%s\n", trouble);
        failed += trouble != NULL;
    }
    assert_int_equal(failed, 0);
}

/* ---- none is missing ------------------------------------------------------------------------------------------ */

static bool is_listed(const char *name, size_t length)
{
    for (int i = 0; i < N_CALLS; i++)
        if (strlen(calls[i].name) == length && !strncmp(calls[i].name, name, length))
            return true;
    return false;
}

/* The functions that a header declares: behind DAL_API, before the first parenthesis. */
static int look_through(const char *path)
{
    static char text[200000];
    int n = 0;
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    for (const char *p = text; (p = strstr(p, "\nDAL_API ")); n++) {
        const char *end = p += strcspn(p, "(");
        while (p[-1] == '_' || (p[-1] >= 'a' && p[-1] <= 'z') || (p[-1] >= '0' && p[-1] <= '9'))
            p--;
        if (!is_listed(p, (size_t)(end - p)))
            fail_msg("%.*s of %s is in no row of this test", (int)(end - p), p, path);
    }
    return n;
}

static void every_function_of_the_headers_is_tested(void **unused)
{
    (void)unused;
    int n = 0;
    DIR *list = opendir(DAL_HEADERS);
    assert_non_null(list);
    for (struct dirent *entry; (entry = readdir(list));) {
        char path[500];
        snprintf(path, sizeof path, DAL_HEADERS "/%s", entry->d_name);
        if (strchr(entry->d_name, '.') != entry->d_name)
            n += look_through(path);
    }
    closedir(list);
    assert_int_equal(n, N_CALLS);
}

/* ---- what options and structs hold ------------------------------------------------------------------------------ */

/* Each changes the stage, makes a call and says what was answered; all of them are refused. */
static dal_status no_function(void *user, const dal_system_info *info, int n, const dal_column *columns)
{
    (void)user, (void)info, (void)n, (void)columns;
    return DAL_OK;
}

#define WRONG_OPTION(name, ...)                                                                                                                      \
    static answer name(void)                                                                                                                         \
    {                                                                                                                                                \
        need_state();                                                                                                                                \
        dal_evidence e;                                                                                                                              \
        dal_verdict *verdict = 0;                                                                                                                    \
        dal_comparison *rows = 0;                                                                                                                    \
        char *text = NULL;                                                                                                                           \
        (void)e, (void)verdict, (void)rows, (void)text;                                                                                              \
        __VA_ARGS__;                                                                                                                                 \
    }

static const dal_allocator no_allocator;

WRONG_OPTION(run_without_memory, return of_status(dal_run(s->system, &(dal_run_options){.allocator = &no_allocator}, s->messages, &e)))
WRONG_OPTION(run_with_an_empty_sink, return of_status(dal_run(s->system, &(dal_run_options){.sink = &(dal_sink){0}}, s->messages, &e)))
WRONG_OPTION(run_with_half_a_sink,
             return of_status(dal_run(s->system, &(dal_run_options){.sink = &(dal_sink){.begin = no_function}}, s->messages, &e)))
WRONG_OPTION(run_into_a_state_of_another_system, dal_system *other; must(dal_compile(NULL, s->spec, NULL, &other) == DAL_OK, "another system");
             dal_state *state = dal_state_create(NULL, other);
             answer a = of_status(dal_run(s->system, &(dal_run_options){.final = state}, s->messages, &e)); dal_state_free(state);
             dal_system_free(other); return a)
WRONG_OPTION(check_without_memory, return of_status(dal_check(s->spec, &(dal_check_options){.allocator = &no_allocator}, NULL, &verdict)))
WRONG_OPTION(compare_without_memory, return of_status(dal_compare(s->spec, &(dal_compare_options){.allocator = &no_allocator}, NULL, &rows)))
WRONG_OPTION(compare_fewer_than_none, return of_status(dal_compare(s->spec, &(dal_compare_options){.n_formulations = -3}, NULL, &rows)))
WRONG_OPTION(compare_two_that_are_not_there, return of_status(dal_compare(s->spec, &(dal_compare_options){.n_coordinates = 2}, NULL, &rows)))
WRONG_OPTION(compare_one_without_a_name, s->word[0] = NULL; return of_status(dal_compare(s->spec, &s->compare_options, NULL, &rows)))
WRONG_OPTION(page_without_memory, s->page_options.allocator = &no_allocator;
             return of_status(dal_page_open(s->page_path, s->spec, s->system, &s->page_options, NULL, &s->page)))
WRONG_OPTION(page_of_another_model, dal_spec *other;
             must(dal_spec_read(NULL, DAL_MODELS "/four-bar.yaml", 0, NULL, NULL, &other) == DAL_OK, "a model");
             answer a = of_status(dal_page_open(s->page_path, other, s->system, &s->page_options, NULL, &s->page)); dal_spec_free(other); return a)
WRONG_OPTION(series_with_fewer_than_no_columns, return of_status(dal_page_series(need_page(), &(dal_series_options){.n_columns = -1}, &s->series)))
WRONG_OPTION(series_with_columns_that_are_not_there,
             return of_status(dal_page_series(need_page(), &(dal_series_options){.n_columns = 5}, &s->series)))
WRONG_OPTION(series_with_a_column_without_a_name, const dal_column c = {NULL, "m"};
             return of_status(dal_page_series(need_page(), &(dal_series_options){.n_columns = 1, .columns = &c}, &s->series)))
WRONG_OPTION(series_with_fewer_than_no_frames,
             return of_status(dal_page_series(need_page(), &(dal_series_options){.system = s->system, .most_frames = -1}, &s->series)))
WRONG_OPTION(series_row_without_values, return of_status(dal_series_add(need_series(), &(dal_series_row){0})))
WRONG_OPTION(frame_of_another_length, return of_status(dal_series_frame(need_series(), s->state, 1, s->row)))
WRONG_OPTION(plot_of_fewer_than_none, s->plot_options.n_channels = -1;
             return of_status(dal_plot_svg(NULL, s->results_path, &s->plot_options, NULL, &text)))
WRONG_OPTION(plot_of_too_many, s->plot_options.n_channels = INT_MAX;
             return of_status(dal_plot_svg(NULL, s->results_path, &s->plot_options, NULL, &text)))
WRONG_OPTION(plot_of_nothing, s->plot_options.channels = NULL; return of_status(dal_plot_svg(NULL, s->results_path, &s->plot_options, NULL, &text)))
WRONG_OPTION(plot_of_a_channel_without_a_name, s->channel[0] = NULL;
             return of_status(dal_plot_svg(NULL, s->results_path, &s->plot_options, NULL, &text)))
WRONG_OPTION(plot_of_a_negative_width, s->plot_options.width = INT_MIN;
             return of_status(dal_plot_svg(NULL, s->results_path, &s->plot_options, NULL, &text)))
WRONG_OPTION(plot_of_a_huge_height, s->plot_options.height = INT_MAX;
             return of_status(dal_plot_svg(NULL, s->results_path, &s->plot_options, NULL, &text)))
WRONG_OPTION(snapshots_at_times_that_are_not_there, s->snapshot_options.n_times = 3;
             return of_status(dal_snapshots_svg(NULL, s->results_path, s->spec, s->system, &s->snapshot_options, NULL, &text)))
WRONG_OPTION(snapshots_at_no_time, const double t = NAN; s->snapshot_options = (dal_snapshot_options){.n_times = 1, .times = &t};
             return of_status(dal_snapshots_svg(NULL, s->results_path, s->spec, s->system, &s->snapshot_options, NULL, &text)))
WRONG_OPTION(fewer_than_no_snapshots, s->snapshot_options.count = -1;
             return of_status(dal_snapshots_svg(NULL, s->results_path, s->spec, s->system, &s->snapshot_options, NULL, &text)))
WRONG_OPTION(override_without_a_name, s->override[0].name = NULL; dal_spec * spec;
             return of_spec(dal_spec_parse(NULL, "m", model, sizeof model - 1, 1, s->override, NULL, &spec), &spec))
WRONG_OPTION(override_without_a_value, s->override[0].value = NULL; dal_spec * spec;
             return of_spec(dal_spec_read(NULL, s->model_path, 1, s->override, NULL, &spec), &spec))
WRONG_OPTION(overrides_that_are_not_there, s->read_options.n_overrides = 2; dal_spec * spec;
             return of_spec(dal_spec_read_with(NULL, s->model_path, &s->read_options, NULL, &spec), &spec))
WRONG_OPTION(given_without_a_name, s->given[0].name = NULL; return of_status(dal_state_assign(s->state, 1, s->given, NULL, NULL)))
WRONG_OPTION(given_as_no_number, s->given[0].value = INFINITY; return of_status(dal_state_assign(s->state, 1, s->given, NULL, NULL)))
WRONG_OPTION(instant_of_another_size, need_instant()->nq = 1000;
             return of_status(dal_evaluate(NULL, s->state, s->instant, NULL, NULL, &s->evaluation)))
WRONG_OPTION(instant_of_a_negative_size, need_instant()->nv = -7;
             return of_status(dal_evaluate(NULL, s->state, s->instant, NULL, NULL, &s->evaluation)))
WRONG_OPTION(linear_states_without_names,
             return of_status(dal_linearize(NULL, s->spec, &(dal_linear_options){.n_states = 1}, NULL, &s->linearization)))
WRONG_OPTION(linear_input_that_is_not_there,
             return of_status(dal_linearize(NULL, s->spec, &(dal_linear_options){.n_inputs = 1, .inputs = s->channel}, NULL, &s->linearization)))
WRONG_OPTION(instant_without_q, need_instant()->q = NULL; return of_status(dal_evaluate(NULL, s->state, s->instant, NULL, NULL, &s->evaluation)))
WRONG_OPTION(instant_without_wanted, need_instant()->wanted = NULL;
             return of_status(dal_evaluate(NULL, s->state, s->instant, &(dal_evaluation_options){.inverse = true}, NULL, &s->evaluation)))
WRONG_OPTION(instant_with_an_infinite_force, need_instant()->forces[NV - 1] = INFINITY;
             return of_status(dal_evaluate(NULL, s->state, s->instant, NULL, NULL, &s->evaluation)))
WRONG_OPTION(instant_at_no_time, need_instant()->time = NAN; return of_status(dal_evaluate(NULL, s->state, s->instant, NULL, NULL, &s->evaluation)))
WRONG_OPTION(y_that_is_no_number, dal_state_y(s->state)[NQ + NV - 1] = NAN; return of_status(dal_state_evaluate(s->state, NULL)))
WRONG_OPTION(y_too_large_for_an_energy, dal_state_y(s->state)[NQ] = 1e300; return of_status(dal_state_evaluate(s->state, NULL)))
WRONG_OPTION(time_that_is_no_number, dal_state_set_time(s->state, NAN); return of_status(dal_state_evaluate(s->state, NULL)))
WRONG_OPTION(unknown_input, return of_bool(dal_state_set_input(s->state, "pull", 1)))
WRONG_OPTION(velocity_too_large_for_an_acceleration, s->v[0] = 1e200;
             return of_status(dal_forward_dynamics(s->state, s->q, s->v, NULL, NULL, s->out)))
WRONG_OPTION(mass_matrix_with_nan, s->matrix[NV] = NAN; return of_status(dal_mass_factor(s->system, s->matrix)))
WRONG_OPTION(message_without_a_text, const dal_message m = {.severity = DAL_ERROR};
             return of_length(dal_message_format(&m, s->buffer, sizeof s->buffer)))
WRONG_OPTION(message_of_no_severity, const dal_message m = {.severity = (dal_severity)77, .text = "x"};
             return of_length(dal_message_format(&m, s->buffer, sizeof s->buffer)))
WRONG_OPTION(no_such_list, return of_bool(dal_list_entry("planet", 0, NULL, NULL)))
WRONG_OPTION(no_such_setting, return of_bool(dal_spec_set(s->spec, "stepp", "1", NULL)))
WRONG_OPTION(spec_without_memory, dal_spec by_hand = *s->spec; by_hand.memory = NULL; return of_bool(dal_spec_set(&by_hand, "step", "1", NULL)))
WRONG_OPTION(text_shorter_than_its_length, dal_spec *spec; return of_spec(dal_spec_parse(NULL, "m", NULL, 10, 0, NULL, NULL, &spec), &spec))

#undef WRONG_OPTION
#define LINE(name)                                                                                                                                   \
    {                                                                                                                                                \
#name, name                                                                                                                                  \
    }
static const struct wrong_option {
    const char *name;
    answer (*make)(void);
} wrong_options[] = {LINE(run_without_memory),
                     LINE(run_with_an_empty_sink),
                     LINE(run_with_half_a_sink),
                     LINE(run_into_a_state_of_another_system),
                     LINE(check_without_memory),
                     LINE(compare_without_memory),
                     LINE(compare_fewer_than_none),
                     LINE(compare_two_that_are_not_there),
                     LINE(compare_one_without_a_name),
                     LINE(page_without_memory),
                     LINE(page_of_another_model),
                     LINE(series_with_fewer_than_no_columns),
                     LINE(series_with_columns_that_are_not_there),
                     LINE(series_with_a_column_without_a_name),
                     LINE(series_with_fewer_than_no_frames),
                     LINE(series_row_without_values),
                     LINE(frame_of_another_length),
                     LINE(plot_of_fewer_than_none),
                     LINE(plot_of_too_many),
                     LINE(plot_of_nothing),
                     LINE(plot_of_a_channel_without_a_name),
                     LINE(plot_of_a_negative_width),
                     LINE(plot_of_a_huge_height),
                     LINE(snapshots_at_times_that_are_not_there),
                     LINE(snapshots_at_no_time),
                     LINE(fewer_than_no_snapshots),
                     LINE(override_without_a_name),
                     LINE(override_without_a_value),
                     LINE(overrides_that_are_not_there),
                     LINE(given_without_a_name),
                     LINE(given_as_no_number),
                     LINE(instant_of_another_size),
                     LINE(instant_of_a_negative_size),
                     LINE(linear_states_without_names),
                     LINE(linear_input_that_is_not_there),
                     LINE(instant_without_q),
                     LINE(instant_without_wanted),
                     LINE(instant_with_an_infinite_force),
                     LINE(instant_at_no_time),
                     LINE(y_that_is_no_number),
                     LINE(y_too_large_for_an_energy),
                     LINE(time_that_is_no_number),
                     LINE(unknown_input),
                     LINE(velocity_too_large_for_an_acceleration),
                     LINE(mass_matrix_with_nan),
                     LINE(message_without_a_text),
                     LINE(message_of_no_severity),
                     LINE(no_such_list),
                     LINE(no_such_setting),
                     LINE(spec_without_memory),
                     LINE(text_shorter_than_its_length)};
enum { N_WRONG_OPTIONS = sizeof wrong_options / sizeof *wrong_options };
#undef LINE

static void make_wrong_option(void *user, char *where)
{
    const struct wrong_option *o = user;
    snprintf(where, 300, "%s", o->name);
    begin_stage();
    if (o->make() != REFUSED)
        misuse_failed(where, "was accepted");
    end_stage();
}

static void what_options_and_structs_hold_is_looked_at(void **unused)
{
    (void)unused;
    char report[500];
    int failed = 0;
    for (int i = 0; i < N_WRONG_OPTIONS; i++) {
        const char *trouble = in_a_child(make_wrong_option, (void *)(size_t)&wrong_options[i], report, sizeof report);
        if (trouble)
            print_error("%s\n", trouble);
        failed += trouble != NULL;
    }
    assert_int_equal(failed, 0);
}

/* A message names the function and the argument. */
static void messages_name_what_is_wrong(void **unused)
{
    (void)unused;
    begin_stage();
    need_system();
    dal_messages_clear(s->messages);
    dal_evidence evidence;
    dal_run(NULL, NULL, s->messages, &evidence);
    dal_compile(&no_allocator, s->spec, s->messages, &(dal_system *){NULL});
    dal_spec_read(NULL, s->model_path, -5, NULL, s->messages, &(dal_spec *){NULL});
    const dal_message *m = dal_messages_first(s->messages);
    assert_string_equal(m->text, "dal_run: 'system' is NULL");
    assert_string_equal(m->next->text, "dal_compile: the allocator has no function 'allocate' (NULL)");
    assert_string_equal(m->next->next->text, "dal_spec_read: the number of 'overrides' is -5, and cannot be negative");
    end_stage();
}

/* ---- what was not computed cannot be read ------------------------------------------------------------------------ */

static void check_unread(dal_state *state)
{
    double force[3] = {1, 2, 3}, torque[3] = {1, 2, 3}, position = 1, velocity = 1;
    assert_true(isnan(dal_state_body(state, 0).position[0]));
    assert_true(isnan(dal_state_energy(state).kinetic));
    assert_false(dal_state_reaction(state, 0, force, torque));
    assert_false(dal_state_residuals(state, &position, &velocity));
    assert_true(isnan(force[0]) && isnan(torque[2]) && isnan(position) && isnan(velocity));
}

static void nothing_is_read_from_a_state_before_it_is_evaluated(void **unused)
{
    (void)unused;
    begin_stage();
    need_system();
    s->state = dal_state_create(NULL, s->system);
    check_unread(s->state);
    assert_int_equal(dal_state_evaluate(s->state, NULL), DAL_OK);
    assert_true(isfinite(dal_state_body(s->state, 0).acceleration[1]));
    assert_true(isfinite(dal_state_energy(s->state).potential));
    dal_state_reset(s->state);
    check_unread(s->state);
    dal_state_y(s->state)[0] = NAN;
    assert_int_equal(dal_state_evaluate(s->state, NULL), DAL_NUMERICAL);
    check_unread(s->state);
    dal_state_reset(s->state);
    assert_int_equal(dal_state_assign(s->state, 1, s->given, NULL, NULL), DAL_OK);
    check_unread(s->state);
    end_stage();
}

/* A name that is cut is another name. */
static void labels_that_do_not_fit_are_refused(void **unused)
{
    (void)unused;
    begin_stage();
    need_system();
    char text[100];
    assert_true(dal_coordinate_label(s->system, 0, text, sizeof text));
    const size_t length = strlen(text);
    bool (*const label[])(const dal_system *, int, char *, size_t) = {dal_coordinate_label, dal_rate_label, dal_tree_coordinate, dal_tree_velocity};
    for (size_t i = 0; i < sizeof label / sizeof *label; i++) {
        assert_true(label[i](s->system, 0, text, length + 1));
        assert_false(label[i](s->system, 0, text, length));
        assert_false(label[i](s->system, 0, text, 1));
    }
    end_stage();
}

/* ---- lifetimes ------------------------------------------------------------------------------------------------------- */

static void use_a_state_of_a_freed_system(void *user, char *where)
{
    const int which = *(int *)user;
    dal_instant *instant;
    double y[NQ] = {0}, v[NV] = {0}, out[NV * NV], force[3], torque[3];
    begin_stage();
    need_state();
    need_instant();
    dal_system_free(s->system);
    s->system = NULL;
    snprintf(where, 300, "use %d of a state whose system was freed", which);
    bool refused = true;
    switch (which) {
    case 0: refused = dal_state_evaluate(s->state, s->messages) == DAL_BAD_COMMAND; break;
    case 1: refused = dal_forward_dynamics(s->state, y, v, NULL, NULL, out) == DAL_BAD_COMMAND; break;
    case 2: refused = isnan(dal_state_body(s->state, 0).position[0]); break;
    case 3: refused = !dal_state_reaction(s->state, 0, force, torque); break;
    case 4: refused = !dal_state_y(s->state); break;
    case 5: refused = !dal_state_reset(s->state); break;
    case 6: refused = dal_evaluate(NULL, s->state, s->instant, NULL, s->messages, &s->evaluation) == DAL_BAD_COMMAND; break;
    case 7: refused = dal_instant_random(NULL, s->state, 1, s->messages, &instant) == DAL_BAD_COMMAND; break;
    case 8: refused = dal_equations_create(NULL, s->state, s->messages, &s->equations) == DAL_BAD_COMMAND; break;
    case 9: refused = !dal_state_set_input(s->state, "push", 1); break;
    case 10: refused = dal_state_assign(s->state, 1, s->given, s->messages, NULL) == DAL_BAD_COMMAND; break;
    default: break; /* it may be freed */
    }
    if (!refused)
        misuse_failed(where, "was accepted");
    end_stage();
}

/* An assertion where there are such; otherwise an answer. Freed in this order they do no harm. */
static void a_state_is_not_used_after_its_system_was_freed(void **unused)
{
    (void)unused;
    char report[500] = "";
    const int uses = 11;
    for (int i = 0; i <= uses; i++) {
#if defined(CHECK_WATCHED) || !defined(NDEBUG)
        if (i < uses) {
            fflush(NULL);
            const pid_t child = fork();
            assert_true(child >= 0);
            if (!child) {
                char where[400];
                leave_cmocka();
                if (!freopen("/dev/null", "w", stderr))
                    _exit(4);
                use_a_state_of_a_freed_system(&i, where);
                _exit(0);
            }
            int status = 0;
            waitpid(child, &status, 0);
            if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGABRT)
                fail_msg("use %d of a state whose system was freed: no assertion", i);
            continue;
        }
#endif
        if (in_a_child(use_a_state_of_a_freed_system, &i, report, sizeof report))
            fail_msg("%s", report);
    }
}

/* ---- files that calls work on ------------------------------------------------------------------------------------------- */

static int begin_folder(void **unused)
{
    (void)unused;
    if (!mkdtemp(folder))
        return -1;
    begin_stage();
    write_file(s->model_path, model);
    write_file(s->study_path, study_text);
    write_file(s->state_path, "{\"q\": [0.1, 0.2]}\n");
    if (dal_spec_parse(NULL, "m", model, sizeof model - 1, 0, NULL, s->messages, &s->spec) != DAL_OK)
        return -1;
    dal_spec_record_motion(s->spec);
    need_system();
    dal_writer *writer;
    if (dal_writer_open(NULL, s->results_path, true, s->messages, &writer) != DAL_OK)
        return -1;
    const dal_run_options options = {.sink = dal_writer_sink(writer)};
    const dal_status status = dal_run(s->system, &options, s->messages, &s->evidence);
    const bool fine = dal_writer_close(writer, true, &s->evidence) == DAL_OK && status == DAL_OK;
    end_stage();
    return fine ? 0 : -1;
}

static int end_folder(void **unused)
{
    (void)unused;
    DIR *list = opendir(folder);
    for (struct dirent *entry; (entry = readdir(list));)
        unlinkat(dirfd(list), entry->d_name, 0);
    closedir(list);
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_function_of_the_headers_is_tested),
        cmocka_unit_test(every_function_answers_every_wrong_argument),
        cmocka_unit_test(what_options_and_structs_hold_is_looked_at),
        cmocka_unit_test(messages_name_what_is_wrong),
        cmocka_unit_test(nothing_is_read_from_a_state_before_it_is_evaluated),
        cmocka_unit_test(labels_that_do_not_fit_are_refused),
        cmocka_unit_test(a_state_is_not_used_after_its_system_was_freed),
    };
    return cmocka_run_group_tests(tests, begin_folder, end_folder);
}
