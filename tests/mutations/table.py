"""The mutations: one place of the model broken, and the laws of `optinc validate` that must then fail.

Every law stands in one of them at least. `old` occurs once in `file`; `new` compiles."""

from typing import NamedTuple


class Mutation(NamedTuple):
    name: str  # what is broken, for people
    file: str
    old: str
    new: str
    laws: tuple[str, ...]  # of which each must fail at one point at least


CORRECTION = "physics/mesh/engine/correction_kernel.cpp"
SETTLE = "physics/mesh/engine/settle_kernel.cpp"
TOPOLOGY = "physics/mesh/topology.cpp"
ERRORS = "physics/variation/chip_errors.cpp"
DAC = "physics/devices/dac.cpp"
NODES = "physics/thermal/thermal_network.cpp"
NETWORK = "onn/network.cpp"

MUTATIONS = [
    # the interferometer: rows 1 to 3
    Mutation("a coupler's bar field is too small", "physics/devices/coupler.cpp", "bar = std::cos(eta_rad)",
             "bar = std::cos(1.01 * eta_rad)", ("MZI unitary", "couplers in series")),
    Mutation("beta has the wrong sign", "physics/devices/mzi.cpp", "return coupler(pi / 4 + e.beta) * Eigen",
             "return coupler(pi / 4 - e.beta) * Eigen",
             ("MZI reciprocal", "MZI product", "MZI least bar power", "MZI largest bar power")),
    # meshes: rows 1, 4 and 5
    Mutation("the output screen is no phase", "physics/mesh/engine/mzi-inl.hpp", "    return {phase.cosine, phase.sine};",
             "    return {phase.cosine, phase.cosine};", ("mesh unitary", "mesh power")),
    Mutation("a rescaling falls between two columns done at once", SETTLE,
             "column.fused_with_next || c + 1", "(column.fused_with_next && since % 2 == 1) || c + 1",
             ("mesh reciprocal",)),
    Mutation("phi turns the wrong way", "physics/mesh/nulling.cpp", "{2 * std::atan2(s, c), std::arg(turn)}",
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
    Mutation("attenuators are not counted", NETWORK, "(n * (n - 1) / 2 + n)", "(n * (n - 1) / 2)",
             ("MZIs of the 8-bit network", "MZIs of the 16-bit network")),
    Mutation("singular values are not counted", NETWORK, "in * (in - 1) / 2 + std::min(out, in)", "in * (in - 1) / 2",
             ("MZIs of the 8-bit network, full SVD", "MZIs of the 16-bit network, full SVD")),
    Mutation("attenuators have no depth", NETWORK, "(n > 2 ? n : n - 1) + 1;", "(n > 2 ? n : n - 1);",
             ("MZI depth of the 8-bit network",)),
    Mutation("the largest sum is forgotten", "onn/task.hpp", "return 3 * servers + 1;", "return 3 * servers;",
             ("words of the 8-bit task",)),
    Mutation("averages over one server too many", "onn/codes.cpp",
             "averages(m, w) = static_cast<double>(sum) / task.servers;",
             "averages(m, w) = static_cast<double>(sum) / (task.servers + 1);", ("digit averages carry the mean",)),
    Mutation("the word table divides by one server too many", "onn/words.cpp",
             "static_cast<double>(sums[static_cast<std::size_t>(m)]) / task.servers;",
             "static_cast<double>(sums[static_cast<std::size_t>(m)]) / (task.servers + 1);", ("words on a tie",)),
    Mutation("half-up rounds halves down", "onn/task.cpp", "Rounding::half_up && twice_rest >= n",
             "Rounding::half_up && twice_rest > n", ("words right by rounding digits",)),
    Mutation("a threshold is off by a tenth of a digit", "onn/codes.cpp", "y >= 2.5 ? 3u", "y >= 2.4 ? 3u",
             ("PAM4 symbol errors",)),
    # random errors: rows 8 to 12
    Mutation("the second splitter is perfect", ERRORS, "model.sigma_eta_rad * std::sqrt(1.0 - model.rho_ab",
             "0.0 * std::sqrt(1.0 - model.rho_ab",
             ("E0 uncorrected", "E0 uncorrected, 32 ports", "in phase, uncorrected orthogonal")),
    Mutation("a clipped MZI stays as it was", CORRECTION, "const V bounded = hn::Min(hn::Max(share, zero), one);",
             "const V bounded = hn::IfThenElse(clipped, hn::Mul(s, s), share);",
             ("Ec corrected unitary", "Ec corrected unitary, 32 ports", "Ec corrected orthogonal",
              "Ec corrected orthogonal, 16 ports", "in phase, corrected orthogonal")),
    Mutation("the bound of the bar power forgets half of beta", CORRECTION, "SinCos(d, hn::Add(alpha, beta))",
             "SinCos(d, hn::Add(alpha, hn::Mul(half, beta)))", ("clipped MZIs", "coverage")),
    Mutation("the output screen has no offsets", ERRORS, "draw_offsets(ports, e.output_offset);",
             "e.output_offset.setZero(ports);", ("phase error",)),
    Mutation("the DAC truncates", DAC, "step * std::nearbyint(wrapped / step)", "step * std::floor(wrapped / step)",
             ("DAC uniform in phase",)),
    Mutation("the DAC truncates voltages", DAC, "std::nearbyint(steps * std::sqrt", "std::floor(steps * std::sqrt",
             ("DAC uniform in voltage",)),
    # heaters: row 15
    Mutation("half of the die's heat flows back", NODES, "entries.emplace_back(count, j, -leak[j]);", "entries.emplace_back(count, j, -0.5 * leak[j]);",
             ("heater step", "die step")),
    Mutation("a heater in steady state forgets its die", NODES, "power_w, true).array() + die_k, die_k};",
             "power_w, true), die_k};", ("energy balance of a heater",)),
    # unit P, network and loss: rows 16 and 20
    Mutation("the combiner divides powers in place of fields", "physics/devices/power_divider.cpp",
             "return 1.0 / std::sqrt(static_cast<double>(arms));", "return 1.0 / static_cast<double>(arms);",
             ("visibility of unit P", "power of unit P", "spread of unit P", "power that unit P rejects")),
    Mutation("ReLU has a knee above zero", NETWORK, "Eigen::MatrixXd(z.cwiseMax(0.0)) : z",
             "Eigen::MatrixXd(z.cwiseMax(0.1)) : z", ("ReLU homogeneity",)),
    Mutation("a waveguide without an MZI loses nothing", SETTLE, "source.idle_factor * idle_re[i];", "idle_re[i];",
             ("loss in dB adds up",)),
]
