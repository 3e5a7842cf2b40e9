#pragma once

#include "onn/chip/chip.hpp"
#include "onn/link/link.hpp"
#include "onn/task/codes.hpp"

namespace optinc {

/// Which random numbers a transmission uses, and at which server it is received.
struct TransmissionSeed {
  std::uint64_t seed = 1;
  std::uint32_t chip = 0;
  std::uint32_t server = 0;   ///< T broadcasts the same light; each server's receiver adds noise of its own
  std::uint32_t instant = 0;  ///< when: noise is drawn anew at every instant of a chip's life, below 2048
};

/// Field of a lane of unit P of value 1, sqrt(W), where its light is split for so many reads: sqrt(N launch
/// power)/3, over sqrt(copies); twice that with signed levels.
double lane_field_per_unit_sqrt_w(const Task& task, const LinkSettings& link, int copies = 1);

/// nominal_factor of every layer.
std::vector<double> nominal_factors(const ChipState& chip);

/// Field at the inputs of every layer of a signal of value 1, sqrt(W), (layers): the least of its lanes', to
/// which the others are dimmed. A lane behind receivers carries sqrt(full scale)/(largest magnitude of its
/// layer); light that no receiver met, what its layer made of it (`nominal_factors`, one a layer).
/// `visibility`: mean of unit P's fields over lock errors, which calibration sees.
std::vector<double> input_fields_per_unit_sqrt_w(const ChipDesign& design, const LinkSettings& link,
                                                 std::span<const double> nominal_factors,
                                                 double visibility = 1.0);

/// What the receivers behind every layer add to what they see, (layers)(outputs): the network's bias, and the
/// part of the averages that signed levels leave out of the light (dark_digit). Layers without receivers: of no
/// meaning.
std::vector<Eigen::VectorXd> receiver_biases(const ChipDesign& design, const LinkSettings& link);

/// What a server's converter of adc_bits makes of outputs in digits; ideal comparators leave them as they are.
void read_by_converter(const LinkSettings& link, Eigen::Ref<Eigen::MatrixXd> digits);

/// Sends words through the whole light path and returns the received outputs y, (output digits, words), in
/// digits:
///
///   servers   PAM4 fields (server_fields_sqrt_w), one phase-lock error per server and block of words
///   unit P    coherent N:1 combiner per digit lane
///   layers    complex transfer of the chip's meshes; homodyne receiver at every neuron (current, noise),
///             gain and threshold, ReLU and ceiling, re-modulation at the layer's full scale, once for every
///             read
///   unit T    1:N splitter, homodyne receiver at the server
///
/// Gains are those of calibration on the design: they undo mean loss, fan-out, passive scale and the mean
/// visibility of the lock error, and know nothing of this chip's errors. Words are processed in blocks of 512,
/// in parallel; the result does not depend on the threads. Modulators have no ceiling here: noise may drive a
/// neuron above its full scale. Throws Error for settings, codes or a seed out of range.
Eigen::MatrixXd transmit(const ChipDesign& design, const ChipState& chip, const LinkSettings& link,
                         const NoiseSwitches& noise, const Codes& codes, const TransmissionSeed& seed,
                         NoisyReceivers receivers = NoisyReceivers::all);

}  // namespace optinc
