#include "onn/hardware/operating_values.hpp"

#include <algorithm>
#include <type_traits>

namespace optinc {
namespace {

/// Members of a unit that hold the values, in their order.
std::array<double*, operating_variables> members(UnitHardware& u) {
  return {&u.link.launch_power_w,   &u.link.drive_depth,         &u.link.signal_full_scale_w,
          &u.receiver.lo_power_w,   &u.converter.effective_bits, &u.receiver.front_end.bandwidth_hz,
          &u.timing.symbol_rate_bd, &u.neuron.oscillator_w,      &u.neuron.bandwidth_hz,
          &u.owner.launch_power_w,  &u.owner.oscillator_w,       &u.owner.converter_bits,
          &u.owner.drive_depth,     &u.owner.bandwidth_hz};
}

/// What depends on a bandwidth and a rate, as numbers with derivatives in what these depend on.
std::vector<double> chain(const std::vector<ChannelTangent>& of, double, double) {
  std::vector<double> values;
  for (const ChannelTangent& t : of) values.push_back(t.value);
  return values;
}
std::vector<OperatingTangent> chain(const std::vector<ChannelTangent>& of, const OperatingTangent& bandwidth_hz,
                                    const OperatingTangent& rate_bd) {
  std::vector<OperatingTangent> values;
  for (const ChannelTangent& t : of) {
    OperatingTangent& made = values.emplace_back(t.value);
    for (std::size_t k = 0; k < made.slope.size(); ++k)
      made.slope[k] = t.slope[0] * bandwidth_hz.slope[k] + t.slope[1] * rate_bd.slope[k];
  }
  return values;
}

}  // namespace

OperatingValues<double> operating_values(const UnitHardware& hardware) {
  UnitHardware u = hardware;
  OperatingValues<double> values;
  const auto from = members(u);
  for (std::size_t k = 0; k < operating_variables; ++k) *values.all()[k] = *from[k];
  return values;
}

UnitHardware with_values(UnitHardware hardware, OperatingValues<double> values) {
  const auto to = members(hardware);
  for (std::size_t k = 0; k < operating_variables; ++k) *to[k] = *values.all()[k];
  return hardware;
}

OperatingValues<OperatingTangent> as_variables(OperatingValues<double> values) {
  OperatingValues<OperatingTangent> variables;
  for (std::size_t k = 0; k < operating_variables; ++k)
    *variables.all()[k] = OperatingTangent::variable(*values.all()[k], static_cast<int>(k));
  return variables;
}

template <class Real>
StageChannel<Real> stage_channel(const UnitHardware& hardware, const OperatingValues<Real>& values) {
  StageChannel<Real> made;
  UnitHardware at = hardware;
  at.receiver.front_end.bandwidth_hz = value_of(values.bandwidth_hz);
  at.timing.symbol_rate_bd = value_of(values.symbol_rate_bd);
  const std::optional<ClockedChannel> channel = stage_channel(at);
  if (!channel) {
    made.response = made.equaliser = {Real(1.0)}, made.slope = {Real(0.0)};
    return made;
  }
  const auto [modulator, receiver] = stage_lowpasses(at);
  const ChannelTangents t =
      channel_tangents(*channel, modulator, receiver, at.timing.symbol_rate_bd, equaliser_noise);
  const auto chained_of = [&](const std::vector<ChannelTangent>& of) {
    return chain(of, values.bandwidth_hz, values.symbol_rate_bd);
  };
  made.response = chained_of(t.response);
  made.slope = chained_of(t.slope);
  made.equaliser = chained_of(t.equaliser);
  made.delay_s = chained_of({t.delay_s})[0];
  made.response_before = channel->response_before;
  made.equaliser_before = channel->equaliser_before;
  const std::vector<Real> noise = chained_of(t.noise);
  made.noise_gain2 = Real(0.0);
  for (std::size_t m = 0; m < made.equaliser.size(); ++m)
    for (std::size_t n = 0; n < made.equaliser.size(); ++n)
      made.noise_gain2 += made.equaliser[m] * made.equaliser[n] * noise[m > n ? m - n : n - m];
  return made;
}

template StageChannel<double> stage_channel(const UnitHardware&, const OperatingValues<double>&);
template StageChannel<OperatingTangent> stage_channel(const UnitHardware&,
                                                      const OperatingValues<OperatingTangent>&);

}  // namespace optinc
