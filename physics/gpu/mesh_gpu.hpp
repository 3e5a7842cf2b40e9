#pragma once

#include <cmath>
#include <complex>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "physics/mesh/correction.hpp"
#include "physics/mesh/mesh_gradient.hpp"
#include "physics/variation/chip_deviations.hpp"

namespace optinc {

/// Name of the GPU that MeshGpu uses, the first there is; empty where there is none.
std::string gpu_name();

/// Fields (words, ports) in the memory of the GPU; moved, never copied. Made by MeshGpu::upload().
template <class Real>
class GpuFields {
 public:
  GpuFields();
  GpuFields(GpuFields&&) noexcept;
  GpuFields& operator=(GpuFields&&) noexcept;
  ~GpuFields();
  /// Words.
  Eigen::Index words() const { return words_; }

 private:
  template <class>
  friend class MeshGpu;
  struct Memory;
  std::unique_ptr<Memory> memory_;
  Eigen::Index words_ = 0;
  int ports_ = 0, ports_per_lane_ = 0;  ///< how they lie there
};

/// One mesh on a GPU, the counterpart of MeshEngine: the same fields within rounding, and the same chips, drawn
/// from the same streams. Worth it for thousands of chips or words; a single small batch costs more to be
/// copied than to be computed. Up to 512 ports (256 in double) a vector's fields stay in the registers of one
/// warp where every column is a run of neighbours; other meshes keep them in memory. `Real` is float or double.
/// Sums have an order of their own: the same input gives the same bits. For one thread at a time.
///
///     MeshGpu<float> mesh(clements_topology(64));
///     const auto chips = mesh.chip_deviations(program, error_preset("doped-heaters"), {1}, 100000, fields);
template <class Real>
class MeshGpu {
 public:
  /// Throws Error where no GPU is there, and where the topology is no list of columns of disjoint pairs.
  explicit MeshGpu(const MeshTopology& topology);
  MeshGpu(MeshGpu&&) noexcept;
  MeshGpu& operator=(MeshGpu&&) noexcept;
  ~MeshGpu();

  /// Sets every MZI up from phases and errors. Throws Error where their sizes are not the topology's, and where
  /// one is NaN or infinite.
  void settle(const MeshProgramOf<Real>& program, const MeshErrorsOf<Real>& errors);

  /// Fields (ports, words) to the GPU. Throws Error where the ports differ, and for over 2^24 words.
  GpuFields<Real> upload(const FieldBatchOf<Real>& fields) const;
  /// Fields (ports, words) back from the GPU, when all that was launched is done. Throws Error for fields that
  /// were uploaded for another mesh.
  FieldBatchOf<Real> download(const GpuFields<Real>& fields) const;

  /// Sends fields through the settled mesh, in place. The GPU goes on while this returns; download() and wait()
  /// wait for it. Throws Error where the mesh was not settled, and for fields that were
  /// uploaded for another.
  void propagate(GpuFields<Real>& fields) const;
  /// The same from and to the host.
  void propagate(FieldBatchOf<Real>& fields) const;

  /// Forward and back: sends `inputs` through the settled mesh and replaces `gradient`, that of a real loss at
  /// the outputs, by the gradient at the inputs (convention: MeshGradientOf). Inverts the MZIs on the way back,
  /// as MeshEngine::backward(); where that is seen to be inexact, and in a mesh whose fields lie in memory, the
  /// fields in front of every column are kept instead. Throws Error where shapes differ.
  MeshGradientOf<Real> backward(const GpuFields<Real>& inputs, GpuFields<Real>& gradient) const;
  /// The same from and to the host.
  MeshGradientOf<Real> backward(const FieldBatchOf<Real>& inputs, FieldBatchOf<Real>& gradient) const;

  /// chip_deviations() on the GPU: the same chips and sums. The settled mesh is not touched.
  std::vector<ChipDeviation> chip_deviations(const MeshProgramOf<Real>& program, const ErrorModel& model,
                                             const MeshAddress& first, std::uint32_t chips,
                                             const FieldBatchOf<Real>& fields) const;
  /// The fields that leave those chips, (chips) of (ports, words). With `corrected`, phases are corrected for
  /// each chip's splitters (correct_splitters) before they go onto the DAC's grid. Throws Error as it does.
  std::vector<FieldBatchOf<Real>> chip_fields(const MeshProgramOf<Real>& program, const ErrorModel& model,
                                              const MeshAddress& first, std::uint32_t chips,
                                              const FieldBatchOf<Real>& fields,
                                              std::optional<Clipping> corrected = {}) const;
  /// The same in the memory of the GPU: calls use(number of the first, from 0; chips; fields (chips, words,
  /// ports)) for some chips at a time. `use` may launch work on these fields, which are overwritten after it
  /// returns, and must not call this mesh. `fields`: of upload().
  void chip_fields(
      const MeshProgramOf<Real>& program, const ErrorModel& model, const MeshAddress& first,
      std::uint32_t chips, const GpuFields<Real>& fields, std::optional<Clipping> corrected,
      const std::function<void(std::uint32_t, std::uint32_t, const std::complex<Real>*)>& use) const;

  /// Waits until the GPU has done what was asked of it.
  void wait() const;

 private:
  struct State;
  template <class See>
  void through_chips(const MeshProgramOf<Real>& program, const ErrorModel& model, const MeshAddress& first,
                     std::uint32_t chips, const GpuFields<Real>& fields, std::optional<Clipping> corrected,
                     bool compare, See see) const;
  std::unique_ptr<State> state_;
};

}  // namespace optinc
