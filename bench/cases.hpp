#pragma once

#include <vector>

#include "physics/mesh/engine/field_blocks.hpp"
#include "physics/mesh/program.hpp"

namespace optinc::bench {

/// Sizes that rows sweep: ports N and words B.
inline const std::vector<std::int64_t> all_ports = {8, 16, 64, 128, 256, 512};
inline const std::vector<std::int64_t> all_words = {1, 64, 1024, 4096};

/// A Haar unitary on N ports, programmed on a chip with errors of splitters and phases as of preset
/// doped-heaters but no loss, so that fields sent through again and again keep their size.
struct MeshCase {
  MeshTopology topology;
  Matrix target;        ///< (N, N)
  MeshProgram program;  ///< of `target` on a perfect mesh
  MeshErrors errors;
  MeshErrors lossy_errors;  ///< the same with the preset's losses, unequal in every arm
};

/// The case of that size, made at the first call and kept: Google Benchmark calls a row several times to find
/// out how often to repeat it.
const MeshCase& mesh_case(std::int64_t ports);

/// Fields (N, B) of unit variance, Gaussian, the same at every call.
Matrix case_fields(std::int64_t ports, std::int64_t words);

/// The fields in the kernels' own layout, in blocks of so many words; 0: of as many as suit.
template <class Real>
FieldBlocks<Real> in_kernel_layout(const FieldBatchOf<Real>& fields, std::size_t width = 0) {
  const auto ports = static_cast<std::size_t>(fields.ports()), words = static_cast<std::size_t>(fields.words());
  FieldBlocks<Real> blocks(ports, words, width > 0 ? width : words_per_block<Real>(ports, words));
  pack<Real>({fields.re.data(), fields.im.data(), blocks.words}, 0, blocks);
  return blocks;
}

}  // namespace optinc::bench
