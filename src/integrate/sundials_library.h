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

/* CVode... and IDA... have the same arguments: whichever package is loaded is called by these names. */
#define DAL_PACKAGE_CALLS(X)                                                                               \
    X(Free) X(GetDky) X(SetErrHandlerFn) X(SetUserData) X(WFtolerances)                                    \
    X(SetLinearSolver) X(SetNonlinearSolver) X(SetMaxErrTestFails) X(SetMaxConvFails)                      \
    X(SetMinStep) X(SetMaxStep) X(SetInitStep) X(SetStopTime)                                              \
    X(GetCurrentStep) X(GetNumErrTestFails) X(GetNumStepSolveFails)

#define DAL_CVODE_CALLS(X)                                                                                 \
    X(CVodeCreate) X(CVodeInit) X(CVodeReInit) X(CVode) X(CVodeSetJacFn) X(CVodeSetJacTimes)               \
    X(CVodeSetProjFn) X(CVodeSetProjErrEst) X(CVodeSetMaxNumProjFails)

#define DAL_IDA_CALLS(X)                                                                                   \
    X(IDACreate) X(IDAInit) X(IDAReInit) X(IDASolve) X(IDASetJacFn) X(IDASetJacTimes) X(IDASetId) X(IDASetSuppressAlg)
/* clang-format on */

typedef struct dal_sundials_library {
    void *handle;
#define X(name) __typeof__(&name) name;
    DAL_SUNDIALS_CALLS(X)
    DAL_CVODE_CALLS(X)
    DAL_IDA_CALLS(X)
#undef X
#define X(name) __typeof__(&CVode##name) name;
    DAL_PACKAGE_CALLS(X)
#undef X
} dal_sundials_library;

/* Load the common calls and those of CVODE or IDA; the others stay as they are. False with a sentence in `why` if the library is not
 * there or is another one. */
bool dal_cvode_load(dal_sundials_library *library, char *why, size_t size);
bool dal_ida_load(dal_sundials_library *library, char *why, size_t size);

#endif
