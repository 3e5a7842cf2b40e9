#include "physics/mesh/twin/detail/twin_jacobian.hpp"

#include <cmath>

#include "physics/core/units.hpp"
#include "physics/devices/coupler.hpp"
#include "physics/devices/phase_shifter.hpp"

namespace optinc {
namespace {

const double per_db = std::log(10.0) / 20;  // of a field, by a gain

/// The four factors of an MZI, T = second inner first outer.
struct MziParts {
  Eigen::Vector2cd outer, inner;
  Matrix2 first, second;
};

MziParts parts_of(const MziSettings& s, const MziErrors& e) {
  return {{phase_shifter(s.phi + e.phi_offset, e.phi_arm_loss_db), field_ratio_of_loss_db(e.phi_other_loss_db)},
          {phase_shifter(s.theta + e.theta_offset, e.theta_arm_loss_db),
           field_ratio_of_loss_db(e.theta_other_loss_db)},
          coupler(constants::pi / 4 + e.alpha),
          coupler(constants::pi / 4 + e.beta)};
}

/// Turns derivatives of fields into those of readings, column by column.
class Columns {
 public:
  Columns(const Matrix& out, bool fields, Eigen::Ref<Eigen::MatrixXd> rows)
      : conjugate_(2 * out.conjugate()), fields_(fields), rows_(rows) {}

  void write(Eigen::Index at, const Matrix& slope) {
    const Eigen::Index n = slope.size();
    if (fields_) {
      rows_.col(at).head(n) = slope.real().reshaped();
      rows_.col(at).tail(n) = slope.imag().reshaped();
    } else {
      rows_.col(at) =
          (conjugate_.array().real() * slope.array().real() - conjugate_.array().imag() * slope.array().imag())
              .matrix()
              .reshaped();
    }
  }

 private:
  Matrix conjugate_;
  bool fields_;
  Eigen::Ref<Eigen::MatrixXd> rows_;
};

/// Both sweeps through one mesh.
class Sweep {
 public:
  Sweep(const MeshTopology& topology, const TwinParameters& parameters, const MeshTwin& twin,
        const MeshProgram& setting)
      : topology_(topology), parameters_(parameters), twin_(twin), setting_(setting) {
    for (int k = 0; k < topology.mzi_count(); ++k)
      parts_.push_back(parts_of({twin.theta_scale[k] * setting.theta[k], twin.phi_scale[k] * setting.phi[k]},
                                twin.errors.mzi(k)));
  }

  /// Fields at the outputs; those in front of every column are kept.
  Matrix forward(const Matrix& inputs) {
    in_front_ = {gains(twin_.input_gain_db).asDiagonal() * inputs};
    const double idle = column_field_factor(twin_.errors);
    std::size_t k = 0;
    for (int c = 0; c < topology_.columns(); ++c) {
      const Matrix& before = in_front_.back();
      Matrix behind = idle * before;
      for (const PortPair& at : topology_.column(c)) {
        const MziParts& p = parts_[k++];
        const Matrix2 t = p.second * p.inner.asDiagonal() * p.first * p.outer.asDiagonal();
        behind.row(at.upper) = t(0, 0) * before.row(at.upper) + t(0, 1) * before.row(at.lower);
        behind.row(at.lower) = t(1, 0) * before.row(at.upper) + t(1, 1) * before.row(at.lower);
      }
      in_front_.push_back(std::move(behind));
    }
    screen_ = gains(twin_.output_gain_db).cast<Complex>();
    for (int p = 0; p < topology_.ports; ++p)
      screen_[p] *= std::polar(1.0, setting_.output_phase[p] + twin_.errors.output_offset[p]);
    return screen_.asDiagonal() * in_front_.back();
  }

  /// Columns of all parameters, from the outputs back to the inputs.
  void backward(const Matrix& out, Columns& columns) {
    of_ports(
        TwinKind::output_gain, columns, [&](int p, Matrix& slope) { slope.row(p) = per_db * out.row(p); }, out);
    of_ports(
        TwinKind::output_offset, columns,
        [&](int p, Matrix& slope) { slope.row(p) = Complex(0, 1) * out.row(p); }, out);
    Matrix adjoint = screen_.asDiagonal();  // row o: output o by the fields of all ports
    const double idle = column_field_factor(twin_.errors);
    for (int c = topology_.columns() - 1; c >= 0; --c) {
      const Matrix behind = adjoint;
      adjoint *= idle;
      int k = topology_.column_begin[static_cast<std::size_t>(c)];
      for (const PortPair& at : topology_.column(c)) of_mzi(k++, c, at, behind, adjoint, columns);
    }
    const Matrix& sent = in_front_.front();
    of_ports(
        TwinKind::input_gain, columns,
        [&](int p, Matrix& slope) { slope = per_db * adjoint.col(p) * sent.row(p); }, out);
  }

 private:
  static Vector gains(const Vector& gain_db) {
    return gain_db.unaryExpr([](double db) { return field_ratio_of_loss_db(-db); });
  }

  template <class Slope>
  void of_ports(TwinKind kind, Columns& columns, Slope slope_of, const Matrix& like) {
    const Eigen::Index first = parameters_.first(kind);
    if (first < 0) return;
    for (int p = 0; p < topology_.ports; ++p) {
      Matrix slope = Matrix::Zero(like.rows(), like.cols());
      slope_of(p, slope);
      columns.write(first + p, slope);
    }
  }

  /// Columns of MZI k, and the adjoint rows in front of it.
  void of_mzi(int k, int column, const PortPair& at, const Matrix& behind, Matrix& adjoint, Columns& columns) {
    const MziParts& p = parts_[static_cast<std::size_t>(k)];
    const Matrix& before = in_front_[static_cast<std::size_t>(column)];
    // fields from left to right: in front of, and behind, each of the four parts
    Eigen::Matrix<Complex, 2, Eigen::Dynamic> x(2, before.cols());
    x << before.row(at.upper), before.row(at.lower);
    const auto y = (p.outer.asDiagonal() * x).eval(), z = (p.first * y).eval();
    const auto w = (p.inner.asDiagonal() * z).eval(), v = (p.second * w).eval();
    // adjoint rows from right to left, at the same places
    Eigen::Matrix<Complex, Eigen::Dynamic, 2> at_v(behind.rows(), 2);
    at_v << behind.col(at.upper), behind.col(at.lower);
    const auto at_w = (at_v * p.second).eval(), at_z = (at_w * p.inner.asDiagonal()).eval();
    const auto at_y = (at_z * p.first).eval();
    adjoint.col(at.upper) = at_y.col(0) * p.outer[0];
    adjoint.col(at.lower) = at_y.col(1) * p.outer[1];

    const Complex i(0, 1);
    const auto has = [&](TwinKind kind) { return parameters_.first(kind) >= 0; };
    const auto write = [&](TwinKind kind, const Matrix& slope) {
      columns.write(parameters_.first(kind) + k, slope);
    };
    // DC' = i exchange DC
    if (has(TwinKind::beta)) write(TwinKind::beta, i * (at_v.col(0) * v.row(1) + at_v.col(1) * v.row(0)));
    if (has(TwinKind::alpha)) write(TwinKind::alpha, i * (at_z.col(0) * z.row(1) + at_z.col(1) * z.row(0)));
    const Matrix inner = at_w.col(0) * w.row(0), outer = at_y.col(0) * y.row(0);
    if (has(TwinKind::theta_offset)) write(TwinKind::theta_offset, i * inner);
    if (has(TwinKind::phi_offset)) write(TwinKind::phi_offset, i * outer);
    if (has(TwinKind::theta_scale)) write(TwinKind::theta_scale, i * setting_.theta[k] * inner);
    if (has(TwinKind::phi_scale)) write(TwinKind::phi_scale, i * setting_.phi[k] * outer);
    if (has(TwinKind::mzi_loss)) write(TwinKind::mzi_loss, -per_db * (inner + at_w.col(1) * w.row(1)));
    if (has(TwinKind::theta_imbalance))
      write(TwinKind::theta_imbalance, -per_db / 2 * (inner - at_w.col(1) * w.row(1)));
    if (has(TwinKind::phi_imbalance))
      write(TwinKind::phi_imbalance, -per_db / 2 * (outer - at_y.col(1) * y.row(1)));
  }

  const MeshTopology& topology_;
  const TwinParameters& parameters_;
  const MeshTwin& twin_;
  const MeshProgram& setting_;
  std::vector<MziParts> parts_;
  std::vector<Matrix> in_front_;
  Eigen::VectorXcd screen_;
};

}  // namespace

Matrix twin_jacobian(const MeshTopology& topology, const TwinParameters& parameters, const MeshTwin& twin,
                     const MeshProgram& setting, const Matrix& inputs, bool fields,
                     Eigen::Ref<Eigen::MatrixXd> rows) {
  Sweep sweep(topology, parameters, twin, setting);
  const Matrix out = sweep.forward(inputs);
  Columns columns(out, fields, rows);
  sweep.backward(out, columns);
  return out;
}

}  // namespace optinc
