#pragma once

#include "experiments/interconnect/fat_tree.hpp"
#include "experiments/interconnect/scenario.hpp"
#include "experiments/interconnect/workloads.hpp"

// The field table of scenarios: parsing, --keys, the result file and their documents come from here.

namespace optinc {

template <Like<Scenario> S, class Visitor>
void visit_fields(S& s, Visitor&& visit) {
  constexpr double s_max = 1e6, rate_max = 1e18;
  visit(FieldInfo{"name", "1", "of the curve; scenarios of other servers may share it"}, s.name);
  visit(FieldInfo{"reference", "1", "scenario of the same servers whose iteration is 1 in `normalised`"},
        s.reference);
  visit(FieldInfo{"note", "1", "what the reader must know"}, s.note);
  visit(FieldInfo{"calibrated", "1", "parameters were chosen so that the result comes out"}, s.calibrated);
  visit(name_field("network", "what connects the servers", interconnect_names), s.network);
  visit(name_field("collective", "how gradients are averaged", collective_names), s.collective);
  visit(name_field("workload", "model that is trained", workload_names()), s.workload);
  visit(FieldInfo{"servers", "1", "servers N", 2, 65536}, s.servers);
  visit(FieldInfo{"chunks", "1", "pieces of a tree's pipeline, 0: the best number", 0, 65536}, s.chunks);
  visit(FieldInfo{"seed", "1", "of random placement and of hashing", 0, 9007199254740992.0}, s.seed);
  visit(FieldInfo{"batch", "1", "images or tokens per server and iteration", 1, 1e12}, s.batch);
  visit(FieldInfo{"context", "1", "tokens that attention looks over, 0: left out", 0, 1e9}, s.context);
  visit(FieldInfo{"compute_rate_flop_per_s", "1/s", "of a server, sustained", 1.0, 1e24,
                  "published summaries of OptINC: 60 TFLOP/s at 60 %"},
        s.compute_rate_flop_per_s);
  visit(FieldInfo{"flop_per_mac", "1", "operations of a multiply-add, 2, or 1 where they are counted as one", 1,
                  2},
        s.flop_per_mac);
  visit(FieldInfo{"backward_ratio", "1", "backward over forward pass", 0, 10}, s.backward_ratio);
  visit(FieldInfo{"compute_s", "s", "whole computing time, -1: from workload, batch and rate", -1, s_max},
        s.compute_s);
  visit(FieldInfo{"overlap", "1", "share of the backward pass that hides communication", 0, 1}, s.overlap);
  visit(FieldInfo{"bits", "bit", "of a gradient's element on the wire", 1, 64}, s.bits);
  visit(FieldInfo{"scale_bits", "bit", "of a block's scale, 0: no scales", 0, 64}, s.scale_bits);
  visit(FieldInfo{"block", "1", "elements per scale", 1, 1e9}, s.block);
  visit(
      FieldInfo{"buckets", "1", "parts of the gradient whose scales are agreed on one after the other", 1, 1e6},
      s.buckets);
  visit(FieldInfo{"transceivers", "1", "of a server", 1, 4096}, s.transceivers);
  visit(FieldInfo{"rate_bit_per_s", "bit/s", "of a transceiver, one direction", 1.0, rate_max,
                  "published summaries: 800 Gb/s (OptINC), 100 Gb/s (ODDL)"},
        s.rate_bit_per_s);
  visit(FieldInfo{"efficiency", "1", "payload over line rate", 0.01, 1}, s.efficiency);
  visit(FieldInfo{"step_latency_s", "s", "host, card and stack, each step; guess: 2e-6 RDMA, 2e-5 NCCL-like", 0,
                  s_max},
        s.step_latency_s);
  visit(
      FieldInfo{"hop_latency_s", "s", "each link through electrical switches; guess: 0.5e-6 to 1e-6", 0, s_max},
      s.hop_latency_s);
  visit(FieldInfo{"radix", "1", "ports of a fat-tree's switch, even, 0: the fewest that fit", 0, 128}, s.radix);
  visit(FieldInfo{"sub_flows", "1", "parts of a connection that ecmp hashes apart", 1, 4096}, s.sub_flows);
  visit(FieldInfo{"oversubscription", "1", "a fat-tree's host links over links between switches", 1, 1000},
        s.oversubscription);
  visit(name_field("routing", "of a fat-tree", routing_names()), s.routing);
  visit(name_field("placement", "of servers on a fat-tree's hosts or along a SiP-Ring", placement_names),
        s.placement);
  visit(FieldInfo{"wavelengths", "1", "of a SiP-Ring", 1, 4096, "guess: 64 of SiP-ML, recalled"},
        s.wavelengths);
  visit(FieldInfo{"wavelength_rate_bit_per_s", "bit/s", "of each, 0: the port's rate over 64", 0, rate_max},
        s.wavelength_rate_bit_per_s);
  visit(FieldInfo{"job_iterations", "1", "iterations that share setup_s", 1, 1e12, "guess"}, s.job_iterations);
  visit(FieldInfo{"reconfiguration_s", "s", "new circuits; guess: 25e-6 SiP-Ring, 10e-3 SiP-OCS, 1e-6 ODDL", 0,
                  s_max},
        s.reconfiguration_s);
  visit(FieldInfo{"setup_s", "s", "wavelength-selective switches of a job, once; guess: 10e-3 to 100e-3", 0,
                  s_max},
        s.setup_s);
  visit(name_field("directions", "in which a SiP-Ring's light travels", direction_names), s.directions);
  visit(name_field("spectrum", "of a SiP-Ring: all wavelengths in each direction, or half of them",
                   spectrum_names),
        s.spectrum);
  visit(name_field("reconfigure", "circuits are set anew where the next step needs others, or at every step",
                   reconfigure_names),
        s.reconfigure);
  visit(FieldInfo{"fan_in", "1", "servers, or units below, of an OptINC unit", 2, 64}, s.fan_in);
  visit(FieldInfo{"levels", "1", "of OptINC units, 0: the fewest that fit", 0, 8}, s.levels);
  visit(FieldInfo{"fibre_m", "m", "between server and unit, and between levels", 0, 1e6}, s.fibre_m);
  visit(FieldInfo{"chip_latency_s", "s", "light through a unit; guess: 5 cm of group index 4.2", 0, s_max},
        s.chip_latency_s);
  visit(FieldInfo{"io_latency_s", "s", "converters, serialisers and framing, once; guess", 0, s_max},
        s.io_latency_s);
  visit(FieldInfo{"aggregation_latency_s", "s", "a switch that adds, each level; guess", 0, s_max},
        s.aggregation_latency_s);
  visit(FieldInfo{"regenerated", "1", "light is detected and modulated anew between levels"}, s.regenerated);
  visit(FieldInfo{"transceiver_j_per_bit", "J/bit", "both ends of a fibre; guess: 16 W at 800 Gb/s", 0, 1e-6},
        s.transceiver_j_per_bit);
  visit(FieldInfo{"switch_j_per_bit", "J/bit", "through an electrical switch; guess: 500 W at 51.2 Tb/s", 0,
                  1e-6},
        s.switch_j_per_bit);
  visit(FieldInfo{"unit_power_w", "W",
                  "of one OptINC unit while it communicates; optinc designs says what one takes", 0, 1e6},
        s.unit_power_w);
}

}  // namespace optinc
