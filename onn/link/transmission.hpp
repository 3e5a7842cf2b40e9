#pragma once

#include "onn/link/noise.hpp"
#include "onn/task/codes.hpp"

namespace optinc {

/// What the steps of a server's converter make of outputs in digits.
void quantise_digits(const AdcSettings& converter, Eigen::Ref<Eigen::MatrixXd> digits);

/// Sends words through the whole light path and returns the received outputs y, (output digits, words), in
/// digits:
///
///   servers   PAM4 fields (server_fields_sqrt_w), one phase-lock error per server and block of words
///   unit P    coherent N:1 combiner per digit lane; or a photodiode that adds the powers of unlocked lasers,
///   and
///             a modulator of fresh light for every read (incoherent_unit_p), for link.averaging = incoherent
///   layers    complex transfer of the chip's meshes; homodyne receiver at every neuron (current, noise),
///             gain and threshold, ReLU and ceiling, re-modulation at the layer's full scale, once for every
///             read
///   unit T    1:N splitter, homodyne receiver and converter at the server
///
/// Gains are those of calibration on the design: they undo mean loss, fan-out, passive scale, passive_losses()
/// and the mean visibility of the lock error, and know nothing of this chip's errors. Words are processed in
/// blocks of 512, in parallel; the result does not depend on the threads. No modulator sends more than its full
/// scale, whatever noise drives it to.
///
/// With time.sampling = clocked, rows of `codes` are words in succession, the first after the last, and every
/// received value is what stage_channel() makes of it and its neighbours: interference, skew, jitter, coloured
/// noise, the front end's offset and overload, then the equaliser. Codes in order interfere less than codes at
/// random: send them as a real link would. Without equalisers, slow words are settled ones to 1e-9. With
/// time.sampling = unclocked, all of it happens at samples_per_symbol samples of every symbol, without
/// equalisers, and servers read every digit at the sample that is nearest to the settled outputs of the first
/// words, found without noise.
///
/// Where electronics add (Task::adder), words hop over links: transmit_by_hops(), with all receivers noisy.
///
/// unit.arithmetic says in which numbers; the draws are the same. Throws Error for
/// settings, codes or a seed out of range.
Eigen::MatrixXd transmit(const LitUnit& unit, const Codes& codes, const TransmissionSeed& seed,
                         NoisyReceivers receivers = NoisyReceivers::all);

}  // namespace optinc
