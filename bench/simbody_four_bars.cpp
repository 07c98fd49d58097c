// N four-bar linkages in Simbody: a loop is closed by PointOnLine, two equations.
//
//   bench_simbody_four_bars acceleration|run N
#include "measure.h"
#include "models.h"

#include <Simbody.h>
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <string>
#include <vector>

using namespace SimTK;

namespace {

const Vec3 along_x(1, 0, 0), along_y(0, 1, 0);

struct Subject {
    int n;
    MultibodySystem system;
    SimbodyMatterSubsystem matter;
    GeneralForceSubsystem forces;
    Force::Gravity gravity;
    std::vector<MobilizedBody> cranks, couplers;
    State state;
    Vector q, u;

    static Body::Rigid rod(const Vec3 &direction)
    {
        const double I = 1 / 12.0, thin = 1e-4;
        const Inertia about_center(direction[0] > 0 ? thin : I, direction[1] > 0 ? thin : I, I);
        return Body::Rigid(MassProperties(1, direction / 2, about_center.shiftFromMassCenter(direction / 2, 1)));
    }

    explicit Subject(int number) : n(number), matter(system), forces(system), gravity(forces, matter, Vec3(0, -9.81, 0))
    {
        for (int i = 0; i <= n; i++) {
            cranks.push_back(MobilizedBody::Pin(matter.Ground(), Vec3(i, 0, 0), rod(along_y), Vec3(0)));
            if (i < n)
                couplers.push_back(MobilizedBody::Pin(cranks.back(), along_y, rod(along_x), Vec3(0)));
        }
        for (size_t i = 0; i < couplers.size(); i++)
            Constraint::PointOnLine(cranks[i + 1], UnitVec3(0, 0, 1), along_y, couplers[i], along_x);
        state = system.realizeTopology();
    }

    void set_state(double angle)
    {
        for (auto &crank : cranks)
            crank.setOneQ(state, 0, angle), crank.setOneU(state, 0, -1);
        for (auto &coupler : couplers)
            coupler.setOneQ(state, 0, -angle), coupler.setOneU(state, 0, 1);
        q = state.getQ(), u = state.getU();
    }

    double residual(const State &at) const
    {
        double worst = 0;
        for (size_t i = 0; i < couplers.size(); i++)
            worst = std::max(worst, (couplers[i].findStationLocationInGround(at, along_x) -
                                     cranks[i + 1].findStationLocationInGround(at, along_y)).norm());
        return worst;
    }
};

void accelerate(void *data)
{
    Subject &s = *static_cast<Subject *>(data);
    s.state.updQ() = s.q;
    s.state.updU() = s.u;
    s.system.realize(s.state, Stage::Acceleration);
}

void acceleration(Subject &s, const char *name)
{
    const double exact = bench_four_bars_acceleration(s.n, -0.5);
    double error = 0;
    s.set_state(-0.5);
    accelerate(&s);
    for (auto &crank : s.cranks)
        error = std::max(error, std::fabs(crank.getOneUDot(s.state, 0) - exact));
    for (auto &coupler : s.couplers)
        error = std::max(error, std::fabs(coupler.getOneUDot(s.state, 0) + exact));
    bench_report("simbody", name, "error", error);
    bench_report("simbody", name, "acceleration", bench_fastest(accelerate, &s));
}

void run(Subject &s, const char *name)
{
    const double until = 10, every = 0.05;
    double seconds = 0, residual = 0;
    s.set_state(0);
    RungeKuttaMersonIntegrator integrator(s.system);
    integrator.setAccuracy(1e-6);
    integrator.setFinalTime(until);
    integrator.initialize(s.state);
    try {
        for (int i = 1; i <= int(std::lround(until / every)); i++) {
            const double start = bench_clock();
            while (integrator.getTime() < i * every - 1e-12)
                integrator.stepTo(i * every);
            seconds += bench_clock() - start;
            s.system.realize(integrator.getState(), Stage::Position);
            residual = std::max(residual, s.residual(integrator.getState()));
        }
    } catch (const std::exception &) {
        bench_report("simbody", name, "stopped", integrator.getTime());
    }
    bench_report("simbody", name, "second", 1e3 * seconds / integrator.getTime());
    bench_report("simbody", name, "residual", residual);
    bench_report("simbody", name, "angle", std::fabs(s.cranks[0].getOneQ(integrator.getState(), 0) - bench_four_bars_angle(s.n, until)));
}

} // namespace

int main(int argc, char **argv)
{
    const int n = argc == 3 ? std::atoi(argv[2]) : 0;
    if (n < 1)
        return 2;
    const std::string name = "fourbar" + std::to_string(n);
    Subject s(n);
    if (!std::strcmp(argv[1], "run"))
        run(s, name.c_str());
    else
        acceleration(s, name.c_str());
    return 0;
}
