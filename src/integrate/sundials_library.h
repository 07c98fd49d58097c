/* The calls of SUNDIALS that are used, found in its shared libraries when a run begins. CVODE and IDA each bring their own copy of the
 * vectors, matrices and linear solvers. */
#ifndef DAL_INTEGRATE_SUNDIALS_LIBRARY_H
#define DAL_INTEGRATE_SUNDIALS_LIBRARY_H

#include <cvode/cvode.h>
#include <cvode/cvode_ls.h>
#include <cvode/cvode_proj.h>
#include <ida/ida.h>
#include <ida/ida_ls.h>
#include <nvector/nvector_serial.h>
#include <stdbool.h>
#include <stddef.h>
#include <sundials/sundials_version.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunlinsol/sunlinsol_spgmr.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>
#include <sunnonlinsol/sunnonlinsol_newton.h>

/* clang-format off */
#define DAL_SUNDIALS_CALLS(X)                                                                              \
    X(SUNDIALSGetVersionNumber) X(SUNContext_Create) X(SUNContext_Free) X(N_VNew_Serial) X(N_VDestroy)     \
    X(SUNDenseMatrix) X(SUNMatNewEmpty) X(SUNMatFreeEmpty) X(SUNMatDestroy)                                \
    X(SUNLinSol_SPGMR) X(SUNLinSolNewEmpty) X(SUNLinSolFreeEmpty) X(SUNLinSolFree)      \
    X(SUNNonlinSol_FixedPoint) X(SUNNonlinSol_Newton) X(SUNNonlinSolSetConvTestFn)                         \
    X(SUNNonlinSolGetCurIter) X(SUNNonlinSolFree)

#define DAL_CVODE_CALLS(X)                                                                                 \
    X(CVodeCreate) X(CVodeInit) X(CVodeReInit) X(CVodeFree) X(CVode) X(CVodeGetDky)                        \
    X(CVodeSetErrHandlerFn) X(CVodeSetUserData) X(CVodeWFtolerances) X(CVodeSetNonlinearSolver)            \
    X(CVodeSetLinearSolver) X(CVodeSetJacFn) X(CVodeSetProjFn) X(CVodeSetProjErrEst)                       \
    X(CVodeSetMaxErrTestFails) X(CVodeSetMaxConvFails) X(CVodeSetMaxNumProjFails)                          \
    X(CVodeSetMinStep) X(CVodeSetMaxStep) X(CVodeSetInitStep) X(CVodeSetStopTime)                          \
    X(CVodeGetCurrentStep) X(CVodeGetNumErrTestFails) X(CVodeGetNumStepSolveFails)

#define DAL_IDA_CALLS(X)                                                                                   \
    X(IDACreate) X(IDAInit) X(IDAReInit) X(IDAFree) X(IDASolve) X(IDAGetDky)                               \
    X(IDASetErrHandlerFn) X(IDASetUserData) X(IDAWFtolerances) X(IDASetLinearSolver) X(IDASetJacFn)        \
    X(IDASetNonlinearSolver)                                                                               \
    X(IDASetId) X(IDASetSuppressAlg) X(IDASetMaxErrTestFails) X(IDASetMaxConvFails)                        \
    X(IDASetMinStep) X(IDASetMaxStep) X(IDASetInitStep) X(IDASetStopTime)                                  \
    X(IDAGetCurrentStep) X(IDAGetNumErrTestFails) X(IDAGetNumStepSolveFails)
/* clang-format on */

typedef struct dal_sundials_library {
    void *handle;
#define X(name) __typeof__(&name) name;
    DAL_SUNDIALS_CALLS(X)
    DAL_CVODE_CALLS(X)
    DAL_IDA_CALLS(X)
#undef X
} dal_sundials_library;

/* Fill the common calls and those of CVODE or IDA; the others stay as they are. False with a sentence in `why` if the library is not
 * there or is another one. */
bool dal_cvode_load(dal_sundials_library *library, char *why, size_t size);
bool dal_ida_load(dal_sundials_library *library, char *why, size_t size);

#endif
