/* A wrong term on purpose, one a formulation: the proof that the tests of their agreement see it.
 *
 * Built with DAL_MUTATE_KANE=1 (cmake -DDAL_MUTATE=kane), the term that kane.c wraps is too large by a thousandth; without it
 * the macro is the term itself.
 */
#ifndef DAL_DYNAMICS_MUTATE_H
#define DAL_DYNAMICS_MUTATE_H

#ifndef DAL_MUTATE_LAGRANGE
#define DAL_MUTATE_LAGRANGE 0
#endif
#ifndef DAL_MUTATE_UDWADIA_KALABA
#define DAL_MUTATE_UDWADIA_KALABA 0
#endif
#ifndef DAL_MUTATE_UDWADIA_PHOHOMSIRI
#define DAL_MUTATE_UDWADIA_PHOHOMSIRI 0
#endif
#ifndef DAL_MUTATE_MAGGI
#define DAL_MUTATE_MAGGI 0
#endif
#ifndef DAL_MUTATE_KANE
#define DAL_MUTATE_KANE 0
#endif
#ifndef DAL_MUTATE_GIBBS_APPELL
#define DAL_MUTATE_GIBBS_APPELL 0
#endif
#ifndef DAL_MUTATE_BOLTZMANN_HAMEL
#define DAL_MUTATE_BOLTZMANN_HAMEL 0
#endif
#ifndef DAL_MUTATE_VOLTERRA
#define DAL_MUTATE_VOLTERRA 0
#endif
#ifndef DAL_MUTATE_VOLTERRA_REDUCED
#define DAL_MUTATE_VOLTERRA_REDUCED 0
#endif
#ifndef DAL_MUTATE_ROUTH
#define DAL_MUTATE_ROUTH 0
#endif
#ifndef DAL_MUTATE_RECURSIVE
#define DAL_MUTATE_RECURSIVE 0
#endif
#ifndef DAL_MUTATE_COMPONENT
#define DAL_MUTATE_COMPONENT 0
#endif

#define DAL_MUTATED(FORMULATION, term) (DAL_MUTATE_##FORMULATION ? (1 + 1e-3) * (term) : (term))

#endif
