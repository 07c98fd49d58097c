/* Everything of Dalembert in one include. */
#ifndef DALEMBERT_H
#define DALEMBERT_H

#include "dalembert/base.h"
#include "dalembert/compare.h"
#include "dalembert/convert.h"
#include "dalembert/derive.h"
#include "dalembert/derivatives.h"
#include "dalembert/equations.h"
#include "dalembert/evaluation.h"
#include "dalembert/generate.h"
#include "dalembert/linear.h"
#include "dalembert/page.h"
#include "dalembert/ports.h"
#include "dalembert/picture.h"
#include "dalembert/results.h"
#include "dalembert/rollout.h"
#include "dalembert/run.h"
#include "dalembert/run_files.h"
#include "dalembert/simulation.h"
#include "dalembert/spec.h"
#include "dalembert/study.h"
#include "dalembert/system.h"
#include "dalembert/tree.h"
#include "dalembert/verdict.h"

#endif
