#pragma once

#include <span>
#include <vector>

#include "physics/core/enum_names.hpp"
#include "physics/devices/lowpass.hpp"

namespace optinc {

/// How a clocked receiver takes its sample.
enum class Sampler {
  track_and_hold,      ///< the value at an instant
  integrate_and_dump,  ///< the mean over the symbol that ends at that instant, transitions and all
};

/// As users write them.
template <>
inline constexpr EnumNames enum_names<Sampler> = {"sampler", {"track-and-hold", "integrate-and-dump"}};

/// A low-pass channel that carries one held value a symbol, is sampled once a symbol, and is equalised by a
/// linear filter of a few taps, one symbol apart:
///
///     s_n = sum_k h_k x_{n-k} + sum_k a_k w_{n-k},   y_n = sum_m c_m s_{n-m},
///
/// x the values sent and w white noise of unit variance at the receiver's input, in units of the rms that the
/// receiver's filter makes of it. With S(t) the step response of the channel, averaged over a symbol T where
/// the sampler does, h_k = S(t_0 + k T) - S(t_0 + (k - 1) T).
struct ClockedChannel {
  Sampler sampler = Sampler::track_and_hold;
  std::vector<double> response;  ///< h_k, from k = -response_before on
  std::vector<double> slope;     ///< dh_k/dt at the sampling instant, 1/s
  std::vector<double>
      curvature;               ///< d^2 h_k/dt^2, 1/s^2: late by d, a sample has h + slope d + curvature d^2/2
  int response_before = 0;     ///< samples that a symbol leaves before its own
  std::vector<double> colour;  ///< a_k, from k = 0 on: what filter and sampler leave of the noise of earlier
                               ///< symbols. Squares add up to 1, or to what is left by averaging
  std::vector<double> equaliser;  ///< c_m, from m = -equaliser_before on; adds up to 1
  int equaliser_before = 0;
  double delay_s = 0.0;  ///< from the start of a symbol to its own sample

  /// rms of the noise behind the equaliser over that before the sampler.
  double noise_gain() const;
  /// What a symbol leaves in all samples behind the equaliser, sum_m c_m h_{k-m}.
  std::vector<double> equalised() const;
  /// Place of the symbol's own sample in equalised().
  int own() const;
};

/// A clocked channel with derivatives, each in the receiver's bandwidth, 1/Hz, and the symbol rate, 1/Bd (the
/// third is 0): taps and sampling instant move so that they stay the best.
struct ChannelTangents {
  std::vector<ChannelTangent> response, slope, equaliser;  ///< as those of the channel
  std::vector<ChannelTangent> noise;  ///< correlation of the noise of samples 0, 1 .. symbols apart, one a tap
  ChannelTangent delay_s;
};

/// Those of a channel that clocked_channel() made of these low-passes, rate and weight, by the implicit
/// function theorem.
ChannelTangents channel_tangents(const ClockedChannel& channel, const Lowpass& sender, const Lowpass& receiver,
                                 double symbol_rate_bd, double noise_weight = 0.03);

/// Peak distortion behind the equaliser, sum_{k != 0} |g_k| / g_0 with g = equalised(): see that of a
/// SymbolResponse.
double peak_distortion(const ClockedChannel& channel);

/// The same channel of these low-passes, sampled so much later (earlier: < 0), |later_s| below a symbol.
ClockedChannel sampled_later(const ClockedChannel& channel, const Lowpass& sender, const Lowpass& receiver,
                             double symbol_rate_bd, double later_s);

/// The channel of a sender and a receiver, low-passes both, at a symbol rate and with an equaliser of so many
/// taps (odd; 1: none). Noise enters before the receiver. The sampling instant and the taps are those of least
///
///     sum_k (g_k - delta_k0)^2 + noise_weight^2 sum_mm' c_m r_{m-m'} c_m',   g = h * c,   sum_m c_m = 1,
///
/// interference and noise together, r the noise's correlation from sample to sample (noise_correlation, or
/// averaged_noise_correlation); noise_weight: rms noise before the sampler over rms of the values sent. Throws
/// Error for a rate <= 0, an even number of taps or one beyond 99, a negative weight, and for filters that
/// lowpass.hpp refuses.
ClockedChannel clocked_channel(const Lowpass& sender, const Lowpass& receiver, double symbol_rate_bd,
                               int taps = 1, double noise_weight = 0.03,
                               Sampler sampler = Sampler::track_and_hold);

}  // namespace optinc
