"""The mutations: one place of the model broken, and the laws of `optinc validate` that must then fail.

Every law stands in one of them at least. `old` occurs once in `file`; `new` compiles."""

from typing import NamedTuple


class Mutation(NamedTuple):
    name: str  # what is broken, for people
    file: str
    old: str
    new: str
    laws: tuple[str, ...]  # of which each must fail at one point at least


CORRECTION = "physics/mesh/engine/detail/correction_kernel.cpp"
SETTLE = "physics/mesh/engine/detail/settle_kernel.cpp"
TOPOLOGY = "physics/mesh/topology.cpp"
ERRORS = "physics/variation/chip_errors.cpp"
DAC = "physics/devices/dac.cpp"
BLOCKS = "physics/mesh/blocks.cpp"
HEATER = "physics/devices/thermo_optic_shifter.cpp"
FIELD = "physics/variation/random_field.cpp"
ACTIVATION = "physics/devices/activation.cpp"
NODES = "physics/thermal/thermal_network.cpp"
NETWORK = "onn/network/network.cpp"
CIRCUIT = "physics/circuit/circuit.cpp"

MUTATIONS = [
    # the interferometer: rows 1 to 3
    Mutation("a coupler's bar field is too small", "physics/devices/coupler.cpp", "bar = std::cos(eta_rad)",
             "bar = std::cos(1.01 * eta_rad)", ("MZI unitary", "couplers in series")),
    Mutation("beta has the wrong sign", "physics/devices/mzi.cpp", "return coupler(pi / 4 + e.beta) * Eigen",
             "return coupler(pi / 4 - e.beta) * Eigen",
             ("MZI reciprocal", "MZI product", "MZI least bar power", "MZI largest bar power")),
    # meshes: rows 1, 4 and 5
    Mutation("the output screen is no phase", "physics/mesh/engine/detail/mzi-inl.hpp", "    return {phase.cosine, phase.sine};",
             "    return {phase.cosine, phase.cosine};", ("mesh unitary", "mesh power")),
    Mutation("a rescaling falls between two columns done at once", SETTLE,
             "column.fused_with_next || c + 1", "(column.fused_with_next && since % 2 == 1) || c + 1",
             ("mesh reciprocal",)),
    Mutation("phi turns the wrong way", "physics/mesh/detail/nulling.cpp", "{2 * std::atan2(s, c), std::arg(turn)}",
             "{2 * std::atan2(s, c), -std::arg(turn)}",
             ("Clements reconstruction", "Clements reconstruction, orthogonal", "Reck reconstruction")),
    Mutation("an MZI at the edge is forgotten", TOPOLOGY, "upper = c % 2; upper + 1 < ports;",
             "upper = c % 2; upper + 2 < ports;", ("Clements MZIs",)),
    Mutation("one column too many", TOPOLOGY, "for (int c = 0; c < ports; ++c) {", "for (int c = 0; c <= ports; ++c) {",
             ("Clements depth",)),
    Mutation("one triangular column too many", TOPOLOGY, "for (int c = 0; c <= 2 * ports - 4; ++c) {",
             "for (int c = 0; c <= 2 * ports - 3; ++c) {", ("Reck depth",)),
    Mutation("phi' leaves out the phase of the imperfect MZI", CORRECTION,
             "Times(TimesConj(w00, w01), TimesConj(r01, r00))", "TimesConj(w00, w01)",
             ("correction without clips", "slope of Ec orthogonal")),
    # sizes and codes: rows 6, 7 and 14
    Mutation("attenuators are not counted", NETWORK, "(mesh + attenuators)", "mesh",
             ("MZIs of the 8-bit network", "MZIs of the 16-bit network")),
    Mutation("singular values are not counted", NETWORK, "in * (in - 1) / 2 + std::min(out, in)", "in * (in - 1) / 2",
             ("MZIs of the 8-bit network, full SVD", "MZIs of the 16-bit network, full SVD")),
    Mutation("attenuators have no depth", NETWORK, "return mesh + (layer.attenuated ? 1 : 0);", "return mesh;",
             ("MZI depth of the 8-bit network",)),
    Mutation("the largest sum is forgotten", "onn/task/task.hpp", "return largest_symbol() * servers + 1;", "return largest_symbol() * servers;",
             ("words of the 8-bit task",)),
    Mutation("averages over one server too many", "onn/task/codes.cpp",
             "averages(m, w) = average_of_sum(task, sum);",
             "averages(m, w) = average_of_sum(task, sum) * task.servers / (task.servers + 1);", ("digit averages carry the mean",)),
    Mutation("the word table divides by one server too many", "onn/task/words.cpp",
             "average_of_sum(task, sums[static_cast<std::size_t>(m)]);",
             "average_of_sum(task, sums[static_cast<std::size_t>(m)]) * task.servers / (task.servers + 1);", ("words on a tie",)),
    Mutation("half-up rounds halves down", "onn/task/task.cpp", "Rounding::half_up && twice_rest >= n",
             "Rounding::half_up && twice_rest > n", ("words right by rounding digits",)),
    Mutation("a threshold is off by a tenth of a digit", "onn/task/codes.cpp", "y >= 2.5 ? 3u", "y >= 2.4 ? 3u",
             ("PAM4 symbol errors",)),
    # random errors: rows 8 to 12
    Mutation("the second splitter is perfect", ERRORS, "model.sigma_eta_rad * std::sqrt(1.0 - model.rho_ab",
             "0.0 * std::sqrt(1.0 - model.rho_ab",
             ("E0 uncorrected", "E0 uncorrected, 32 ports", "in phase, uncorrected orthogonal",
              "in phase, uncorrected, trained 4-bit", "in phase, uncorrected, trained 8-bit")),
    Mutation("a clipped MZI stays as it was", CORRECTION, "const V bounded = hn::Min(hn::Max(share, zero), one);",
             "const V bounded = hn::IfThenElse(clipped, hn::Mul(s, s), share);",
             ("Ec corrected unitary", "Ec corrected unitary, 32 ports", "Ec corrected orthogonal",
              "Ec corrected orthogonal, 16 ports", "in phase, corrected orthogonal",
              "Ec corrected, trained 4-bit", "Ec corrected, trained 8-bit", "in phase, corrected, trained 4-bit",
              "in phase, corrected, trained 8-bit")),
    Mutation("the bound of the bar power forgets half of beta", CORRECTION, "SinCos(d, hn::Add(alpha, beta))",
             "SinCos(d, hn::Add(alpha, hn::Mul(half, beta)))", ("clipped MZIs", "coverage")),
    Mutation("the two splitters of an MZI err in opposite senses", ERRORS,
             "e.beta += static_cast<Real>(model.rho_ab) * e.alpha;", "e.beta -= static_cast<Real>(model.rho_ab) * e.alpha;",
             ("E0 uncorrected, splitters correlated",)),
    Mutation("one of the four arms of an MZI loses the mean", ERRORS, "draw(losses, model.arm_loss_spread_db,",
             "draw(losses, arms == &e.phi_other_loss_db ? 0.0 : model.arm_loss_spread_db,", ("loss spread",)),
    Mutation("the eigenvalues of losses reach half as far", "physics/mesh/headroom.cpp", "radius = 2 * e", "radius = e",
             ("fitted phases", "fitted phases, 16 ports: spread", "fitted phases, 16 ports: oscillators")),
    Mutation("the output screen has no offsets", ERRORS, "draw_offsets(ports, e.output_offset);",
             "e.output_offset.setZero(ports);", ("phase error",)),
    Mutation("the DAC truncates", DAC, "step * std::nearbyint(wrapped / step)", "step * std::floor(wrapped / step)",
             ("DAC uniform in phase",)),
    Mutation("the DAC truncates voltages", DAC, "std::nearbyint(steps * std::sqrt", "std::floor(steps * std::sqrt",
             ("DAC uniform in voltage",)),
    # three splitters an MZI: rows 13 and 13b
    Mutation("the second splitter is taken for perfect", BLOCKS, "errors.mzi.beta = splitters.beta[k];",
             "errors.mzi.beta = 0.0;",
             ("Ec three splitters", "Ec three splitters, 16 ports", "growth of Ec three splitters",
              "clipped MZIs of three splitters", "balanced MZIs corrected exactly")),
    Mutation("balanced phases act on one arm", "physics/devices/mzi_variants.cpp", "phase_shifter(-both / 2 - 3 * pi / 4)",
             "phase_shifter(0 * both - 3 * pi / 4)", ("balanced MZIs clip never", "balanced MZIs corrected exactly", "balanced MZIs exact, trained 4-bit",
              "balanced MZIs exact, trained 8-bit")),
    # receivers: rows 14 and 19
    Mutation("thresholds lean to the noisier level", "physics/devices/pam_decision.cpp",
             "(b.rms * a.mean + a.rms * b.mean)", "(a.rms * a.mean + b.rms * b.mean)",
             ("PAM4 symbol errors, noise of each level",)),
    Mutation("the penalty of four levels counts twice", "physics/devices/pam_decision.cpp",
             "return 2 * (levels - 1) * pam_q", "return 2 * (levels - 1) * (levels - 1) * pam_q",
             ("Patel sensitivity", "Patel sensitivity, no worse than measured")),
    # heaters: rows 15 and 17
    Mutation("half of the die's heat flows back", NODES, "entries.emplace_back(count, j, -leak[j]);", "entries.emplace_back(count, j, -0.5 * leak[j]);",
             ("heater step", "die step", "steady state reached in time")),
    Mutation("a heater in steady state forgets its die", NODES, "power_w, true).array() + die_k, die_k};",
             "power_w, true), die_k};", ("energy balance of a heater",)),
    Mutation("a link leaks at one end", NODES, "entries.emplace_back(a, a, g);", "entries.emplace_back(a, a, 2 * g);",
             ("steady state by LU", "energy balance of a network", "ladder of heaters")),
    Mutation("exact steps are a thousandth too long", "physics/thermal/detail/thermal_exact.cpp", "-std::expm1(-z) / z",
             "-std::expm1(-1.001 * z) / z",
             ("heater step, exponential", "heater step, eigenvectors", "exponential against dopri5",
              "eigenvectors against dopri5")),
    Mutation("exact steps follow a ramp a hundredth too fast", "physics/thermal/detail/thermal_exact.cpp",
             "return (1 - phi_1(z)) / z;\n  double sum = 0, term = 0.5;",
             "return 1.01 * (1 - phi_1(z)) / z;\n  double sum = 0, term = 0.505;",
             ("ramp of the ambient, exponential", "ramp of the ambient, eigenvectors", "ramp of the ambient, quasi-static",
              "swing of the ambient, exponential", "swing of the ambient, eigenvectors", "swing of the ambient, quasi-static")),
    Mutation("dopri5 sees half of a ramp", "physics/thermal/detail/thermal_odeint.cpp",
             "run.slope_k_per_s(k) * (t - run.times_s[k]);", "0.5 * run.slope_k_per_s(k) * (t - run.times_s[k]);",
             ("ramp of the ambient, dopri5", "swing of the ambient, dopri5")),
    Mutation("rosenbrock4 sees half of a ramp", "physics/thermal/detail/thermal_odeint.cpp",
             "slope[die] = die_rate * run.slope_k_per_s(k);", "slope[die] = 0.5 * die_rate * run.slope_k_per_s(k);",
             ("ramp of the ambient, rosenbrock4", "swing of the ambient, rosenbrock4")),
    Mutation("DT_pi over the way there and back", HEATER, "d.wavelength_m / (2 * d.length_m * d.dn_dt_per_k)",
             "d.wavelength_m / (d.length_m * d.dn_dt_per_k)",
             ("Harris heater, rise for pi", "Harris heater, thermal resistance", "Harris heater, heat capacity")),
    Mutation("tau is one over the bandwidth", HEATER, "f.time_constant_s = 1 / (2 * pi * d.bandwidth_hz);",
             "f.time_constant_s = 1 / d.bandwidth_hz;", ("Harris heater, time constant", "Harris heater, heat capacity")),
    Mutation("drive power is V^2 / 2R", HEATER, "std::sqrt(d.p_pi_w * d.resistance_ohm * u",
             "std::sqrt(2 * d.p_pi_w * d.resistance_ohm * u", ("Harris heater, voltage for pi",)),
    # unit P, network and loss: rows 16 and 20
    Mutation("the combiner divides powers in place of fields", "physics/devices/power_divider.cpp",
             "return 1.0 / std::sqrt(static_cast<double>(arms));", "return 1.0 / static_cast<double>(arms);",
             ("visibility of unit P", "power of unit P", "spread of unit P", "power that unit P rejects")),
    Mutation("ReLU has a knee above zero", NETWORK, "return z.cwiseMax(0.0)", "return z.cwiseMax(0.1)", ("ReLU homogeneity",)),
    Mutation("a waveguide without an MZI loses nothing", SETTLE, "source.idle_factor * idle_re[i];", "idle_re[i];",
             ("loss in dB adds up",)),
    # processes in time: row 16
    Mutation("half of the innovation is missing", "physics/random/ornstein_uhlenbeck.cpp", "-std::expm1(-2 * elapsed_s",
             "-std::expm1(-elapsed_s", ("Ornstein-Uhlenbeck autocorrelation", "Ornstein-Uhlenbeck variance")),
    Mutation("half of the linewidth", "physics/devices/laser.cpp", "return 2 * pi * linewidth_hz * std::abs(elapsed_s);",
             "return pi * linewidth_hz * std::abs(elapsed_s);", ("laser phase walk",)),
    # amplifier and activation: rows 18 and 21
    Mutation("spontaneous emission of both polarisations in one", "physics/devices/amplifier.cpp",
             "return photon_j * (noise_factor * gain - 1) / 2;", "return photon_j * (noise_factor * gain - 1);",
             ("OSNR of an SOA", "beat noise behind an SOA")),
    Mutation("the tap sees the sign of the field", ACTIVATION,
             "Complex ElectroOptic::forward(Complex z) const {\n  const double psi = gain_rad_per_w * std::norm(z)",
             "Complex ElectroOptic::forward(Complex z) const {\n  const double psi = gain_rad_per_w * z.real()",
             ("electro-optic activation odd", "electro-optic power")),
    Mutation("the slope of psi has the wrong sign", ACTIVATION, "-i * k * gain_rad_per_w * turn", "i * k * gain_rad_per_w * turn",
             ("electro-optic Wirtinger derivatives",)),
    # random fields: row 22
    Mutation("the factor stands the wrong way round", FIELD,
             "return field.cholesky.triangularView<Eigen::Lower>() * normals;\n}\n\n}  // namespace optinc",
             "return field.cholesky.transpose() * normals;\n}\n\n}  // namespace optinc",
             ("field covariance, gaussian, Cholesky", "field covariance, exponential, Cholesky",
              "worst pair of a field, gaussian, Cholesky", "worst pair of a field, exponential, Cholesky")),
    Mutation("eigenvalues for real normals", "physics/variation/detail/circulant_field.cpp", "].real()) / nodes);",
             "].real()) / nodes / 2);",
             ("field covariance, gaussian, circulant", "field covariance, exponential, circulant",
              "worst pair of a field, gaussian, circulant", "worst pair of a field, exponential, circulant")),
    # circuits: rows 23 and 24
    Mutation("a loop turns every field by half a wave", CIRCUIT, "  left -= matrix;", "  left += matrix;",
             ("extinction of a ring", "critical coupling of a ring", "Fabry-Perot resonator", "energy in a circuit")),
    Mutation("light leaves without the device that it leaves", CIRCUIT,
             "      for (const Term& term : outputs[e].fields)\n        row += coefficient(term) * fields",
             "      for (const Term& term : outputs[e].fields)\n        row += std::abs(coefficient(term)) * fields",
             ("reciprocity of a circuit", "a mesh as a circuit")),
    Mutation("the index has half of its slope", "physics/devices/waveguide.cpp", "return fit.index + fit.slope_per_um * x",
             "return fit.index + fit.slope_per_um / 2 * x", ("free spectral range of a ring",)),
]
