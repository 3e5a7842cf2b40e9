#include "physics/circuit/circuit.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include <Eigen/Eigenvalues>
#include <Eigen/SparseLU>
#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <boost/graph/strong_components.hpp>
#include <fmt/ranges.h>

#include "physics/core/check.hpp"
#include "physics/core/parallel.hpp"

namespace optinc {
namespace {

constexpr std::ptrdiff_t none = -1;
constexpr std::size_t largest_dense = 96;        // fields of a loop that are solved by dense elimination
constexpr std::size_t largest_amplified = 1000;  // fields of a loop whose eigenvalues are found

std::string said(const InstancePort& port) { return fmt::format("{},{}", port.instance, port.port); }

/// Throws PortError "port INSTANCE,PORT REST".
template <class... Args>
[[noreturn]] void refuse_port(const InstancePort& port, fmt::format_string<Args...> rest, Args&&... args) {
  throw PortError(port, "port " + said(port) + fmt::format(rest, std::forward<Args>(args)...));
}

/// A term of an equation: the element of an instance's S that takes field `from` there.
struct Term {
  std::size_t instance = 0;
  Eigen::Index element = 0;
  std::size_t from = 0;
};

/// What a field depends on: fields that enter inner ports, the circuit's inputs, and what a device emits.
struct Terms {
  std::vector<Term> fields, inputs;
  std::ptrdiff_t emitted = none;  ///< number of the emitter among the columns
};

/// Fields that enter inner ports, one equation each: field = sum of S fields + sum of S inputs.
struct Equations {
  std::vector<std::size_t> port;                ///< of each field
  std::vector<Terms> terms;                     ///< of each field
  std::vector<std::vector<std::size_t>> loops;  ///< fields that are solved together, in the order of light
  std::vector<std::size_t> loop, place;         ///< of each field: its loop, and its place there
};

using Rows = Eigen::Matrix<Complex, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Fields that act on each other, those that act on others first.
std::vector<std::vector<std::size_t>> in_order(const std::vector<Terms>& terms) {
  using Graph = boost::compressed_sparse_row_graph<boost::directedS>;
  std::vector<std::pair<std::size_t, std::size_t>> acts;
  for (std::size_t i = 0; i < terms.size(); ++i)
    for (const Term& term : terms[i].fields) acts.emplace_back(term.from, i);
  const Graph graph(boost::edges_are_unsorted_multi_pass, acts.begin(), acts.end(), terms.size());
  std::vector<std::size_t> component(terms.size());
  const auto count = boost::strong_components(
      graph, boost::make_iterator_property_map(component.begin(), boost::get(boost::vertex_index, graph)));
  std::vector<std::vector<std::size_t>> loops(static_cast<std::size_t>(count));  // the last acts on none
  for (std::size_t i = 0; i < terms.size(); ++i) loops[loops.size() - 1 - component[i]].push_back(i);
  return loops;
}

}  // namespace

Circuit::Circuit(Netlist netlist) : netlist_(std::move(netlist)) {
  std::map<InstancePort, std::size_t> number;
  std::vector<InstancePort> name;
  for (std::size_t i = 0; i < netlist_.instances.size(); ++i) {
    const auto& [instance, ports] = netlist_.instances[i];
    first_port_.push_back(name.size());
    for (const std::string& port : ports) {
      const InstancePort full{instance, port};
      if (!number.emplace(full, name.size()).second)
        refuse_port(full, " is there twice (names are unique). Rename one.");
      name.push_back(full);
      instance_of_.push_back(i);
    }
  }
  first_port_.push_back(name.size());
  facing_.assign(name.size(), none);
  std::vector<bool> used(name.size(), false);
  const auto take = [&](const InstancePort& port) {
    const auto found = number.find(port);
    if (found == number.end()) {
      const auto instance = std::ranges::find(netlist_.instances, port.instance, &Netlist::Instance::name);
      if (instance == netlist_.instances.end())
        refuse_port(port, ": no instance \"{}\" (it must be among the instances). Check its name.",
                    port.instance);
      refuse_port(port, ": instance \"{}\" has no port \"{}\" (its ports: {}). Use one of these.",
                  port.instance, port.port, fmt::join(instance->ports, ", "));
    }
    if (used[found->second])
      refuse_port(port, " is used twice (light goes one way from a port). Put a coupler there.");
    used[found->second] = true;
    return found->second;
  };
  for (const auto& [a, b] : netlist_.connections) {
    const std::size_t from = take(a), to = take(b);
    facing_[from] = static_cast<std::ptrdiff_t>(to);
    facing_[to] = static_cast<std::ptrdiff_t>(from);
  }
  std::map<std::string, int> seen;
  for (const auto& [outer, inner] : netlist_.ports) {
    validate(seen[outer]++ == 0, "two ports of the circuit are called \"{}\" (names are unique). Rename one.",
             outer);
    outer_.push_back(take(inner));
  }
  validate(!outer_.empty(), "a circuit without ports (light enters and leaves by them). Name some.");
  for (std::size_t p = 0; p < name.size(); ++p)
    if (!used[p] && !netlist_.absorb_unconnected)
      refuse_port(name[p],
                  " faces nothing (it would end in the air). Connect it, name it among the ports, or let "
                  "unconnected ports absorb.");
}

namespace {

/// Matrix M of one loop at one wavelength: field = M field + what comes from elsewhere.
template <class Coefficient>
Eigen::SparseMatrix<Complex> loop_matrix(const Equations& equations, const std::vector<std::size_t>& loop,
                                         Coefficient coefficient) {
  const auto n = static_cast<Eigen::Index>(loop.size());
  std::vector<Eigen::Triplet<Complex>> elements;
  for (Eigen::Index i = 0; i < n; ++i) {
    const std::size_t field = loop[static_cast<std::size_t>(i)];
    for (const Term& term : equations.terms[field].fields)
      if (equations.loop[term.from] == equations.loop[field])
        elements.emplace_back(i, static_cast<Eigen::Index>(equations.place[term.from]), coefficient(term));
  }
  Eigen::SparseMatrix<Complex> matrix(n, n);
  matrix.setFromTriplets(elements.begin(), elements.end());
  return matrix;
}

/// Whether a device sends out more light than enters it, in some shape: S^H S has an eigenvalue above 1.
bool amplifies(const Matrix& s) {
  constexpr double rounding = 1e-9;
  const Matrix lost = (1 + rounding) * Matrix::Identity(s.rows(), s.cols()) - s.adjoint() * s;
  return Eigen::LLT<Matrix>(lost).info() != Eigen::Success;
}

/// Whether light dies out in a loop in whatever phase it meets itself: a power of |M|, whose spectral radius is
/// no less than that of M, takes 1 to less than 1 everywhere.
bool dies_out(const Eigen::SparseMatrix<Complex>& loop) {
  constexpr int most_turns = 1000;
  constexpr double rounding = 1e-9 * most_turns;
  const Eigen::SparseMatrix<double> size = loop.cwiseAbs();
  Vector left = Vector::Ones(loop.cols());
  for (int turn = 0; turn < most_turns; ++turn) {
    left = size * left;
    if (left.maxCoeff() < 1 - rounding) return true;
  }
  return false;
}

/// Whether light that turns in a loop grows, or stays as it is.
bool grows(const Matrix& loop) {
  constexpr double rounding = 1e-9;
  return Eigen::ComplexEigenSolver<Matrix>(loop, false).eigenvalues().cwiseAbs().maxCoeff() >= 1 - rounding;
}

/// Solves one loop at one wavelength, (1 - M) x = b: x and b are the loop's rows of `fields`, b what comes from
/// elsewhere. Whether there is one solution.
bool solve_loop(const Eigen::SparseMatrix<Complex>& matrix, const std::vector<std::size_t>& loop,
                Rows& fields) {
  std::vector<Eigen::Index> rows(loop.begin(), loop.end());
  Eigen::SparseMatrix<Complex> left(matrix.rows(), matrix.cols());
  left.setIdentity();
  left -= matrix;
  const Matrix right = fields(rows, Eigen::all);
  Matrix solved;
  if (loop.size() <= largest_dense) {
    const Eigen::PartialPivLU<Matrix> lu((Matrix(left)));
    if (!(lu.matrixLU().diagonal().cwiseAbs().minCoeff() > 1e-13)) return false;
    solved = lu.solve(right);
  } else {
    Eigen::SparseLU<Eigen::SparseMatrix<Complex>> lu(left);
    if (lu.info() != Eigen::Success) return false;
    solved = lu.solve(right);
  }
  fields(rows, Eigen::all) = solved;
  return solved.allFinite();
}

/// Throws Error unless every instance has a finite S, all at the same wavelengths.
void check_scattering(const Netlist& netlist, std::span<const Matrix> of_instances) {
  validate(of_instances.size() == netlist.instances.size(),
           "{} scattering matrices for {} instances (one each).", of_instances.size(),
           netlist.instances.size());
  const Eigen::Index wavelengths = of_instances[0].cols();
  for (std::size_t i = 0; i < of_instances.size(); ++i) {
    const auto& [name, ports] = netlist.instances[i];
    validate(
        of_instances[i].rows() == static_cast<Eigen::Index>(ports.size() * ports.size()) &&
            of_instances[i].cols() == wavelengths,
        "scattering of instance \"{}\" is {} x {} (expected {} x {}: ports^2, wavelengths). Check its model.",
        name, of_instances[i].rows(), of_instances[i].cols(), ports.size() * ports.size(), wavelengths);
    validate(
        of_instances[i].allFinite(),
        "scattering of instance \"{}\" holds NaN or infinity (numbers only). Check its model and settings.",
        name);
  }
}

/// Whether correlations are those of waves: each column Hermitian (ports, ports).
bool are_hermitian(const Matrix& correlations, std::size_t ports) {
  constexpr double rounding = 1e-9;
  const auto n = static_cast<Eigen::Index>(ports);
  for (Eigen::Index w = 0; w < correlations.cols(); ++w) {
    const Matrix c = correlations.col(w).reshaped(n, n);
    if ((c - c.adjoint()).norm() > rounding * c.norm()) return false;
  }
  return true;
}

/// The ports of all instances as they are joined (Circuit has the vectors), and what their instances scatter.
struct JoinedPorts {
  const Netlist& netlist;
  std::span<const Matrix> of_instances;
  std::span<const std::size_t> first_port, instance_of, outer;
  std::span<const std::ptrdiff_t> facing;
};

/// Places of ports among fields, inputs and emitters; none where a port is not among them.
struct PortNumbers {
  std::vector<std::size_t> field;
  std::vector<std::ptrdiff_t> input, emitter;  ///< input: of the circuit; emitter: its column
};

PortNumbers port_numbers(const JoinedPorts& joined, std::span<const std::size_t> emitters) {
  const std::size_t ports = joined.facing.size();
  PortNumbers of = {std::vector<std::size_t>(ports), std::vector<std::ptrdiff_t>(ports, none),
                    std::vector<std::ptrdiff_t>(ports, none)};
  std::size_t fields = 0;
  for (std::size_t p = 0; p < ports; ++p)
    if (joined.facing[p] != none) of.field[p] = fields++;
  for (std::size_t e = 0; e < joined.outer.size(); ++e)
    of.input[joined.outer[e]] = static_cast<std::ptrdiff_t>(e);
  for (std::size_t e = 0; e < emitters.size(); ++e)
    of.emitter[emitters[e]] = static_cast<std::ptrdiff_t>(joined.outer.size() + e);
  return of;
}

/// What leaves a port: it comes from the ports of its device that act on it at any wavelength.
Terms leaving(const JoinedPorts& joined, const PortNumbers& number, std::size_t out) {
  Terms terms;
  terms.emitted = number.emitter[out];
  const std::size_t instance = joined.instance_of[out], first = joined.first_port[instance],
                    count = joined.first_port[instance + 1] - first;
  for (std::size_t from = first; from < first + count; ++from) {
    const auto element = static_cast<Eigen::Index>((from - first) * count + (out - first));
    if ((joined.of_instances[instance].row(element).array() == Complex(0)).all()) continue;
    if (joined.facing[from] != none)
      terms.fields.push_back({instance, element, number.field[from]});
    else if (number.input[from] != none)
      terms.inputs.push_back({instance, element, static_cast<std::size_t>(number.input[from])});
  }
  return terms;
}

Equations equations_of(const JoinedPorts& joined, const PortNumbers& number) {
  Equations equations;
  for (std::size_t p = 0; p < joined.facing.size(); ++p) {
    if (joined.facing[p] == none) continue;
    equations.port.push_back(p);
    equations.terms.push_back(leaving(joined, number, static_cast<std::size_t>(joined.facing[p])));
  }
  equations.loops = in_order(equations.terms);
  equations.loop.resize(equations.port.size());
  equations.place.resize(equations.port.size());
  for (std::size_t l = 0; l < equations.loops.size(); ++l)
    for (std::size_t i = 0; i < equations.loops[l].size(); ++i) {
      equations.loop[equations.loops[l][i]] = l;
      equations.place[equations.loops[l][i]] = i;
    }
  return equations;
}

/// Elements of the instances' S at one wavelength.
struct Coefficients {
  std::span<const Matrix> of_instances;
  Eigen::Index wavelength;
  Complex operator()(const Term& term) const { return of_instances[term.instance](term.element, wavelength); }
};

/// Adds what comes from outside: light into the circuit's ports, and waves that devices emit.
template <class Row>
void add_sources(const Terms& terms, const Coefficients& coefficient, Row row) {
  for (const Term& term : terms.inputs) row[static_cast<Eigen::Index>(term.from)] += coefficient(term);
  if (terms.emitted != none) row[terms.emitted] += 1.0;
}

/// Sets the fields of a loop to what comes from outside and from loops before it. Whether they act on each
/// other besides.
bool begin_loop(const Equations& equations, std::size_t number, const Coefficients& coefficient, Rows& fields) {
  bool acts_on_itself = false;
  for (const std::size_t f : equations.loops[number]) {
    auto row = fields.row(static_cast<Eigen::Index>(f));
    row.setZero();
    add_sources(equations.terms[f], coefficient, row);
    for (const Term& term : equations.terms[f].fields)
      if (equations.loop[term.from] == number)
        acts_on_itself = true;
      else
        row += coefficient(term) * fields.row(static_cast<Eigen::Index>(term.from));
  }
  return acts_on_itself;
}

/// Throws Error for a loop, `turn` its matrix, in which an instance amplifies and light does not die out.
void check_gain(const JoinedPorts& joined, const Equations& equations, const std::vector<std::size_t>& loop,
                const Eigen::SparseMatrix<Complex>& turn, Eigen::Index wavelength) {
  const auto instance = [&](std::size_t field) { return joined.instance_of[equations.port[field]]; };
  const auto amplifier = std::ranges::find_if(loop, [&](std::size_t f) {
    const auto n = static_cast<Eigen::Index>(joined.netlist.instances[instance(f)].ports.size());
    return amplifies(joined.of_instances[instance(f)].col(wavelength).reshaped(n, n));
  });
  if (amplifier == loop.end() || dies_out(turn)) return;
  const std::string& name = joined.netlist.instances[instance(*amplifier)].name;
  validate(loop.size() <= largest_amplified,
           "instance \"{}\" amplifies in a loop of {} fields (at most {}, unless light dies out in it in "
           "any phase). Set fewer reflections.",
           name, loop.size(), largest_amplified);
  validate(!grows(Matrix(turn)),
           "instance \"{}\" amplifies in a loop whose gain makes up for its loss (it would oscillate, "
           "and its field has no bound). Lower the gain or the reflections back to it.",
           name);
}

/// All fields at one wavelength, (fields, columns), loop by loop in the order of light.
Rows solved_fields(const JoinedPorts& joined, const Equations& equations, const Coefficients& coefficient,
                   Eigen::Index columns) {
  Rows fields(static_cast<Eigen::Index>(equations.port.size()), columns);
  for (std::size_t l = 0; l < equations.loops.size(); ++l) {
    if (!begin_loop(equations, l, coefficient, fields)) continue;
    const std::vector<std::size_t>& loop = equations.loops[l];
    const Eigen::SparseMatrix<Complex> turn = loop_matrix(equations, loop, coefficient);
    check_gain(joined, equations, loop, turn, coefficient.wavelength);
    if (solve_loop(turn, loop, fields)) continue;
    const auto name_of = [&](std::size_t f) {
      return joined.netlist.instances[joined.instance_of[equations.port[f]]].name;
    };
    throw Error(
        fmt::format("instances \"{}\" and \"{}\" lie in a loop in resonance that loses no light (its "
                    "field has no bound). Give it a loss.",
                    name_of(loop.front()), name_of(loop.back())));
  }
  return fields;
}

}  // namespace

Matrix Circuit::scattering(std::span<const Matrix> of_instances) const {
  check_scattering(netlist_, of_instances);
  return transfer(of_instances, {});
}

Matrix Circuit::emission(std::span<const Matrix> of_instances, std::span<const Matrix> emitted) const {
  check_scattering(netlist_, of_instances);
  validate(emitted.size() == of_instances.size(), "{} emissions for {} instances (one each).", emitted.size(),
           of_instances.size());
  std::vector<std::size_t> emitters;
  for (std::size_t i = 0; i < emitted.size(); ++i) {
    if (emitted[i].size() == 0) continue;
    validate(
        emitted[i].rows() == of_instances[i].rows() && emitted[i].cols() == of_instances[i].cols(),
        "emission of instance \"{}\" is {} x {} (expected {} x {}: ports^2, wavelengths). Check its model.",
        netlist_.instances[i].name, emitted[i].rows(), emitted[i].cols(), of_instances[i].rows(),
        of_instances[i].cols());
    validate(emitted[i].allFinite(),
             "emission of instance \"{}\" holds NaN or infinity (numbers only). Check its model and settings.",
             netlist_.instances[i].name);
    validate(are_hermitian(emitted[i], first_port_[i + 1] - first_port_[i]),
             "emission of instance \"{}\" is not Hermitian (<b_i b_j*> is <b_j b_i*>*). Check its model.",
             netlist_.instances[i].name);
    for (std::size_t p = first_port_[i]; p < first_port_[i + 1]; ++p) emitters.push_back(p);
  }
  const Matrix through = transfer(of_instances, emitters);
  const auto ports = static_cast<Eigen::Index>(outer_.size()),
             columns = ports + static_cast<Eigen::Index>(emitters.size());
  Matrix found = Matrix::Zero(ports * ports, through.cols());
  for (Eigen::Index w = 0; w < found.cols(); ++w) {
    const auto from = through.col(w).reshaped(ports, columns);
    auto correlations = found.col(w).reshaped(ports, ports);
    Eigen::Index first = ports;
    for (const Matrix& of_instance : emitted) {
      if (of_instance.size() == 0) continue;
      const auto count =
          static_cast<Eigen::Index>(std::lround(std::sqrt(static_cast<double>(of_instance.rows()))));
      const Matrix t = from.middleCols(first, count);
      correlations += t * of_instance.col(w).reshaped(count, count) * t.adjoint();
      first += count;
    }
  }
  return found;
}

std::size_t Circuit::number_of(const InstancePort& port) const {
  const auto of = std::ranges::find(netlist_.instances, port.instance, &Netlist::Instance::name);
  if (of == netlist_.instances.end()) refuse_port(port, ": no instance \"{}\". Name one.", port.instance);
  const auto found = std::ranges::find(of->ports, port.port);
  if (found == of->ports.end())
    refuse_port(port, ": no such port (ports: {}). Name one of these.", fmt::join(of->ports, ", "));
  return first_port_[static_cast<std::size_t>(of - netlist_.instances.begin())] +
         static_cast<std::size_t>(found - of->ports.begin());
}

Matrix Circuit::fields(std::span<const Matrix> of_instances, std::span<const InstancePort> at) const {
  check_scattering(netlist_, of_instances);
  std::vector<std::size_t> places;
  for (const InstancePort& port : at) places.push_back(number_of(port));
  const JoinedPorts joined = {netlist_, of_instances, first_port_, instance_of_, outer_, facing_};
  const PortNumbers number = port_numbers(joined, {});
  const Equations equations = equations_of(joined, number);
  const auto ports = static_cast<Eigen::Index>(outer_.size()), rows = static_cast<Eigen::Index>(places.size());
  Matrix found(rows * ports, of_instances[0].cols());
  parallel_for(found.cols(), [&](Eigen::Index w) {
    const Rows entering = solved_fields(joined, equations, {of_instances, w}, ports);
    auto at_places = found.col(w).reshaped(rows, ports);
    at_places.setZero();
    for (Eigen::Index p = 0; p < rows; ++p) {
      const std::size_t port = places[static_cast<std::size_t>(p)];
      if (facing_[port] != none)
        at_places.row(p) = entering.row(static_cast<Eigen::Index>(number.field[port]));
      else if (number.input[port] != none)
        at_places(p, number.input[port]) = 1.0;
    }
  });
  return found;
}

Matrix Circuit::transfer(std::span<const Matrix> of_instances, std::span<const std::size_t> emitters) const {
  const JoinedPorts joined = {netlist_, of_instances, first_port_, instance_of_, outer_, facing_};
  const PortNumbers number = port_numbers(joined, emitters);
  const Equations equations = equations_of(joined, number);
  std::vector<Terms> outputs;
  for (const std::size_t port : outer_) outputs.push_back(leaving(joined, number, port));
  const auto ports = static_cast<Eigen::Index>(outer_.size()),
             columns = ports + static_cast<Eigen::Index>(emitters.size());
  Matrix found(ports * columns, of_instances[0].cols());
  parallel_for(found.cols(), [&](Eigen::Index w) {
    const Coefficients coefficient = {of_instances, w};
    const Rows fields = solved_fields(joined, equations, coefficient, columns);
    auto at_ports = found.col(w).reshaped(ports, columns);
    at_ports.setZero();
    for (std::size_t e = 0; e < outer_.size(); ++e) {
      auto row = at_ports.row(static_cast<Eigen::Index>(e));
      add_sources(outputs[e], coefficient, row);
      for (const Term& term : outputs[e].fields)
        row += coefficient(term) * fields.row(static_cast<Eigen::Index>(term.from));
    }
  });
  return found;
}

}  // namespace optinc
