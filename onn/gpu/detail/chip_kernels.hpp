#pragma once

#include <cstddef>

#include "physics/gpu/chip_draws.hpp"
#include "physics/gpu/number.hpp"

// Whole chips: attenuators behind meshes, layers' matrices, and what stands between two layers. All values of a
// word lie one behind the other, words one behind the other, and then chips.

namespace optinc::gpu {

/// A block's column of attenuators.
struct Attenuators {
  int count = 0, mzis = 0;        ///< mzis 0: none, light passes as asked
  const double* asked = nullptr;  ///< signed transmission (count)
  Draws draws = {};
  Correction correction = {};
  bool known = false;  ///< programmed for the splitters that each has
};

/// Signal-to-signal transmission of those of `chips` chips, (chips, count).
void pass_attenuators(const Attenuators& attenuators, std::uint32_t first, int chips, Number<double>* passed);

/// Where a block stands in its layer's matrix.
struct BlockPlace {
  int ports = 0, rows = 0;  ///< of its mesh; that its attenuators pass on
  int first_row = 0, first_column = 0;
  int outputs = 0, inputs = 0;  ///< of the layer
  double factor = 1.0;          ///< fields at receivers from those behind attenuators, fan-out included
  bool quadrature_in = false;   ///< inputs have two quadratures: columns (in phase, in quadrature)
  bool quadrature_out = false;  ///< and so have outputs: rows
};

/// Writes a block into the matrices of its layer, (chips), column-major, from the fields that its mesh makes of
/// unit vectors, (chips, ports in, ports out).
template <class Real>
void place_block(const BlockPlace& place, const Number<double>* mesh, const Number<double>* passed, int chips,
                 Real* matrices);

/// What a layer may read: values of `rows` numbers a word.
template <class Real>
struct Source {
  const Real* values = nullptr;
  int rows = 0;
  int quadrature = 0;        ///< distance from a lane to its other quadrature; 0: it has none
  std::size_t per_chip = 0;  ///< from the values of a chip to those of the next; 0: all chips have the same
};
constexpr int most_sources = 64;
/// All that the layers of a unit may read.
template <class Real>
struct Sources {
  Source<Real> of[most_sources];  ///< unit P, then the layers
};

/// Where one input of a layer comes from: LaneDesign and its part of LayerPath.
struct Lane {
  int source = 0, row = 0;
  double factor = 1.0;
  double most = 0.0;  ///< a modulator's limit; 0: light that is passed on
};

/// Inputs of a layer, (chips, words, inputs or twice that): gathered().
template <class Real>
void gather(const Lane* lanes, int inputs, bool quadrature, const Sources<Real>& sources, int words, int chips,
            Real* to);

/// What receivers make of their layer's light, and the modulators behind them: settings of LayerDesign,
/// LayerPath and ReceiverVariance, fields in sqrt(W), currents in A.
template <class Real>
struct Receivers {
  int outputs = 0, rows = 0;  ///< rows: with the other quadrature
  Real current_per_field = 1, gain = 1;
  const Real* bias = nullptr;
  // neurons, unless they are the servers': drive (min(max(value, 0), ceiling) + offset), at most `most` where
  // that is not 0
  bool servers = false;
  Real ceiling = 0, drive = 1, offset = 0, most = 0;
  // noise
  bool noisy = false;
  Real dark_a2 = 0, per_watt_a2 = 0;
  Real intensity = 0, oscillator_a = 0;  ///< rms of dI/I, and the oscillator's current that it acts on as well
  int drawn_before = 0;                  ///< normals of a word that earlier layers have drawn

  /// Normals that it draws of a word: the seed's, and one a receiver.
  constexpr int drawn() const { return outputs + (intensity > 0 ? 1 : 0); }
};

/// What the noise of some words is drawn from; the first word begins a block.
struct NoiseOfWords {
  StreamKey key = {};             ///< of block of words 0, of the first chip
  std::uint32_t chip = 0;         ///< the first
  std::uint32_t first = 0;        ///< number of the first word in its part of the table
  std::uint32_t part_words = 0;   ///< words of that part
  std::uint32_t block_words = 0;  ///< words of a block, and the streams that it has
  std::uint32_t block_streams = 0;
};

/// Normals of noisy receivers, (chips, words, drawn()).
template <class Real>
void draw_normals(const Receivers<Real>& receivers, const NoiseOfWords& noise, int words, int chips,
                  Real* normals);

/// Replaces fields, (chips, words, rows), by the drives of modulators, or by digits where the receivers are the
/// servers'; rows of the other quadrature stay.
template <class Real>
void receive(const Receivers<Real>& receivers, int words, int chips, const Real* normals, Real* fields);

/// Servers' values, in digits, into (chips, words, digits) from digit `first` on.
template <class Real>
void put_digits(const Real* values, int rows, int outputs, int first, int digits, int words, int chips,
                double* to);

/// Products of chips' matrices and their words, by cuBLAS.
class MatrixProducts {
 public:
  MatrixProducts();
  ~MatrixProducts();
  MatrixProducts(const MatrixProducts&) = delete;
  MatrixProducts& operator=(const MatrixProducts&) = delete;
  /// out (chips, words, rows) = matrices (chips, rows x columns) times in (chips, or 1 unless `in_of_chips`;
  /// words, columns), of which a word takes `in_rows` numbers.
  template <class Real>
  void multiply(const Real* matrices, int rows, int columns, const Real* in, int in_rows, bool in_of_chips,
                int words, int chips, Real* out);

 private:
  void* handle_ = nullptr;
};

}  // namespace optinc::gpu
