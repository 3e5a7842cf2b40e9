#pragma once

#include "experiments/fabrics/interconnect/fat_tree.hpp"
#include "experiments/fabrics/interconnect/scenario.hpp"
#include "experiments/fabrics/interconnect/workloads.hpp"

// The field table of scenarios: parsing, --keys, the result file and their documents come from here. The third
// argument of visit says who reads the key.

namespace optinc {

template <Like<Scenario> S, class Visitor>
void visit_rows(S& s, Visitor&& visit) {
  constexpr double s_max = 1e6, rate_max = 1e18;
  const bool fat_tree = s.network == "fat-tree", sip_ring = s.network == "sip-ring",
             sip_ocs = s.network == "sip-ocs", oddl = s.network == "oddl", optinc = s.network == "optinc";
  const bool circuits = s.circuit_switched(), tree = optinc && !circuits;
  const bool adding = s.collective == "adding-switch", scaled = s.bits_of_scales() > 0,
             words = s.weights == 0 && s.workload.starts_with("llama"), counted = s.compute_s < 0.0;
  const bool switches = s.network == "switch" || fat_tree || (optinc && scaled);
  const bool routed = fat_tree && (!adding || scaled), placed = fat_tree || sip_ring;
  const bool hashed = routed && s.routing == "ecmp";

  visit(Row{"name", "1", "Name of the curve; scenarios with different numbers of servers may share it"}, s.name,
        true);
  visit(Row{"reference", "1",
            "Reference scenario with the same number of servers; its iteration time is 1 in the "
            "normalised results"},
        s.reference, true);
  visit(Row{"note", "1", "Remark for the reader of the results"}, s.note, true);
  visit(Row{"calibrated", "1", "Whether parameters were chosen to reproduce a published result"}, s.calibrated,
        true);
  visit(name_row("network", "Network that connects the servers", interconnect_names), s.network, true);
  static constexpr FormerName former[] = {
      {"in-network", "adding-switch", "It is called \"adding-switch\" now."}};
  Row collective = name_row("collective", "Collective operation that averages the gradients", collective_names);
  collective.former = former;
  visit(collective, s.collective, true);
  visit(name_row("workload", "Model to train", workload_names()), s.workload, s.weights == 0);
  visit(Row{"weights", "1",
            "Weights of a model of your own in place of workload; 0: those of workload. Its forward pass "
            "takes one multiply-add per weight and sample; give compute_s where weights are shared",
            0, 1e13},
        s.weights, true);
  visit(Row{"servers", "1", "Number of servers N", 2, 65536}, s.servers, true);
  visit(Row{"chunks", "1", "Pipeline chunks of a tree collective; 0: the fastest number", 0, 65536}, s.chunks,
        s.collective == "tree" || s.collective == "double-tree");
  visit(Row{"seed", "1", "Seed of random placement and of ECMP hashing", 0, 9007199254740992.0}, s.seed,
        hashed || (placed && s.placement == "random"));

  visit(Row{"batch", "1", "Images or tokens per server and iteration", 1, 1e12}, s.batch, counted);
  visit(Row{"context", "1", "Context length of attention in tokens; 0: attention products are not counted", 0,
            1e9},
        s.context, words && counted);
  visit(Row{"compute_rate_flop_per_s", "1/s", "Sustained floating-point rate of a server", 1.0, 1e24,
            "published summaries of OptINC: 60 TFLOP/s at 60 %"},
        s.compute_rate_flop_per_s, counted);
  visit(Row{"flop_per_mac", "1", "Operations counted per multiply-add: 2, or 1", 1, 2}, s.flop_per_mac,
        counted);
  visit(Row{"backward_ratio", "1", "Duration of the backward pass relative to the forward pass", 0, 10,
            "the gradients of weights and of activations take as many multiply-adds each as the forward pass"},
        s.backward_ratio, true);
  visit(
      Row{"compute_s", "s", "Compute time per iteration; -1: derived from workload, batch and rate", -1, s_max},
      s.compute_s, true);
  visit(Row{"overlap", "1", "Fraction of the backward pass that hides communication", 0, 1,
            "guess: 0, as published ratios seem to assume"},
        s.overlap, true);

  visit(Row{"bits", "bit", "Bits per gradient element on the wire", 1, 64}, s.bits, true);
  visit(Row{"scale_bits", "bit",
            "Bits per block scale; 0: no scales; -1: 32 for OptINC's codes of at most 16 bits, else 0", -1, 64},
        s.scale_bits, true);
  visit(Row{"block", "1", "Gradient elements per scale", 1, 1e9}, s.block, scaled);
  visit(Row{"buckets", "1", "Parts of the gradient whose scales are agreed on one after the other", 1, 1e6},
        s.buckets, scaled);

  visit(Row{"transceivers", "1", "Transceivers per server", 1, 4096}, s.transceivers, true);
  visit(Row{"rate_bit_per_s", "bit/s", "Line rate of a transceiver in one direction", 1.0, rate_max,
            "published summaries: 800 Gb/s (OptINC), 100 Gb/s (ODDL)"},
        s.rate_bit_per_s, true);
  visit(Row{"efficiency", "1", "Payload rate as a fraction of the line rate", 0.01, 1,
            "0.9 in calculon's a100_80g.json"},
        s.efficiency, true);
  visit(Row{"step_latency_s", "s", "Latency of host, network card and software stack per step", 0, s_max,
            "guess: 2e-6 RDMA; 2e-5 NCCL-like, between nodes in calculon"},
        s.step_latency_s, true);
  visit(Row{"hop_latency_s", "s", "Latency per link in a network of electrical switches", 0, s_max,
            "guess: 0.5e-6 to 1e-6"},
        s.hop_latency_s, switches);
  visit(Row{"ports", "1", "Ports of the switch, one per transceiver; 0: as many as needed", 0, 1e9}, s.ports,
        s.network == "switch" || sip_ocs || oddl);

  visit(Row{"radix", "1", "Ports of a fat-tree switch (an even number); 0: the fewest that suffice", 0, 64},
        s.radix, fat_tree);
  visit(Row{"sub_flows", "1", "Sub-flows of a connection that ECMP hashes separately", 1, 4096}, s.sub_flows,
        hashed);
  visit(Row{"oversubscription", "1",
            "Bandwidth of a fat-tree's host links relative to its links between switches", 1, 1000},
        s.oversubscription, fat_tree);
  visit(name_row("routing", "Routing of a fat-tree (required)", routing_names()), s.routing, routed);
  visit(name_row("placement", "Placement of servers on the hosts of a fat-tree or along a SiP-Ring",
                 placement_names),
        s.placement, placed);

  visit(Row{"wavelengths", "1", "Wavelengths of a SiP-Ring", 1, 4096, "guess: 64 in SiP-ML, from memory"},
        s.wavelengths, sip_ring);
  visit(Row{"wavelength_rate_bit_per_s", "bit/s",
            "Data rate of a SiP-Ring wavelength; 0: 1/64 of the port rate", 0, rate_max},
        s.wavelength_rate_bit_per_s, sip_ring);
  visit(Row{"reconfiguration_s", "s",
            "Time to set up new circuits; -1: 25e-6 for a SiP-Ring, 10e-3 for SiP-OCS and for "
            "circuit-switched OptINC units",
            -1, s_max, "guess, from memory of SiP-ML"},
        s.reconfiguration_s, sip_ring || sip_ocs || circuits);
  visit(Row{"control_delay_s", "s", "Control delay of ODDL per round of circuits", 0, s_max,
            "guess: 0.5e-6 to 2e-6"},
        s.control_delay_s, oddl);
  visit(Row{"laser_tuning_s", "s", "Laser tuning time of ODDL per round of circuits, after control_delay_s", 0,
            s_max, "guess: 10e-9 to 1e-6"},
        s.laser_tuning_s, oddl);
  visit(Row{"setup_s", "s", "Setup time of ODDL's wavelength-selective switches, once per job", 0, s_max,
            "guess: 10e-3 to 100e-3"},
        s.setup_s, oddl);
  visit(Row{"job_iterations", "1", "Iterations per job, over which setup_s is spread", 1, 1e12, "guess"},
        s.job_iterations, oddl);
  visit(name_row("directions", "Directions in which light travels in a SiP-Ring", direction_names),
        s.directions, sip_ring);
  visit(name_row("spectrum", "Wavelengths per direction of a SiP-Ring: all of them (each) or half (shared)",
                 spectrum_names),
        s.spectrum, sip_ring);
  visit(
      name_row("reconfigure",
               "When circuits are set up: if the next step needs other circuits (on-change), or at every step",
               reconfigure_names),
      s.reconfigure, sip_ring || oddl);

  visit(Row{"fan_in", "1", "Inputs of an OptINC unit: servers, or units of the level below", 2, 64,
            "published summaries of OptINC: 4 servers per unit, 16 on two levels"},
        s.fan_in, optinc);
  visit(name_row("arrangement",
                 "Arrangement of OptINC units: a tree, or groups of fan_in servers that take turns at units "
                 "behind a switch of optical circuits",
                 arrangement_names),
        s.arrangement, optinc);
  visit(Row{"levels", "1", "Levels of a tree of OptINC units; 0: the fewest that suffice", 0, 8}, s.levels,
        tree);
  visit(Row{"units", "1", "OptINC units behind the switch of circuits; 0: one for each group", 0, 65536},
        s.units, circuits);
  visit(Row{"fibre_m", "m", "Fibre length between server and unit, and between levels", 0, 1e6, "guess"},
        s.fibre_m, optinc);
  visit(Row{"design", "1",
            "Design of every OptINC unit, a row of `designs`: gives its delay, power, symbol rate and bits; "
            "empty: energy is not known"},
        s.design, optinc);
  visit(Row{"designs", "1",
            "List of designs, relative to this list, or a shipped one; empty: the shipped published.toml"},
        s.designs, optinc && !s.design.empty());
  visit(Row{"chip_latency_s", "s", "Delay of light through an OptINC unit without a design", 0, s_max,
            "guess: 5 cm of group index 4.2"},
        s.chip_latency_s, optinc && s.design.empty());
  visit(
      Row{"io_latency_s", "s",
          "Latency of converters, serialisers and framing, once per averaging (once per level if regenerated, "
          "once per turn if circuit-switched)",
          0, s_max, "guess"},
      s.io_latency_s, optinc);
  visit(Row{"adding_latency_s", "s", "Latency of the addition in a switch, per level", 0, s_max, "guess"},
        s.adding_latency_s, adding);
  visit(Row{"regenerated", "1", "Whether light is detected and re-modulated between levels"}, s.regenerated,
        tree);

  visit(Row{"transceiver_j_per_bit", "J/bit", "Transceiver energy per bit, both ends of a fibre together", 0,
            1e-6, "guess: 16 W at 800 Gb/s"},
        s.transceiver_j_per_bit, !optinc || scaled);
  visit(Row{"switch_j_per_bit", "J/bit", "Energy per bit through an electrical switch", 0, 1e-6,
            "guess: 500 W at 51.2 Tb/s"},
        s.switch_j_per_bit, switches);
  visit(Row{"circuit_switch_w_per_port", "W",
            "Power of a switch of optical circuits per port (a fibre in and one out)", 0, 1e3,
            "guess: 108 W of a MEMS switch of 136 ports (Google's Palomar, from memory)"},
        s.circuit_switch_w_per_port, circuits);
}

}  // namespace optinc
