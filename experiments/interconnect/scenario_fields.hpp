#pragma once

#include "experiments/interconnect/fat_tree.hpp"
#include "experiments/interconnect/scenario.hpp"
#include "experiments/interconnect/workloads.hpp"

// The field table of scenarios: parsing, --keys, the result file and their documents come from here. The third
// argument of visit says who reads the key.

namespace optinc {

template <Like<Scenario> S, class Visitor>
void visit_fields(S& s, Visitor&& visit) {
  constexpr double s_max = 1e6, rate_max = 1e18;
  const bool fat_tree = s.network == "fat-tree", sip_ring = s.network == "sip-ring",
             sip_ocs = s.network == "sip-ocs", oddl = s.network == "oddl", optinc = s.network == "optinc";
  const bool in_network = s.collective == "in-network", scaled = s.scale_bits > 0,
             words = s.workload.starts_with("llama"), counted = s.compute_s < 0.0;
  const bool switches = s.network == "switch" || fat_tree || (optinc && scaled);
  const bool routed = fat_tree && (!in_network || scaled), placed = fat_tree || sip_ring;
  const bool hashed = routed && s.routing == "ecmp";

  visit(FieldInfo{"name", "1", "of the curve; scenarios of other servers may share it"}, s.name, true);
  visit(FieldInfo{"reference", "1", "scenario of the same servers whose iteration is 1 in `normalised`"},
        s.reference, true);
  visit(FieldInfo{"note", "1", "what the reader must know"}, s.note, true);
  visit(FieldInfo{"calibrated", "1", "parameters were chosen so that the result comes out"}, s.calibrated,
        true);
  visit(name_field("network", "what connects the servers", interconnect_names), s.network, true);
  visit(name_field("collective", "how gradients are averaged", collective_names), s.collective, true);
  visit(name_field("workload", "model that is trained", workload_names()), s.workload, true);
  visit(FieldInfo{"servers", "1", "servers N", 2, 65536}, s.servers, true);
  visit(FieldInfo{"chunks", "1", "pieces of a tree's pipeline, 0: the best number", 0, 65536}, s.chunks,
        s.collective == "tree" || s.collective == "double-tree");
  visit(FieldInfo{"seed", "1", "of random placement and of hashing", 0, 9007199254740992.0}, s.seed,
        hashed || (placed && s.placement == "random"));

  visit(FieldInfo{"batch", "1", "images or tokens per server and iteration", 1, 1e12}, s.batch, counted);
  visit(FieldInfo{"context", "1", "tokens that attention looks over, 0: left out", 0, 1e9}, s.context,
        words && counted);
  visit(FieldInfo{"compute_rate_flop_per_s", "1/s", "of a server, sustained", 1.0, 1e24,
                  "published summaries of OptINC: 60 TFLOP/s at 60 %"},
        s.compute_rate_flop_per_s, counted);
  visit(FieldInfo{"flop_per_mac", "1", "operations of a multiply-add, 2, or 1 where they are counted as one", 1,
                  2},
        s.flop_per_mac, counted);
  visit(FieldInfo{"backward_ratio", "1", "backward over forward pass", 0, 10,
                  "a gradient of weights and one of activations, as many multiply-adds each"},
        s.backward_ratio, true);
  visit(FieldInfo{"compute_s", "s", "whole computing time, -1: from workload, batch and rate", -1, s_max},
        s.compute_s, true);
  visit(FieldInfo{"overlap", "1", "share of the backward pass that hides communication", 0, 1,
                  "guess: 0, as published ratios seem to assume"},
        s.overlap, true);

  visit(FieldInfo{"bits", "bit", "of a gradient's element on the wire", 1, 64}, s.bits, true);
  visit(FieldInfo{"scale_bits", "bit", "of a block's scale, 0: no scales", 0, 64}, s.scale_bits, true);
  visit(FieldInfo{"block", "1", "elements per scale", 1, 1e9}, s.block, scaled);
  visit(
      FieldInfo{"buckets", "1", "parts of the gradient whose scales are agreed on one after the other", 1, 1e6},
      s.buckets, scaled);

  visit(FieldInfo{"transceivers", "1", "of a server", 1, 4096}, s.transceivers, true);
  visit(FieldInfo{"rate_bit_per_s", "bit/s", "of a transceiver, one direction", 1.0, rate_max,
                  "published summaries: 800 Gb/s (OptINC), 100 Gb/s (ODDL)"},
        s.rate_bit_per_s, true);
  visit(FieldInfo{"efficiency", "1", "payload over line rate", 0.01, 1, "0.9 in calculon's a100_80g.json"},
        s.efficiency, true);
  visit(FieldInfo{"step_latency_s", "s", "host, card and stack, each step", 0, s_max,
                  "guess: 2e-6 RDMA; 2e-5 NCCL-like, between nodes in calculon"},
        s.step_latency_s, true);
  visit(FieldInfo{"hop_latency_s", "s", "each link through electrical switches", 0, s_max,
                  "guess: 0.5e-6 to 1e-6"},
        s.hop_latency_s, switches);
  visit(FieldInfo{"ports", "1", "of the switch, a transceiver each, 0: as many as it takes", 0, 1e9}, s.ports,
        s.network == "switch" || sip_ocs || oddl);

  visit(FieldInfo{"radix", "1", "ports of a fat-tree's switch, even, 0: the fewest that fit", 0, 64}, s.radix,
        fat_tree);
  visit(FieldInfo{"sub_flows", "1", "parts of a connection that ecmp hashes apart", 1, 4096}, s.sub_flows,
        hashed);
  visit(FieldInfo{"oversubscription", "1", "a fat-tree's host links over links between switches", 1, 1000},
        s.oversubscription, fat_tree);
  visit(name_field("routing", "of a fat-tree, which must name one", routing_names()), s.routing, routed);
  visit(name_field("placement", "of servers on a fat-tree's hosts or along a SiP-Ring", placement_names),
        s.placement, placed);

  visit(FieldInfo{"wavelengths", "1", "of a SiP-Ring", 1, 4096, "guess: 64 of SiP-ML, recalled"}, s.wavelengths,
        sip_ring);
  visit(FieldInfo{"wavelength_rate_bit_per_s", "bit/s", "of each, 0: the port's rate over 64", 0, rate_max},
        s.wavelength_rate_bit_per_s, sip_ring);
  visit(FieldInfo{"reconfiguration_s", "s", "new circuits, -1: 25e-6 of a SiP-Ring, 10e-3 of SiP-OCS", -1,
                  s_max, "guess, recalled from SiP-ML"},
        s.reconfiguration_s, sip_ring || sip_ocs);
  visit(FieldInfo{"control_delay_s", "s", "of ODDL, each round of circuits", 0, s_max, "guess: 0.5e-6 to 2e-6"},
        s.control_delay_s, oddl);
  visit(FieldInfo{"laser_tuning_s", "s", "of ODDL, each round of circuits after control_delay_s", 0, s_max,
                  "guess: 10e-9 to 1e-6"},
        s.laser_tuning_s, oddl);
  visit(FieldInfo{"setup_s", "s", "ODDL's wavelength-selective switches, once a job", 0, s_max,
                  "guess: 10e-3 to 100e-3"},
        s.setup_s, oddl);
  visit(FieldInfo{"job_iterations", "1", "iterations that share setup_s", 1, 1e12, "guess"}, s.job_iterations,
        oddl);
  visit(name_field("directions", "in which a SiP-Ring's light travels", direction_names), s.directions,
        sip_ring);
  visit(name_field("spectrum", "of a SiP-Ring: all wavelengths in each direction, or half of them",
                   spectrum_names),
        s.spectrum, sip_ring);
  visit(name_field("reconfigure", "circuits are set anew where the next step needs others, or at every step",
                   reconfigure_names),
        s.reconfigure, sip_ring || oddl);

  visit(FieldInfo{"fan_in", "1", "servers, or units below, of an OptINC unit", 2, 64,
                  "published summaries of OptINC: 4 servers a unit, 16 on two levels"},
        s.fan_in, optinc);
  visit(FieldInfo{"levels", "1", "of OptINC units, 0: the fewest that fit", 0, 8}, s.levels, optinc);
  visit(FieldInfo{"fibre_m", "m", "between server and unit, and between levels", 0, 1e6, "guess"}, s.fibre_m,
        optinc);
  visit(FieldInfo{"chip_latency_s", "s", "light through a unit; optinc designs says what one takes", 0, s_max,
                  "guess: 5 cm of group index 4.2"},
        s.chip_latency_s, optinc);
  visit(FieldInfo{"io_latency_s", "s", "converters, serialisers and framing, once", 0, s_max, "guess"},
        s.io_latency_s, optinc);
  visit(FieldInfo{"aggregation_latency_s", "s", "a switch that adds, each level", 0, s_max, "guess"},
        s.aggregation_latency_s, in_network);
  visit(FieldInfo{"regenerated", "1", "light is detected and modulated anew between levels"}, s.regenerated,
        optinc);

  visit(FieldInfo{"transceiver_j_per_bit", "J/bit", "both ends of a fibre", 0, 1e-6, "guess: 16 W at 800 Gb/s"},
        s.transceiver_j_per_bit, true);
  visit(FieldInfo{"switch_j_per_bit", "J/bit", "through an electrical switch", 0, 1e-6,
                  "guess: 500 W at 51.2 Tb/s"},
        s.switch_j_per_bit, switches);
  visit(FieldInfo{"unit_power_w", "W",
                  "of one OptINC unit while it communicates; optinc designs says what one takes", 0, 1e6},
        s.unit_power_w, optinc);
}

}  // namespace optinc
