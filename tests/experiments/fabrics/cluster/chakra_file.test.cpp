#include "experiments/fabrics/cluster/chakra_file.hpp"

#include <fstream>
#include <iterator>

#include <zlib.h>

#include "experiments/fabrics/cluster/iteration.hpp"
#include "physics/core/check.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/scratch.hpp"

using namespace optinc;

namespace {

const std::filesystem::path data = std::filesystem::path(TEST_DATA_DIR) / "chakra";

std::string trace_bytes(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// A message behind its length, and its fields, written by hand as the wire format of protobuf has them.
std::string varint(std::size_t value) {
  return value < 128 ? std::string{static_cast<char>(value)}
                     : static_cast<char>((value & 127) | 128) + varint(value >> 7);
}
std::string framed(const std::string& message) { return varint(message.size()) + message; }
std::string int_field(int field, int value) {
  return varint(static_cast<std::size_t>(field) << 3) + varint(static_cast<std::size_t>(value));
}
std::string bytes_field(int field, const std::string& value) {
  return varint(static_cast<std::size_t>(field) << 3 | 2) + framed(value);
}
std::string attribute(const std::string& name, int value) {  // an int32
  return bytes_field(10, bytes_field(1, name) + int_field(7, value));
}

/// The trace of one rank whose nodes these are.
ExecutionTrace read_rank(const std::string& nodes, const std::string& groups = "") {
  const Scratch folder;
  std::ofstream(folder / "t.0.et", std::ios::binary) << framed(bytes_field(1, "0.0.4")) << nodes;
  if (!groups.empty()) std::ofstream(folder / "groups.json") << groups;
  return read_chakra(folder / "t", groups.empty() ? std::filesystem::path() : folder / "groups.json", 1e12);
}

}  // namespace

// By hand, at 100 Gb/s: load 0.3, forward 1.0, activations 0.2, forward 0.5, backward 2.0 (2e9 operations at
// 1e12 a second); then the second stage sends back 2.5 MB while it averages 5 MB over the same port: 0.4 in
// place of 0.2; backward 4.0, gradients 0.4, and 3/4 of 2.5 MB of weights 0.15: 8.95 ms. Fails when a field is
// read from another number
TEST_CASE("four ranks whose traces protoc encoded take what the text says") {
  Iteration i;
  i.name = "two stages";
  i.trace = "two_stages";
  i.groups = "groups.json";
  i.training.flop_per_s = 1e12;
  i.traffic.network.network = "switch";
  i.traffic.network.servers = 8;
  i.traffic.network.step_latency_s = i.traffic.network.hop_latency_s = 0.0;
  const IterationAnswer answer = run_iteration(i, data);
  CHECK(answer.ranks == 4);
  CHECK(answer.run.iteration_s == Approx(8.95e-3).epsilon(1e-9));
  CHECK(answer.without_s == Approx(7.8e-3).epsilon(1e-9));
  CHECK(answer.run.compute_s == Approx(5e-3).epsilon(1e-9));
  CHECK(answer.run.sent_bytes == Approx(37.5e6).epsilon(1e-9));
  CHECK(answer.run.steps == 4 * 9);
}

// As Chakra's converter of PyTorch's traces writes a rank: a caller that is not there, and that a node is
// itself; the host's half of a collective; a broadcast; gzipped. Fails when a control dependency is looked for,
// or the host's half communicates.
TEST_CASE("what converters of PyTorch's traces write is read") {
  const auto node = [](int id, int type, const std::string& rest) {
    return framed(int_field(1, id) + bytes_field(2, "x") + int_field(3, type) + rest);
  };
  const std::string host =
      bytes_field(10, bytes_field(1, "is_cpu_op") + std::string("\xd8\x01\x01", 3));  // field 27
  const std::string nodes =
      node(5, 4, int_field(4, 9) + int_field(7, 3)) +
      node(6, 7, host + int_field(4, 6) + int_field(5, 5) + int_field(7, 2)) +
      node(7, 7, int_field(5, 6) + attribute("comm_type", 5) + attribute("comm_size", 100));
  const std::vector<TraceStep> steps = read_rank(nodes).ranks[0];
  CHECK(steps[0].after.empty());
  CHECK(steps[1].kind == StepKind::host_compute);
  CHECK(steps[1].seconds == Approx(2e-6));
  CHECK(steps[1].after == std::vector<std::uint32_t>{0});
  CHECK(steps[2].kind == StepKind::broadcast);
  CHECK(steps[2].bytes == 100);
  const Scratch folder;
  const std::string whole = trace_bytes(data / "two_stages.0.et");
  const auto packed = [&](const char* name) {
    const gzFile file = gzopen((folder / name).c_str(), "wb");
    gzwrite(file, whole.data(), static_cast<unsigned>(whole.size()));
    gzclose(file);
  };
  packed("t.0.et.gz");
  std::ofstream(folder / "u.0.et", std::ios::binary) << whole;
  CHECK(chakra_ranks(folder / "t") == 1);
  // messages to ranks that are not there: both are refused alike, at the same node
  const auto said = [&](const char* prefix) {
    try {
      read_chakra(folder / prefix, {}, 1e12);
    } catch (const Error& error) {
      const std::string text = error.what();
      return text.substr(text.find("node"));
    }
    return std::string();
  };
  CHECK_FALSE(said("u").empty());
  CHECK(said("t") == said("u"));
  std::filesystem::resize_file(folder / "t.0.et.gz", 60);
  CHECK_THROWS_WITH(read_chakra(folder / "t", {}, 1e12), ContainsSubstring("t.0.et.gz"));
}

// As Chakra's generator, its converter and its extractor of process groups write them (read at
// github.com/mlcommons/chakra: src/generator, src/converter, src/pg_extractor): attributes of every type, lists
// among them; messages that name a group of two, not the other rank; a rank that does nothing; storage. Fails
// when one of them is refused, or a message goes to a rank of another group.
TEST_CASE("what Chakra's own tools write is read") {
  const auto node = [](int id, int type, const std::string& rest) {
    return framed(int_field(1, id) + bytes_field(2, "x") + int_field(3, type) + rest);
  };
  const auto in_group = [](const std::string& name) {
    return bytes_field(10, bytes_field(1, "pg_name") + bytes_field(29, name));
  };
  std::string every_type;
  for (const int list : {4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30, 32})
    every_type += bytes_field(10, bytes_field(1, "list") + bytes_field(list, ""));
  for (const int varint : {9, 11, 13, 15})
    every_type += bytes_field(10, bytes_field(1, "number") + int_field(varint, 5));
  const Scratch folder;
  const auto write = [&](int rank, const std::string& nodes) {
    std::ofstream(folder / ("t." + std::to_string(rank) + ".et"), std::ios::binary)
        << framed(bytes_field(1, "0.0.4")) << nodes;
  };
  write(0, node(0, 1, every_type) +
               node(1, 7, attribute("comm_type", 0) + attribute("comm_size", 8) + every_type) +
               node(2, 8, int_field(7, 3)));
  write(1, node(0, 5, attribute("comm_size", 100) + in_group("7")));
  write(2, "");
  write(3, node(0, 6, attribute("comm_size", 100) + in_group("7")));
  std::ofstream(folder / "groups.json")
      << R"({"communicators": [{"communicatorId": 7, "type": "pp", "collImpl": [],
             "nodes": [{"globalRank": 3, "rank": 0, "commList": []}, {"globalRank": 1, "rank": 1}]}]})";
  const ExecutionTrace trace = read_chakra(folder / "t", folder / "groups.json", 1e12);
  CHECK(trace.groups[1] == std::vector<int>{1, 3});
  CHECK(trace.ranks[0][1].kind == StepKind::all_reduce);
  CHECK(trace.ranks[0][2].kind == StepKind::host_compute);
  CHECK(trace.ranks[0][2].seconds == Approx(3e-6));
  CHECK(trace.ranks[1][0].peer == 3);
  CHECK(trace.ranks[2].empty());
  CHECK(trace.ranks[3][0].peer == 1);
  std::ofstream(folder / "three.json") << R"({"7": [0, 1, 3]})";
  CHECK_THROWS_WITH(read_chakra(folder / "t", folder / "three.json", 1e12),
                    ContainsSubstring("no attribute comm_dst, and its process group has 3 ranks"));
}

// A file that ends between two messages is a shorter trace. tests/fuzz reads such files under the address
// sanitizer
TEST_CASE("damaged execution traces are refused, or are other traces") {
  const std::string whole = trace_bytes(data / "two_stages.0.et");
  std::vector<std::string> damaged;
  for (std::size_t n = 0; n < whole.size(); ++n) {
    damaged.push_back(whole.substr(0, n));
    damaged.push_back(whole);
    damaged.back()[n] = static_cast<char>(damaged.back()[n] ^ (1 << n % 8));
  }
  int refused = 0;
  const Scratch folder;
  for (const std::string& bytes : damaged) {
    std::ofstream(folder / "t.0.et", std::ios::binary) << bytes;
    try {
      read_chakra(folder / "t", {}, 1e12);
    } catch (const Error&) {
      ++refused;
    }
  }
  CHECK(refused > 3 * static_cast<int>(whole.size()) / 2);
}

TEST_CASE("execution traces say which node is wrong") {
  const std::string id = int_field(1, 5), twice = framed(id + int_field(3, 4));
  const auto node = [&](int type, const std::string& rest) {
    return framed(id + bytes_field(2, "x") + int_field(3, type) + rest);
  };
  const std::vector<std::pair<std::string, std::string>> bad = {
      {"", "no nodes"},
      {twice + twice, "two of that id"},
      {node(4, int_field(5, 9)), "node 5 (x): depends on node 9"},
      {node(11, ""), "node type 11"},
      {node(7, ""), "no attribute comm_type (a COMM_COLL node needs it)"},
      {node(7, attribute("comm_type", 10)), "comm_type = 10"},
      {node(7, attribute("comm_type", 0)), "no attribute comm_size"},
      {node(7, attribute("comm_type", 0) + bytes_field(10, bytes_field(1, "pg_name") + bytes_field(29, "a"))),
       "process group \"a\""},
      {node(5, attribute("comm_size", 1)), "no attribute comm_dst"},
      {node(5, attribute("comm_size", 1) + attribute("comm_dst", 1)), "0..0"},
      {node(5, attribute("comm_size", 1) + attribute("comm_dst", 0)), "rank 0 to itself"},
      {node(6, attribute("comm_size", 1)), "no attribute comm_src"},
      {node(4, bytes_field(10, bytes_field(1, "num_ops") + bytes_field(29, "7"))), "attribute num_ops"},
  };
  for (const auto& [nodes, message] : bad) {
    INFO(message);
    CHECK_THROWS_WITH(read_rank(nodes), ContainsSubstring(message));
  }
  const std::string fine = node(7, attribute("comm_type", 9));
  CHECK(read_rank(fine).ranks[0][0].kind == StepKind::barrier);
  for (const auto& [groups, message] : std::vector<std::pair<std::string, std::string>>{
           {"[]", "not JSON of the form"},
           {"{\"a\": 3}", "group \"a\" (a list of ranks)"},
           {"{\"a\": [0, 1]}", "has 1 (ranks of 0..0"},
           {"{\"a\": [0, 0]}", "rank 0 twice"},
           {R"({"communicators": [{"communicatorId": 7, "nodes": [3]}]})", "group \"7\" has \"number\" (ranks"},
           {R"({"communicators": [{"communicatorId": [7], "nodes": []}]})",
            "group \"communicators\" has object"},
           {"{\"a\": [" + std::string(100000, '[') + std::string(100000, ']') + "]}",
            "group \"a\" has array (ranks of 0..0"}})
    CHECK_THROWS_WITH(read_rank(fine, groups), ContainsSubstring(message));
  const std::string named = bytes_field(2, "x\x1b[31m"),
                    group = bytes_field(10, bytes_field(1, "pg_name") + int_field(7, 1)),
                    host = bytes_field(10, bytes_field(1, "is_cpu_op") + int_field(7, 1));
  CHECK_THROWS_WITH(read_rank(framed(id + named + int_field(3, 11))), ContainsSubstring("node 5 (x [31m)"));
  CHECK_THROWS_WITH(read_rank(node(7, attribute("comm_type", 9) + group)),
                    ContainsSubstring("pg_name (a string)"));
  CHECK_THROWS_WITH(read_rank(node(4, host)), ContainsSubstring("is_cpu_op (a bool)"));
  const Scratch folder;
  for (const char* file : {"t.0.et", "t.2.et"}) std::ofstream(folder / file) << "";
  CHECK_THROWS_WITH(chakra_ranks(folder / "t"), ContainsSubstring("t.1.et: no such file, but rank 2 has one"));
  CHECK_THROWS_WITH(read_chakra(data / "two_stages", data, 1e12),
                    ContainsSubstring("no such file (process groups)"));
  Iteration i;
  i.trace = "two_stages";
  i.training.tensor = 2;
  CHECK_THROWS_WITH(check_iteration(i, data), ContainsSubstring("the trace says what ranks do"));
  i.trace.clear();
  i.groups = "groups.json";
  CHECK_THROWS_WITH(check_iteration(i, data), ContainsSubstring("without a trace"));
  CHECK_THROWS_WITH(read_chakra("/nowhere/t", {}, 1e12), ContainsSubstring("/nowhere/t.0.et: no such file"));
}
