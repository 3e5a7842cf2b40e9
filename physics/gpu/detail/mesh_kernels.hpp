#pragma once

#include <cstddef>
#include <cstdint>

#include "physics/gpu/chip_draws.hpp"
#include "physics/gpu/number.hpp"

// What the host asks of the GPU, in plain arrays: compiled by both compilers. All pointers are to memory on the
// GPU; all launches are in order on one stream.

namespace optinc::gpu {

/// Ports that a thread keeps in its registers at most.
template <class Real>
constexpr int most_per_lane = sizeof(Real) == 4 ? 16 : 8;

/// The wiring of a mesh. Every column has `slots`, each an MZI or a port that passes the column by itself.
///
/// Where every column is a run of neighbours, a vector's fields lie in the registers of `lanes` threads of one
/// warp, `ports_per_lane` in each; slot s of a column joins ports 2s and 2s + 1 (shift 0), or 2s - 1 and 2s
/// (shift 1), and lies where lanes read neighbours in memory (place_of_slot). Any other mesh keeps its fields
/// in memory (ports_per_lane = 0), and its slots name their ports.
struct Wiring {
  int ports = 0, columns = 0, mzis = 0, slots = 0;
  int stride = 0;  ///< ports that a vector takes in memory
  int lanes = 0, ports_per_lane = 0;
  const std::int32_t* shift = nullptr;                    ///< (columns)
  const std::int32_t* place = nullptr;                    ///< (MZIs) where its rows lie: column slots + slot
  const std::int32_t* pairs = nullptr;                    ///< (MZIs, 2) upper and lower port
  const std::int32_t* column_begin = nullptr;             ///< (columns + 1) first MZI of each
  const std::int32_t *upper = nullptr, *lower = nullptr;  ///< (columns, slots) ports; -1: none
};

/// Where slot s of a column lies where fields are in registers: lane by lane.
inline int place_of_slot(const Wiring& w, int s) {
  const int each = w.ports_per_lane / 2;
  return s % each * (w.lanes + 1) + s / each;
}

/// Phases and errors of a mesh: MeshParameters on the GPU. Errors may be null: none.
template <class Real>
struct Parameters {
  const Real *theta, *phi, *output_phase;
  const Real *alpha, *beta, *theta_offset, *phi_offset, *theta_arm_db, *phi_arm_db, *theta_other_db,
      *phi_other_db, *output_offset;
  std::size_t per_chip;  ///< from the phases of a chip to those of the next; 0: all chips have the same
};

/// A settled mesh: rows of every slot (columns, slots) and the screen (stride). Of many chips, one behind the
/// other. Those of the inverse may be null: not needed.
template <class Real>
struct Rows {
  Row<Real>*upper = nullptr, *lower = nullptr;
  Number<Real>* screen = nullptr;
  Row<Real>*upper_inverse = nullptr, *lower_inverse = nullptr;
};

/// How the outputs y of a chip differ from those of another mesh, y0, summed over ports and words.
struct Overlap {
  double re, im;  ///< sum of conj(y0) (y - y0)
  double error;   ///< sum of |y - y0|^2
};

/// Rows of slots without an MZI, `chips` times.
template <class Real>
void fill_idle(const Wiring& wiring, Real idle_factor, int chips, const Rows<Real>& rows);

/// Rows and screen of one mesh.
template <class Real>
void settle(const Wiring& wiring, const Parameters<Real>& parameters, const Rows<Real>& rows);

/// Phases of `chips` chips, corrected for the splitters that each draws: (chips) of theta, phi (MZIs) and
/// output phases (ports), one behind the other.
template <class Real>
void correct_chips(const Wiring& wiring, const Parameters<Real>& program, const Draws& draws,
                   const Correction& correction, std::uint32_t first, int chips, Real* phases);

/// Where fields come from and what becomes of them: (words, stride) each.
template <class Real>
struct Passage {
  const Number<Real>* inputs = nullptr;
  Number<Real>* outputs = nullptr;  ///< of every chip, one behind the other; null: not kept
  Number<Real>* in_front =
      nullptr;  ///< fields in front of every column (columns, words, stride); null: not kept
  const Number<Real>* others = nullptr;  ///< y0; null: no overlap
  Overlap* overlaps = nullptr;           ///< (chips, groups())
  int words = 0;
};

/// Groups of words whose overlaps are summed apart.
template <class Real>
int groups(const Wiring& wiring, int words);

/// Sends fields through a settled mesh. `scratch`: groups() times 32 ports where the mesh keeps fields in
/// memory, else null.
template <class Real>
void propagate(const Wiring& wiring, const Rows<Real>& rows, const Passage<Real>& passage,
               Number<Real>* scratch);

/// Draws chips `first`, `first` + 1, .., settles them and sends fields through each. `rows` and `scratch` for
/// all of them; rows are left out (null) where needs_rows() is false, as they stay in the memory of a block.
template <class Real>
void propagate_chips(const Wiring& wiring, const Parameters<Real>& program, const Draws& draws,
                     Real idle_factor, std::uint32_t first, int chips, const Rows<Real>& rows,
                     const Passage<Real>& passage, Number<Real>* scratch);
template <class Real>
bool needs_rows(const Wiring& wiring, int words);

/// What reverse mode starts from and what it finds. A part is the words of a block; its sums are added up
/// apart.
template <class Real>
struct Return {
  const Number<Real>* gradient = nullptr;  ///< at the outputs (words, stride)
  Number<Real>* input_gradient = nullptr;  ///< (words, stride)
  Real* sums = nullptr;                    ///< of x lambda^H (parts, columns, slots, 8)
  Real* screen_sums = nullptr;             ///< of Im(lambda conj(y)) at the outputs (parts, stride)
  int* check =
      nullptr;  ///< bits of two floats: the largest input, and the largest error of one found by inverting
};

/// Reverse mode of one mesh, by fields in front of columns where passage.in_front holds them, else by inverting
/// its MZIs: not for a mesh that keeps fields in memory.
template <class Real>
void walk_back(const Wiring& wiring, const Rows<Real>& rows, const Passage<Real>& passage,
               const Return<Real>& back_to, Number<Real>* scratch);
template <class Real>
int parts(const Wiring& wiring, int words);

/// Adds `count` numbers of every part to `total`, in a fixed order; sums are written over.
template <class Real>
void add_parts(Real* sums, int parts, std::size_t count, Real* total);

/// Derivatives by theta, phi, alpha, beta, losses of the arms (theta, phi, theta other, phi other), each
/// (MZIs), and behind them the sum of what `idle` numbers of the sums: one of each port that passes a column by
/// itself.
template <class Real>
void differentiate(const Wiring& wiring, const Parameters<Real>& parameters, const std::int32_t* idle,
                   int idle_count, const Real* sums, Real* derivatives);

/// Between planes (ports, words) and vectors (words, stride).
template <class Real>
void pack(const Wiring& wiring, const Real* re, const Real* im, int words, Number<Real>* fields);
template <class Real>
void unpack(const Wiring& wiring, const Number<Real>* fields, int words, Real* re, Real* im);
/// From vectors (words, stride) to (words, ports).
template <class Real>
void unpack(const Wiring& wiring, const Number<Real>* fields, std::size_t words, Number<Real>* ports);

}  // namespace optinc::gpu
