#include "physics/circuit/circuit.hpp"

#include <cmath>
#include <map>

#include <fmt/format.h>

#include "physics/circuit/models.hpp"
#include "physics/core/units.hpp"
#include "physics/devices/ring.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/refusal.hpp"

using namespace optinc;

namespace {

/// A circuit of models and what its instances scatter.
struct Drawn {
  Netlist netlist;
  std::vector<Matrix> scattering;

  void add(const std::string& name, const std::string& model, const std::map<std::string, double>& settings,
           std::span<const double> wavelengths_m) {
    netlist.instances.push_back({name, circuit_model(model).ports});
    scattering.push_back(model_scattering(circuit_model(model), settings, wavelengths_m));
  }
  void connect(InstancePort a, InstancePort b) { netlist.connections.emplace_back(a, b); }
  Matrix solved() const { return Circuit(netlist).scattering(scattering); }
};

Matrix column(const Matrix& s, Eigen::Index w) {
  const auto n = static_cast<Eigen::Index>(std::lround(std::sqrt(static_cast<double>(s.rows()))));
  return s.col(w).reshaped(n, n);
}

std::vector<double> around_1550(int count, double span_m) {
  std::vector<double> at;
  for (int i = 0; i < count; ++i) at.push_back(1550e-9 + span_m * i / count);
  return at;
}

}  // namespace

// Fails when the equations of a loop forget a turn, or when a closed form has another sign than its parts.
TEST_CASE("a ring of a coupler and a waveguide is the closed form of a ring") {
  const std::vector<double> at = around_1550(40, 12e-9);
  const std::map<std::string, double> bus = {{"eta_rad", 0.4}, {"excess_loss_db", 0.1}},
                                      drop = {{"eta_rad", 0.25}};
  Ring ring;
  ring.bus.eta_rad = 0.4;
  ring.bus.excess_loss_db = 0.1;
  ring.drop.eta_rad = 0.25;
  ring.guide.length_m = 100e-6;

  Drawn all_pass;
  all_pass.add("bus", "coupler", bus, at);
  all_pass.add("turn", "waveguide", {{"length_m", 100e-6}}, at);
  all_pass.connect({"bus", "out1"}, {"turn", "in0"});
  all_pass.connect({"turn", "out0"}, {"bus", "in1"});
  all_pass.netlist.ports = {{"in", {"bus", "in0"}}, {"out", {"bus", "out0"}}};

  Drawn add_drop;
  add_drop.add("bus", "coupler", bus, at);
  add_drop.add("drop", "coupler", drop, at);
  for (const char* half : {"up", "down"}) add_drop.add(half, "waveguide", {{"length_m", 50e-6}}, at);
  add_drop.connect({"bus", "out1"}, {"up", "in0"});
  add_drop.connect({"up", "out0"}, {"drop", "in1"});
  add_drop.connect({"drop", "out1"}, {"down", "in0"});
  add_drop.connect({"down", "out0"}, {"bus", "in1"});
  add_drop.netlist.ports = {{"in", {"bus", "in0"}},
                            {"add", {"drop", "in0"}},
                            {"through", {"bus", "out0"}},
                            {"drop", {"drop", "out0"}}};

  const Matrix once = all_pass.solved(), twice = add_drop.solved();
  double deepest = 1;
  for (std::size_t w = 0; w < at.size(); ++w) {
    const Matrix s = column(once, static_cast<Eigen::Index>(w)),
                 t = column(twice, static_cast<Eigen::Index>(w));
    CHECK(std::abs(s(1, 0) - all_pass_ring(ring, at[w])) < 1e-12);
    CHECK(std::abs(s(0, 1) - s(1, 0)) < 1e-12);
    CHECK(std::abs(s(0, 0)) == 0);
    CHECK((t.bottomLeftCorner(2, 2) - add_drop_ring(ring, at[w])).norm() < 1e-12);
    deepest = std::min(deepest, std::norm(s(1, 0)));
  }
  CHECK(deepest < 0.9);
}

// Fails when a device's matrix is read from the other side: those that are reciprocal do not show it.
TEST_CASE("light passes an isolator one way") {
  Drawn drawn;
  const std::vector<double> at = {1.55e-6};
  drawn.netlist.instances.push_back({"isolator", {"in0", "out0"}});
  Matrix isolator(2, 2);
  isolator << 0, 0, 0.9, 0;  // from in0 to out0 alone
  drawn.scattering.push_back(isolator.reshaped());
  drawn.add("shift", "phase_shifter", {{"phi_rad", 1.0}}, at);
  drawn.connect({"isolator", "out0"}, {"shift", "in0"});
  drawn.netlist.ports = {{"in", {"isolator", "in0"}}, {"out", {"shift", "out0"}}};
  const Matrix s = column(drawn.solved(), 0);
  CHECK(std::abs(s(1, 0) - std::polar(0.9, 1.0)) < 1e-15);
  CHECK(s(0, 1) == Complex(0));
}

TEST_CASE("netlists that are none are refused by port") {
  const std::vector<std::string> two = {"in0", "out0"};
  const Netlist good = {{{"a", two}, {"b", two}},
                        {{{"a", "out0"}, {"b", "in0"}}},
                        {{"in", {"a", "in0"}}, {"out", {"b", "out0"}}}};
  CHECK(refusal([&] { Circuit{good}; }).empty());
  const auto refused = [&](auto change) {
    Netlist bad = good;
    change(bad);
    return refusal([&] { Circuit{bad}; });
  };
  CHECK(refused([](Netlist& n) { n.connections.clear(); }) ==
        "port a,out0 faces nothing (it would end in the air). Connect it, name it among the ports, or let "
        "unconnected ports absorb.");
  CHECK(refused([](Netlist& n) { n.connections.clear(), n.absorb_unconnected = true; }).empty());
  CHECK(refused([](Netlist& n) { n.connections[0].first.port = "out1"; }) ==
        "port a,out1: instance \"a\" has no port \"out1\" (its ports: in0, out0). Use one of these.");
  CHECK_THAT(refused([](Netlist& n) { n.connections[0].first.instance = "c"; }),
             ContainsSubstring("no instance \"c\""));
  CHECK_THAT(refused([](Netlist& n) {
               n.connections[0].second = {"a", "in0"};
             }),
             ContainsSubstring("port a,in0 is used twice"));
  CHECK_THAT(refused([](Netlist& n) { n.ports[1].first = "in"; }),
             ContainsSubstring("two ports of the circuit"));
  CHECK_THAT(refused([](Netlist& n) { n.instances[1].name = "a"; }), ContainsSubstring("a,in0 is there twice"));
  CHECK_THAT(refused([](Netlist& n) { n.ports.clear(); }), ContainsSubstring("a circuit without ports"));

  const Circuit circuit(good);
  const std::vector<Matrix> ok(2, Matrix::Zero(4, 3));
  CHECK_THAT(refusal([&] { circuit.scattering(std::vector<Matrix>(2, Matrix::Zero(3, 3))); }),
             ContainsSubstring("scattering of instance \"a\" is 3 x 3 (expected 4 x 3"));
  std::vector<Matrix> bad = ok;
  bad[1](0, 0) = NAN;
  CHECK_THAT(refusal([&] { circuit.scattering(bad); }), ContainsSubstring("instance \"b\" holds NaN"));
}

TEST_CASE("a loop in resonance without loss is refused by its instances") {
  const std::vector<double> at = {1.55e-6};
  Drawn drawn;
  drawn.add("bus", "coupler", {{"eta_rad", 0}, {"excess_loss_db", 0}}, at);
  drawn.add("turn", "phase_shifter", {}, at);
  drawn.connect({"bus", "out1"}, {"turn", "in0"});
  drawn.connect({"turn", "out0"}, {"bus", "in1"});
  drawn.netlist.ports = {{"in", {"bus", "in0"}}, {"out", {"bus", "out0"}}};
  const std::string why = refusal([&] { drawn.solved(); });
  CHECK_THAT(why, ContainsSubstring("loses no light") && ContainsSubstring("\"bus\"") &&
                      ContainsSubstring("\"turn\""));
}

TEST_CASE("models refuse what they cannot be") {
  const std::vector<double> at = {1.55e-6};
  CHECK_THAT(refusal([] { circuit_model("wave"); }),
             ContainsSubstring("unknown model \"wave\"") && ContainsSubstring("waveguide"));
  CHECK_THAT(refusal([&] {
               model_scattering(circuit_model("coupler"), {{"eta", 1}}, at);
             }),
             ContainsSubstring("unknown setting of coupler \"eta\"") && ContainsSubstring("eta_rad"));
  CHECK_THAT(refusal([&] { model_scattering(circuit_model("waveguide"), {}, std::vector{1.55}); }),
             ContainsSubstring("wavelength_m = 1.55 (2e-7..2e-5 m)"));
  for (const CircuitModel& model : circuit_models()) {
    const Matrix s = column(model_scattering(model, {}, at), 0);
    CHECK(s.rows() == static_cast<Eigen::Index>(model.ports.size()));
    CHECK((s - s.transpose()).norm() < 1e-15);  // reciprocal
    CHECK(s.jacobiSvd().singularValues()[0] <= 1 + 1e-9);
    CHECK(!model.text.empty());
  }
}
