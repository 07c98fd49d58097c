/* Conformance of the joints: over the list of types, what a joint forbids and what it allows are complementary. */
#include "check.h"
#include "joint/joint.h"
#include "kinematics/layout.h"
#include "math/rank.h"
#include "math/rotation.h"

#include <stdlib.h>

typedef struct freedom {
    bool turn;
    double axis[3], point[3]; /* world: direction, and a point on the axis of a turn */
    double pitch;             /* shift per radian */
} freedom;

static void random_rotation(uint64_t *seed, double R[9])
{
    double p[4];
    for (int i = 0; i < 4; i++)
        p[i] = check_random(seed);
    dal_rotation_quaternion(p, R);
}

/* Walk along the motion string from the first joint frame to the second, with random coordinates. */
static int walk(const char *motion, uint64_t *seed, double length, double pitch, double P[3], double E[9], freedom *free)
{
    int n = 0;
    for (const char *m = motion; *m; m++) {
        if (*m == ' ')
            continue;
        char kind = m[0];
        int axis = m[1] - 'x';
        double value = 0.9 * check_random(seed), turn[9];
        m++;
        for (int i = 0; i < 3; i++) {
            free[n].axis[i] = E[3 * i + axis];
            free[n].point[i] = P[i];
        }
        free[n].turn = kind == 'R' || kind == 'P';
        free[n].pitch = kind == 'P' ? pitch / (2 * M_PI) : 0;
        double shift = kind == 'T' ? value : kind == 'L' ? length : kind == 'P' ? free[n].pitch * value : 0;
        for (int i = 0; i < 3; i++)
            P[i] += shift * E[3 * i + axis];
        if (free[n].turn) {
            dal_rotation_elementary(axis, value, turn);
            dal_rotation_multiply(E, turn, E);
        }
        n += kind != 'L';
    }
    return n;
}

static void place(double r[3], double R[9], const dal_marker *marker, const double P[3], const double E[9])
{
    double back[9], offset[3];
    for (int i = 0; i < 9; i++)
        back[i] = marker->B[3 * (i % 3) + i / 3];
    dal_rotation_multiply(E, back, R);
    for (int i = 0; i < 3; i++) {
        offset[i] = R[3 * i] * marker->s[0] + R[3 * i + 1] * marker->s[1] + R[3 * i + 2] * marker->s[2];
        r[i] = P[i] - offset[i];
    }
}

static void conform(const dal_joint_type *type, dal_space space)
{
    const char *motion = dal_joint_in(type, space)->motion;
    const int n = space == DAL_PLANAR ? 3 : 6;
    uint64_t seed = 11;
    for (int round = 0; round < 20; round++) {
        dal_arena arena;
        dal_mechanism m;
        dal_arena_begin(&arena, NULL);
        dal_mechanism_begin(&m, &arena, space);
        dal_body bodies[2] = {{.name = "first", .mass = 1.37}, {.name = "second", .mass = 0.618}};
        m.n_bodies = 2;
        m.bodies = bodies;
        dal_joint *joint = DAL_PUSH(&arena, m.joints, m.n_joints, m.cap_joints);
        *joint = (dal_joint){.name = "j", .type = type, .drive = -1};
        for (int k = 0; k < 2; k++) {
            joint->marker[k].body = k;
            for (int i = 0; i < (int)space; i++)
                joint->marker[k].s[i] = 0.7 * check_random(&seed);
            if (space == DAL_SPATIAL)
                random_rotation(&seed, joint->marker[k].B);
            else
                dal_rotation_elementary(2, 3 * check_random(&seed), joint->marker[k].B);
        }
        dal_joint_builder b = {.mechanism = &m, .joint = joint, .length = 0.83, .pitch = 0.21};
        b.point[0] = dal_add_point(&m, &joint->marker[0]);
        b.point[1] = dal_add_point(&m, &joint->marker[1]);
        type->forbid(&b);
        if (type->measure)
            type->measure(&b);

        /* the first body anywhere, the second where the motion brings it */
        double r[2][3] = {{0}}, R[2][9], P[3], E[9];
        for (int i = 0; i < (int)space; i++)
            r[0][i] = 2 * check_random(&seed);
        if (space == DAL_SPATIAL)
            random_rotation(&seed, R[0]);
        else
            dal_rotation_elementary(2, 3 * check_random(&seed), R[0]);
        for (int i = 0; i < 3; i++)
            P[i] = r[0][i] + R[0][3 * i] * joint->marker[0].s[0] + R[0][3 * i + 1] * joint->marker[0].s[1] + R[0][3 * i + 2] * joint->marker[0].s[2];
        dal_rotation_multiply(R[0], joint->marker[0].B, E);
        freedom free[8];
        int freedoms = walk(motion, &seed, b.length, b.pitch, P, E, free);
        place(r[1], R[1], &joint->marker[1], P, E);

        dal_layout *layout = dal_layout_build(&arena, &m, &dal_family_twist, &(dal_layout_parts){0});
        dal_work w;
        dal_work_layout(layout, DAL_NEW(&arena, double, dal_work_size(layout)), DAL_NEW(&arena, int, 6), &w);
        for (int k = 0; k < 2; k++)
            layout->family->place(layout, &w, k, r[k], R[k]);
        layout->family->position(layout, &w);
        dal_rows_position(layout, &w);
        dal_rows_jacobian(layout, &w);

        /* the rows are zero, the motion is in their null space, and nothing else is */
        double A[6 * 6] = {0}, sigma[12], work[2000];
        assert_true(dal_rank_work(layout->n_rows, n) < 2000);
        for (int i = 0; i < layout->n_rows; i++) {
            check_small(w.phi[i], 1e-14);
            const dal_row_layout *at = &layout->row[i];
            for (int k = at->value; k < at->value + at->n_values; k++)
                if (layout->column[k] >= n)
                    A[n * i + layout->column[k] - n] = w.A[k];
            for (int f = 0; f < freedoms; f++) {
                double twist[6] = {0}, sum = 0, arm[3];
                for (int k = 0; k < 3; k++)
                    arm[k] = r[1][k] - free[f].point[k];
                for (int k = 0; k < 3; k++) {
                    int c = (k + 1) % 3, d = (k + 2) % 3;
                    double along =
                        free[f].turn ? free[f].axis[c] * arm[d] - free[f].axis[d] * arm[c] + free[f].pitch * free[f].axis[k] : free[f].axis[k];
                    if (k < (int)space)
                        twist[k] = along;
                    if (free[f].turn && space == DAL_SPATIAL)
                        twist[3 + k] = free[f].axis[k];
                    if (free[f].turn && space == DAL_PLANAR && k == 2)
                        twist[2] = free[f].axis[2];
                }
                for (int k = 0; k < n; k++)
                    sum += A[n * i + k] * twist[k];
                check_small(sum, 1e-13);
            }
        }
        int rank = layout->n_rows ? dal_rank_svd(A, layout->n_rows, n, n, 1e-10, sigma, NULL, NULL, work) : 0;
        assert_int_equal(rank, layout->n_rows);
        assert_int_equal(rank + freedoms, n);
        dal_arena_release(&arena);
    }
}

static void what_a_joint_forbids_and_allows_is_complementary(void **unused)
{
    (void)unused;
    int seen = 0;
    for (int i = 0; dal_joint_types[i]; i++) {
        const dal_joint_type *type = dal_joint_types[i];
        if (type->class != DAL_JOINT_PAIR)
            continue;
        if (type->surface) /* they forbid velocities: there is no motion in coordinates that is left free (test_constraints.c) */
            continue;
        if (type->spaces & DAL_IN_PLANE)
            conform(type, DAL_PLANAR), seen++;
        if (type->spaces & DAL_IN_SPACE)
            conform(type, DAL_SPATIAL), seen++;
    }
    assert_int_equal(seen, 18);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_a_joint_forbids_and_allows_is_complementary)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
