/* The kinds of warnings. A warning is data: a code for programs, one number (a size), a place and a sentence.
 *
 * A line a code: its name in C, its name for users, and when it is given with what its number means. `dalembert list warnings` prints it.
 */
#ifndef DAL_BASE_CODE_H
#define DAL_BASE_CODE_H

#define DAL_CODES(X)                                                                                                                                 \
    /* what a file says */                                                                                                                           \
    X(NOT_USED, "not-used", "the file has an entry that this program does not use")                                                                  \
    X(LIMITS_EMPTY, "limits-empty", "a joint's limits leave no room; the number is upper minus lower")                                               \
    X(QUOTES, "quotes", "an expression in single quotes has lost its primes")                                                                        \
    X(FREE_LINK, "free-link", "the link of a floating joint has its coordinates in world axes")                                                      \
    X(INERTIA_MISSING, "inertia-missing", "a body with a mass has no moments of inertia")                                                            \
    X(INERTIA_TRIANGLE, "inertia-triangle", "no body has these moments of inertia; the number is the excess over the largest moment")                \
    X(NORMALISED, "normalised", "a quaternion or an axis was normalised; the number is its length")                                                  \
    X(MISSING_PRIME, "missing-prime", "a part of a velocity constraint has no rate in it")                                                           \
    X(UNITS, "units", "a sum, a difference or a comparison of quantities with different units")                                                      \
    X(OTHER_MODEL, "other-model", "the results were made from another version of the model")                                                         \
    X(INCOMPLETE, "incomplete", "results are those of a run that did not reach its end, or failed there")                                            \
    X(NOT_CONVERTED, "not-converted", "the other format cannot hold this")                                                                           \
    X(NOT_COMPENSATED, "not-compensated",                                                                                                            \
      "a computed torque does not know a force or the friction of a joint: the wanted accelerations are not met")                                    \
    /* the start */                                                                                                                                  \
    X(AXIS_TURNED, "axis-turned", "an axis was taken from start values, and assembly then turned it; the number is the angle, rad")                  \
    X(LIMIT_WITHOUT_MEANING, "limit-without-meaning",                                                                                                \
      "a joint's limit is infinite, or beyond anything that a robot reaches; the number is the limit")                                               \
    X(MIMIC_FIXED, "mimic-fixed", "a joint that mimics is fixed, or mimics a fixed one; the number is the value that it keeps")                      \
    X(INERTIA_NEGATIVE, "inertia-negative",                                                                                                          \
      "a principal moment of inertia is negative, and is taken as zero or used as written, as the sentence says; the number is the moment")          \
    X(START_RATE_CHANGED, "start-rate-changed", "a given start velocity or rate was changed; the number is by how much, m/s or rad/s")               \
    X(START_MOVED, "start-moved", "assembly moved a given start value far; the number is the turn, rad, or the shift in lengths of the model")       \
    X(UNDETERMINED, "undetermined", "accelerations are not determined; the number is how many")                                                      \
    X(SINGULAR_JOINT, "singular-joint", "a joint type starts in a singular position; the number is how many freedoms it takes less there")           \
    X(DEPENDENT_EQUATIONS, "dependent-equations", "the equations of a joint type depend on one another; the number is how many are too many")        \
    X(STEP_TOO_LONG_AT_START, "step-too-long-at-start",                                                                                              \
      "a fixed step is too long for the motion at the start; the number is the longest that is not, s")                                              \
    X(STIFF, "stiff", "an adaptive method will need very many steps; the number is how many")                                                        \
    X(TOLERANCE_COARSE, "tolerance-coarse",                                                                                                          \
      "what a force spans is small against the absolute tolerance of lengths; the number is the tolerance over it")                                  \
    X(UNLIKE_BODIES, "unlike-bodies", "masses, inertias or sizes differ widely; the number is the ratio")                                            \
    X(FAR_FROM_ORIGIN, "far-from-origin",                                                                                                            \
      "a place or an angle is so large that its rounding shows; the number is the rounding in lengths of the model, or rad")                         \
    X(SINGULAR_START, "singular-start", "the start is a singular position; the number is how many freedoms exist only there")                        \
    X(NEAR_SINGULAR_START, "near-singular-start",                                                                                                    \
      "a singular position is near the start; the number is the smallest singular value over the largest")                                           \
    X(REDUNDANT, "redundant", "joints have too many rows, and their reactions are not unique; the number is how many rows")                          \
    X(NEARLY_REDUNDANT, "nearly-redundant", "rows almost depend on one another; the number is the relative difference")                              \
    X(CONTRADICTION, "contradiction", "dependent rows ask for different motions; the number is by how much, relative")                               \
    X(TOO_LARGE, "too-large", "the model is too large for a part of the check; the number is how many velocities it has")                            \
    X(SINGULAR_ALONG, "singular-along", "the motion meets or nears a singular position; the number is the time, s")                                  \
    X(REDUNDANT_ALONG, "redundant-along", "other rows become redundant along the motion; the number is the time, s")                                 \
    /* one state */                                                                                                                                  \
    X(OFF_CONSTRAINTS, "off-constraints", "the state does not meet the constraints; the number is the largest residual")                             \
    X(RATES_MOVED, "rates-moved", "rates were moved to meet the constraints; the number is the largest change")                                      \
    X(ACCELERATIONS_MOVED, "accelerations-moved", "wanted accelerations were moved; the number is the largest change")                               \
    /* a run */                                                                                                                                      \
    X(STOPPED, "stopped", "the run was stopped from outside; the number is the time, s")                                                             \
    X(STEP_TOO_LONG, "step-too-long", "a fixed step is not stable; the number is |lambda| h")                                                        \
    X(BALANCE_DRIFT, "balance-drift", "the energy balance drifted; the number is by how much, relative to the energy that moved")                    \
    X(JOINTS_OPEN, "joints-open",                                                                                                                    \
      "the constraints opened; the number is the largest residual, m or rad, of a constraint on velocities in its own unit")                         \
    X(FRICTION_NOT_UNIQUE, "friction-not-unique", "friction follows a reaction that is not unique")                                                  \
    X(SPEEDS_SINGULAR, "speeds-singular", "the speeds of the model hardly determine the velocities; the number is the condition")                    \
    X(SWITCH_MISSED, "switch-missed", "a switch changed twice within one step; the number is the time, s")                                           \
    X(STATE_OF_RUN, "state-of-run", "a program tried to change the state of a run from its callbacks; the number is how often")                      \
    X(INPUT_NOT_USED, "input-not-used", "an input was set where a run does not look; the number is the value that it was set to")                    \
    X(ACCELERATIONS_INEXACT, "accelerations-inexact",                                                                                                \
      "unlike inertias make the accelerations less exact than rtol; the number is their error, relative")                                            \
    X(NO_DIRECTION, "no-direction", "a force acts along a line through two points that coincide; the number is the force, N")                        \
    X(POINTS_MET, "points-met", "two points met whose force has no direction there; the number is the time, s")                                      \
    X(LIMIT_LEFT, "limit-left", "a joint leaves the limits of its file, which nothing enforces; the number is by how much, m or rad")

#define X(name, code, title) DAL_CODE_##name,
typedef enum dal_code { DAL_NO_CODE, DAL_CODES(X) DAL_CODE_COUNT } dal_code;
#undef X

/* "energy-balance"; NULL for DAL_NO_CODE. */
const char *dal_code_name(dal_code code);
/* When it is issued, and what its number means; NULL for DAL_NO_CODE. */
const char *dal_code_title(dal_code code);

#endif
