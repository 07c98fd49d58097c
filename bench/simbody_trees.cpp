// The trees in Simbody: realize(Acceleration), calcResidualForceIgnoringConstraints, calcM.
//
//   bench_simbody_trees FOLDER MODEL...
//
// A free body has q = quaternion, place and u = angular velocity, velocity, both in world axes; forces likewise. The other engines have the
// velocity first and the angular one in body axes: Subject::turned exchanges the halves and turns the angular one.
#include "measure.h"
#include "models.h"

#include <Simbody.h>
#include <cstdio>
#include <vector>

using namespace SimTK;

namespace {

struct Subject {
    bench_tree *tree;
    MultibodySystem system;
    SimbodyMatterSubsystem matter;
    GeneralForceSubsystem forces;
    Force::Gravity gravity;
    Force::DiscreteForces applied;
    State state;
    Vector q, u, wanted, none, residual;
    Matrix M;
    Rotation base;

    explicit Subject(bench_tree *from)
        : tree(from), matter(system), forces(system), gravity(forces, matter, Vec3(0, 0, -9.81)), applied(forces, matter)
    {
        std::vector<MobilizedBody> bodies;
        for (int i = 0; i < tree->n_bodies; i++) {
            const bench_body &b = tree->body[i];
            bodies.push_back(add(b, b.parent < 0 ? MobilizedBody(matter.Ground()) : bodies[size_t(b.parent)]));
        }
        state = system.realizeTopology();
        set_state();
    }

    bool is_free() const { return tree->body[0].joint == 'f'; }

    // A pin turns about z of its frame: that lies along the axis of the joint.
    MobilizedBody add(const bench_body &b, MobilizedBody parent)
    {
        const Vec3 center(b.center[0], b.center[1], b.center[2]), offset(b.offset[0], b.offset[1], b.offset[2]);
        const double *I = b.inertia;
        const Inertia about_origin = Inertia(I[0], I[1], I[2], I[3], I[4], I[5]).shiftFromMassCenter(center, b.mass);
        const Body::Rigid rigid(MassProperties(b.mass, center, about_origin));
        const Rotation frame = b.joint == 'x' ? Rotation(Pi / 2, YAxis) : b.joint == 'y' ? Rotation(-Pi / 2, XAxis) : Rotation();
        if (b.joint == 'f')
            return MobilizedBody::Free(parent, Transform(offset), rigid, Transform());
        return MobilizedBody::Pin(parent, Transform(frame, offset), rigid, Transform(frame, Vec3(0)));
    }

    // Velocities or forces: to Simbody's order and axes.
    Vector turned(const double *values) const
    {
        Vector out(tree->nv, values);
        if (is_free()) {
            const Vec3 angular = base * Vec3(values[3], values[4], values[5]);
            for (int i = 0; i < 3; i++)
                out[i] = angular[i], out[3 + i] = values[i];
        }
        return out;
    }

    // And back.
    std::vector<double> returned(const Vector &values) const
    {
        std::vector<double> out(size_t(tree->nv));
        for (int i = 0; i < tree->nv; i++)
            out[size_t(i)] = values[i];
        if (is_free()) {
            const Vec3 angular = ~base * Vec3(values[0], values[1], values[2]);
            for (int i = 0; i < 3; i++)
                out[size_t(i)] = values[3 + i], out[size_t(3 + i)] = angular[i];
        }
        return out;
    }

    void set_state()
    {
        q = Vector(tree->nq, tree->q);
        if (is_free()) {
            for (int i = 0; i < 7; i++)
                q[i] = tree->q[i < 4 ? 3 + i : i - 4];
            base = Rotation(Quaternion(q[0], q[1], q[2], q[3]));
        }
        std::vector<double> probe(size_t(tree->nv));
        for (int i = 0; i < tree->nv; i++)
            probe[size_t(i)] = bench_probe(i);
        u = turned(tree->v);
        wanted = turned(probe.data());
        none = Vector(tree->nv, 0.0);
        applied.setAllMobilityForces(state, turned(tree->tau));
    }
};

void forward(void *data)
{
    Subject &s = *static_cast<Subject *>(data);
    s.state.updQ() = s.q;
    s.state.updU() = s.u;
    s.system.realize(s.state, Stage::Acceleration);
}

void inverse(void *data)
{
    Subject &s = *static_cast<Subject *>(data);
    s.state.updQ() = s.q;
    s.state.updU() = s.u;
    s.system.realize(s.state, Stage::Velocity);
    s.matter.calcResidualForceIgnoringConstraints(s.state, s.none, s.gravity.getBodyForces(s.state), s.wanted, s.residual);
}

void mass(void *data)
{
    Subject &s = *static_cast<Subject *>(data);
    s.state.updQ() = s.q;
    s.system.realize(s.state, Stage::Position);
    s.matter.calcM(s.state, s.M);
}

bool agree(Subject &s, const char *folder)
{
    const char *name = s.tree->name;
    forward(&s);
    bool good = bench_agrees(folder, "simbody", name, "forward", s.tree->nv, s.returned(s.state.getUDot()).data());
    inverse(&s);
    good = bench_agrees(folder, "simbody", name, "inverse", s.tree->nv, s.returned(s.residual).data()) && good;
    mass(&s);
    return bench_agrees(folder, "simbody", name, "mass", s.tree->nv, s.returned(s.M * s.wanted).data()) && good;
}

} // namespace

int main(int argc, char **argv)
{
    for (int a = 2; a < argc; a++) {
        bench_tree *tree = bench_tree_create(argv[a]);
        if (!tree) {
            std::fprintf(stderr, "%s: there is no such model\n", argv[a]);
            return 1;
        }
        Subject s(tree);
        if (!agree(s, argv[1]))
            return 1;
        bench_report("simbody", argv[a], "forward", bench_fastest(forward, &s));
        bench_report("simbody", argv[a], "inverse", bench_fastest(inverse, &s));
        bench_report("simbody", argv[a], "mass", bench_fastest(mass, &s));
        bench_tree_free(tree);
    }
    return 0;
}
