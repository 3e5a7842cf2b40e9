#pragma once

#include "experiments/fabrics/cluster/cluster_list.hpp"
#include "experiments/fabrics/interconnect/fat_tree.hpp"
#include "experiments/fabrics/interconnect/workloads.hpp"
#include "physics/core/rows.hpp"

// The field tables of lists of clusters: parsing, --keys and the result file come from here.

namespace optinc {

inline constexpr std::array<std::string_view, 3> exchange_names = {"ring", "halving-doubling",
                                                                   "sharded-parameter-server"};
inline constexpr std::array<std::string_view, 6> day_collective_names = {
    "ring", "halving-doubling", "tree", "double-tree", "parameter-server", "sharded-parameter-server"};
inline constexpr double seconds_max = 1e6, rate_bit_per_s_max = 1e15;

template <class Question>
void visit_name(Question& question, auto&& visit) {
  visit(Row{"name", "1", "Name of the row; all values of its lists share it"}, question.name);
}

/// Keys of the groups of ODDL's nodes.
template <Like<LightPaths> P>
void visit_groups(P& p, auto&& visit) {
  visit(Row{"group_size", "1", "Nodes per group, on one arrayed-waveguide router", 1, 1024, "guess"},
        p.group_size);
  visit(Row{"fibres", "1", "Fibres from and to each group", 1, 1024}, p.fibres);
}

template <Like<LightPaths> P>
void visit_switch_ports(P& p, auto&& visit) {
  visit(Row{"switch_ports", "1", "Ports of a wavelength-selective switch", 1, 1024, "typical: 20"},
        p.wss.ports);
}

/// Keys of what a fibre between groups carries.
template <Like<LightPaths> P>
void visit_channels(P& p, auto&& visit) {
  visit(Row{"band_hz", "Hz", "Optical bandwidth of a fibre", 1e9, 1e14, "C band: 4.8e12"}, p.band_hz);
  visit(Row{"slot_hz", "Hz", "Width of a spectral slot", 1e9, 1e12, "ITU-T G.694.1: 12.5e9"}, p.slot_hz);
  visit(Row{"channel_slots", "1", "Spectral slots per channel", 1, 100}, p.channel_slots);
}

/// Keys of the power of what switches and amplifies light.
template <Like<TrafficSettings> T>
void visit_optics_power(T& t, auto&& visit) {
  visit(Row{"wavelength_switch_w", "W", "Power of a wavelength-selective switch (ODDL)", 0, 1000,
            "guess: liquid crystal on silicon, 10 to 40"},
        t.wavelength_switch_w);
  visit(Row{"amplifier_w", "W", "Power of an optical amplifier between groups (ODDL)", 0, 1000,
            "guess: a small erbium-doped amplifier, 2 to 15"},
        t.amplifier_w);
  visit(Row{"circuit_switch_w_per_port", "W", "Power per port of the switch that joins OptINC's fibres", 0, 1e3,
            "guess: 108 W of a MEMS switch of 136 ports (Google's Palomar, from memory)"},
        t.network.circuit_switch_w_per_port);
}

/// Keys of a network and of the places that a job has on it.
template <Like<TrafficSettings> T>
void visit_network(T& t, auto& scattered, auto&& visit) {
  visit(Row{"nodes", "1", "Nodes of the cluster", 8, 4096}, t.network.servers);
  visit(Row{"rate_bit_per_s", "bit/s", "Line rate of a node's port", 1.0, rate_bit_per_s_max,
            "published summary of ODDL: 100 Gb/s"},
        t.network.rate_bit_per_s);
  visit(name_row("routing", "Routing of a fat-tree", routing_names()), t.network.routing);
  visit(Row{"sub_flows", "1", "Sub-flows of a connection that ECMP hashes separately", 1, 64},
        t.network.sub_flows);
  visit(
      Row{"oversubscription", "1", "Bandwidth of a fat-tree's host links relative to its links above", 1, 1000},
      t.network.oversubscription);
  visit(Row{"scattered", "1", "Share of a job's nodes placed at random; 0: packed, 1: all at random", 0, 1},
        scattered);
  visit(
      Row{"step_latency_s", "s", "Latency of host, card and software per step", 0, seconds_max, "guess: RDMA"},
      t.network.step_latency_s);
  visit(Row{"hop_latency_s", "s", "Latency per link in a network of electrical switches", 0, seconds_max,
            "guess"},
        t.network.hop_latency_s);
  visit(Row{"set_s", "s",
            "Time that ODDL takes to set up a circuit; default: that of a testbed with default keys", 0,
            seconds_max},
        t.set_s);
  visit(Row{"adding_latency_s", "s", "Latency of the addition in a switch, per level", 0, seconds_max, "guess"},
        t.network.adding_latency_s);
  visit(Row{"optinc_levels", "1",
            "Largest number of levels of OptINC units; jobs on more nodes than they join are not served", 1, 8,
            "published summaries: two levels of four inputs"},
        t.optinc_levels);
  visit(Row{"design", "1", "Design of every OptINC unit, a row of `designs`"}, t.network.design);
  visit(Row{"designs", "1",
            "List of designs, relative to this list, or a shipped one; empty: the shipped "
            "at_operating_points.toml"},
        t.network.designs);
  visit(Row{"seed", "1", "Seed of placement, hashing and arrivals", 0, 9007199254740992.0}, t.network.seed);
}

inline Row bucket_field() {
  return {"bucket_bytes",
          "byte",
          "Size of a bucket of 32-bit gradients",
          1,
          1e15,
          "PyTorch DistributedDataParallel: 25 MiB"};
}

/// Keys of the iterations of data-parallel jobs, and of the network that they share.
template <Like<TrafficSettings> T>
void visit_traffic(T& t, auto& scattered, auto&& visit) {
  visit(Row{"overlap", "1", "Whether a bucket is exchanged as soon as its layers' gradients are ready"},
        t.overlap);
  visit(Row{"straggling", "1",
            "Mean delay of a node, relative to the compute time; delays are exponential, and every iteration "
            "waits for the mean of the largest in the job",
            0, 100},
        t.straggling);
  visit(bucket_field(), t.bucket_bytes);
  visit_network(t, scattered, visit);
}

void visit_window(auto& window, auto&& visit) {
  visit(Row{"window", "1",
            "Simulated iterations of the slowest of coupled jobs, after two that are not counted", 1, 1000},
        window);
}

template <Like<Testbed> T>
void visit_rows(T& t, auto&& visit) {
  visit_name(t, visit);
  visit(name_row("workload", "Model whose gradient is exchanged", workload_names()), t.workload);
  visit(name_row("collective", "Collective operation that exchanges the gradient", exchange_names),
        t.collective);
  visit(name_row("schedule", "How circuits are assigned: by request and grant, or in turn", schedule_names),
        t.schedule);
  visit(Row{"nodes", "1", "Number of nodes", 2, 256}, t.nodes);
  visit(Row{"transceivers", "1", "Tunable transceivers per node", 1, 64}, t.transceivers);
  visit(Row{"rate_bit_per_s", "bit/s", "Line rate of a transceiver", 1.0, rate_bit_per_s_max},
        t.rate_bit_per_s);
  visit(Row{"bits", "1", "Bits per gradient element", 1, 64}, t.bits);
  visit(Row{"bucket_bytes", "byte", "Size of a bucket; buckets are exchanged one after the other", 1e3, 1e15,
            "PyTorch DistributedDataParallel: 25 MiB"},
        t.bucket_bytes);
  visit(Row{"message_s", "s", "One-way delay of a message on the control channel", 0, 1, "guess"}, t.message_s);
  visit(Row{"tuning_s", "s", "Tuning time of a laser", 0, 1, "guess: 10e-9 to 1e-6; Mordia 2.8e-6 switching"},
        t.tuning_s);
  visit(Row{"settling_s", "s", "Settling time of a burst-mode receiver (clock and gain)", 0, 1,
            "guess; Mordia: 8.7e-6 receiver start"},
        t.settling_s);
  visit(Row{"fibre_m", "m", "Fibre length between two nodes", 0, 1e6, "guess"}, t.fibre_m);
  visit(Row{"backoff_s", "s", "Mean wait of a refused node before it asks again", 1e-9, 1, "guess"},
        t.backoff_s);
  visit(
      Row{"slot_s", "s", "Slot duration of the round-robin schedule, including guard time", 1e-9, 10, "guess"},
      t.slot_s);
  visit(Row{"hold", "1", "Whether a circuit is kept if the next flow goes to the same node"}, t.hold);
  visit(Row{"failed_transceivers", "1", "Transceivers of node 0 that fail during the exchange", 0, 63},
        t.failed_transceivers);
  visit(Row{"seed", "1", "Seed of the random waits", 0, 9007199254740992.0}, t.seed);
}

template <Like<LightPaths> P>
void visit_rows(P& p, auto&& visit) {
  visit_name(p, visit);
  visit(Row{"nodes", "1", "Number of nodes", 2, 1 << 20}, p.nodes);
  visit(Row{"transceivers", "1", "Tunable transceivers per node", 1, 64}, p.transceivers);
  visit_groups(p, visit);
  visit_channels(p, visit);
  visit_switch_ports(p, visit);
  visit(Row{"insertion_loss_db", "dB", "Loss of a wavelength-selective switch", 0, 30, "typical: 4 to 8"},
        p.wss.port_loss_db);
  visit(Row{"crosstalk_db", "dB", "Crosstalk from one other port, relative to the signal", -80, -1,
            "typical: -25 to -45"},
        p.wss.crosstalk_db);
  visit(Row{"passband_hz", "Hz", "3 dB width of a channel's passband", 1e9, 1e13}, p.wss.bandwidth_hz);
  visit(Row{"passband_order", "1", "Order of the super-Gaussian passband", 1, 20, "guess"}, p.wss.order);
  visit(Row{"router_loss_db", "dB", "Loss of an arrayed-waveguide router", 0, 30, "typical: 5"},
        p.router_loss_db);
  visit(Row{"fibre_m", "m", "Fibre length per switch pass", 0, 1e6, "guess"}, p.fibre_m);
  visit(Row{"transmitter_dbm", "1", "Transmitter power, dBm", -30, 30, "guess"}, p.transmitter_dbm);
  visit(Row{"amplifier_dbm", "1", "Total output power of an amplifier over all channels, dBm", -10, 40,
            "typical: 17 to 23"},
        p.amplifier_dbm);
  visit(Row{"noise_figure_db", "dB", "Noise figure of an amplifier", 3, 20,
            "erbium: 4 to 6; semiconductor: 6 to 9"},
        p.noise_figure_db);
  visit(Row{"levels", "1", "Levels of the pulse-amplitude modulation", 2, 16}, p.levels);
  visit(Row{"symbol_rate_bd", "1/s", "Symbol rate", 1e6, 1e13}, p.symbol_rate_bd);
  visit(Row{"bit_error_rate", "1", "Largest bit error rate before error correction of a working path", 1e-15,
            0.05, "KP4: 2.4e-4"},
        p.bit_error_rate);
  visit(Row{"receiver_noise_a_per_rthz", "A/sqrt(Hz)", "Receiver noise without light", 1e-13, 1e-9, "guess"},
        p.receiver_noise_a_per_rthz);
  visit(Row{"draws", "1", "Random permutations of the nodes for which wavelengths are assigned", 1, 10000},
        p.draws);
  visit(Row{"seed", "1", "Seed of the permutations", 0, 9007199254740992.0}, p.seed);
}

template <Like<Competition> C>
void visit_rows(C& c, auto&& visit) {
  visit_name(c, visit);
  visit(name_row("workload", "Model that all jobs train", workload_names()), c.traffic.network.workload);
  visit(Row{"load", "1", "Share of the nodes that other tenants occupy", 0, 0.99}, c.load);
  visit(Row{"tenant_nodes", "1", "Nodes of each other tenant", 2, 4096}, c.tenant_nodes);
  visit(Row{"compute_s", "s", "Compute time per iteration", 1e-9, seconds_max}, c.traffic.network.compute_s);
  visit_traffic(c.traffic, c.scattered, visit);
  visit_window(c.window, visit);
  visit_groups(c.traffic.light, visit);
  visit_switch_ports(c.traffic.light, visit);
  visit_optics_power(c.traffic, visit);
}

inline Row shared_network_row(std::string_view meaning) {
  static constexpr FormerName former[] = {
      {"aggregation", "adding-fat-tree", "It is called \"adding-fat-tree\" now."}};
  Row network = name_row("network", meaning, shared_network_names);
  network.former = former;
  return network;
}

template <Like<Failure> F>
void visit_rows(F& f, auto&& visit) {
  visit_name(f, visit);
  visit(shared_network_row("Network that the job trains on"), f.traffic.network.network);
  visit(name_row("component", "What fails: fibre and switch-port on oddl, unit on optinc, others on all",
                 component_names),
        f.component);
  visit(name_row("workload", "Model that the job trains", workload_names()), f.traffic.network.workload);
  visit(name_row("collective", "Collective operation, where the network does not add up", exchange_names),
        f.collective);
  visit(Row{"compute_s", "s", "Compute time per iteration", 1e-9, seconds_max}, f.traffic.network.compute_s);
  visit(Row{"at", "1", "Share of an iteration that has passed when the component fails", 0, 1}, f.at);
  visit(Row{"detection_s", "s", "Time until the failure is found", 0, seconds_max,
            "guess; PyTorch's default timeout of NCCL: 600 s, from memory"},
        f.detection_s);
  visit(Row{"transceivers", "1", "Transceivers that share a node's port", 1, 64}, f.transceivers);
  visit(
      Row{"setup_s", "s", "Time to set ODDL's wavelength-selective switches, or the switch of OptINC's fibres",
          0, seconds_max, "guess: 10e-3 to 100e-3; Google Palomar (MEMS): median 1.2e-3, from memory"},
      f.setup_s);
  visit(Row{"spare_units", "1", "Spare OptINC units that the job may take", 0, 1000}, f.spare_units);
  visit(Row{"calibration_s", "s", "Time to calibrate a spare unit; 0: it is warm", 0, seconds_max, "guess"},
        f.calibration_s);
  visit(Row{"checkpoint_s", "s", "Time between two checkpoints of the job", 0, seconds_max, "guess"},
        f.checkpoint_s);
  visit(Row{"restart_s", "s", "Time to load a checkpoint and start the job again", 0, seconds_max, "guess"},
        f.restart_s);
  visit(Row{"spare_s", "s",
            "Wait for a spare node, on top of the restart; -1: none, the job goes on with one node less", -1,
            seconds_max},
        f.spare_s);
  visit_traffic(f.traffic, f.scattered, visit);
  visit_groups(f.traffic.light, visit);
  visit_channels(f.traffic.light, visit);
}

template <Like<ClusterDay> D>
void visit_rows(D& d, auto&& visit) {
  visit_name(d, visit);
  visit(shared_network_row("Network that the jobs share"), d.day.traffic.network.network);
  visit(Row{"load", "1", "Mean share of the nodes that drawn jobs request; ignored with `jobs`", 0.001, 10},
        d.load);
  visit(
      Row{"jobs", "1", "Table of jobs (CSV: arrival_s, nodes, duration_s), relative to the list; empty: drawn"},
      d.jobs);
  visit(Row{"horizon_s", "s", "Simulated time", 1, 1e7}, d.day.horizon_s);
  visit(name_row("workloads", "Models from which that of each job is drawn", workload_names()),
        d.day.workloads);
  visit(name_row("collectives", "Collective operations from which that of each job is drawn",
                 day_collective_names),
        d.day.collectives);
  visit(Row{"setup_s", "s", "Time to set ODDL's wavelength-selective switches for a job", 0, seconds_max,
            "guess: 10e-3 to 100e-3"},
        d.day.setup_s);
  visit_traffic(d.day.traffic, d.day.scattered, visit);
  visit_window(d.day.window, visit);
  visit_groups(d.day.traffic.light, visit);
  visit_channels(d.day.traffic.light, visit);
}

template <Like<Iteration> I>
void visit_rows(I& i, auto&& visit) {
  visit_name(i, visit);
  visit(shared_network_row("Network that connects the ranks"), i.traffic.network.network);
  visit(Row{"trace", "1",
            "Execution traces of MLCommons Chakra: the beginning of the files' names, relative to the list, "
            "before .0.et, .1.et ..; empty: training as the keys below describe it"},
        i.trace);
  visit(Row{"groups", "1",
            "Process groups of a trace, a JSON file {\"name\": [ranks]} relative to the list; empty: all "
            "ranks form the only one"},
        i.groups);
  visit(
      name_row("collective", "Collective operation of every all-reduce that the network does not add up itself",
               exchange_names),
      i.collective);
  visit(Row{"compute_rate_flop_per_s", "1/s",
            "Sustained floating-point rate of a rank; of a trace, for steps without a duration", 1.0, 1e24,
            "published summaries of OptINC: 60 TFLOP/s at 60 %"},
        i.training.flop_per_s);
  visit(name_row("workload", "Model to train", workload_names()), i.training.workload);
  visit(Row{"data", "1", "Replicas of the model, which average their gradients", 1, 4096}, i.training.data);
  visit(Row{"tensor", "1", "Ranks that share every layer (tensor parallel)", 1, 4096}, i.training.tensor);
  visit(Row{"pipeline", "1", "Stages of the pipeline, with equally many blocks", 1, 4096}, i.training.pipeline);
  visit(Row{"microbatches", "1", "Microbatches of a replica per iteration", 1, 4096}, i.training.microbatches);
  visit(Row{"samples", "1", "Images or tokens of a microbatch", 1, 1e9}, i.training.samples);
  visit(Row{"activation_bits", "bit", "Bits of an activation on the network", 1, 64},
        i.training.activation_bits);
  visit(Row{"overlap", "1",
            "Whether a bucket is exchanged as soon as the gradients of its layers, or where ranks share layers "
            "of its blocks, are ready; false: all after the last backward pass"},
        i.training.overlap);
  visit(bucket_field(), i.training.bucket_bytes);
  visit(Row{"transceivers", "1",
            "Transceivers that share a node's port; on oddl each is a circuit at a time, which stays until "
            "another one needs the transceiver",
            1, 64},
        i.transceivers);
  visit_network(i.traffic, i.scattered, visit);
  visit_groups(i.traffic.light, visit);
  visit_switch_ports(i.traffic.light, visit);
  visit_optics_power(i.traffic, visit);
}

}  // namespace optinc
