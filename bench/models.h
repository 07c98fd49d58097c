/* The models of the benchmarks: what they are made of, and the same as text for each reader.
 *
 * Trees. At q = 0 the axes of every body are parallel to those of its parent and its origin lies at `offset` (in the parent); a
 * revolute joint turns it about its own x, y or z axis through that origin. A free body has q = place, quaternion (w first); v = velocity
 * of the origin in world axes, angular velocity in body axes; tau is dual to v. Gravity is (0, 0, -9.81); units are SI.
 *
 * N four-bar linkages (IFToMM A02). In the plane, gravity (0, -9.81): N + 1 cranks on pivots at (i, 0), joined at their ends by N
 * couplers; every rod is uniform, 1 m long and 1 kg. The tree has crank i on the ground and coupler i at the end of crank i; the end of
 * coupler i on that of crank i + 1 closes a loop. All cranks stay parallel: with their angle a from the upright,
 *
 *   a'' = g K sin a,  K = ((N + 1)/2 + N) / ((N + 1)/3 + N),  a(0) = 0, a'(0) = -1.
 *
 * Twice a turn all rods lie in one line and the rows of the loops lose rank.
 */
#ifndef BENCH_MODELS_H
#define BENCH_MODELS_H

#ifdef __cplusplus
extern "C" {
#endif

typedef struct bench_body {
    int parent; /* -1: the ground */
    char joint; /* 'x', 'y', 'z': revolute about that axis; 'f': free */
    double offset[3];
    double mass, center[3];
    double inertia[6]; /* about the centre of mass: xx yy zz xy xz yz */
} bench_body;

typedef struct bench_tree {
    char name[32];
    int n_bodies, nq, nv;
    bench_body *body;
    double *q, *v, *tau; /* the state at which it is measured */
} bench_tree;

/* chain7, chain20, chain100, chain1000 (or any other number), arm7, humanoid30. NULL: there is none of that name. */
bench_tree *bench_tree_create(const char *name);
void bench_tree_free(bench_tree *tree);

/* Texts; free() them. Bodies are b0, b1, ..., joints j0, j1, ... by the number of the body that they carry. */
char *bench_tree_yaml(const bench_tree *tree);
char *bench_tree_mjcf(const bench_tree *tree);
char *bench_tree_urdf(const bench_tree *tree);

/* Cranks c0, c1, ... on pivots p0, p1, ..., couplers k0, k1, ... At the start the cranks stand at `angle` and turn with -1. */
char *bench_four_bars_yaml(int n, double angle);
char *bench_four_bars_mjcf(int n, double step);
double bench_four_bars_acceleration(int n, double angle);
/* a(t), to 1e-12. */
double bench_four_bars_angle(int n, double t);

#ifdef __cplusplus
}
#endif

#endif
