#include "experiments/fabrics/cluster/chakra_file.hpp"

#include <algorithm>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl.h>
#include <nlohmann/json.hpp>
#include <zlib.h>

#include "physics/core/check.hpp"
#include "physics/core/printable.hpp"

#include "chakra.pb.h"

namespace optinc {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_ranks = 4096;

/// NodeType and CollectiveCommType of the schema.
enum Type {
  invalid,
  metadata,
  load,
  store,
  computing,
  sending,
  receiving,
  collective,
  storage,
  batch,
  checkpoint
};
const std::map<std::int64_t, StepKind> collectives = {
    {0, StepKind::all_reduce}, {1, StepKind::reduce},         {2, StepKind::all_gather},
    {3, StepKind::gather},     {4, StepKind::scatter},        {5, StepKind::broadcast},
    {6, StepKind::all_to_all}, {7, StepKind::reduce_scatter}, {8, StepKind::reduce_scatter},  // of equal blocks
    {9, StepKind::barrier}};

const chakra::Attribute* find(const chakra::Node& node, std::string_view name) {
  for (const chakra::Attribute& a : node.attr())
    if (a.name() == name) return &a;
  return nullptr;
}

/// A node of a file, as messages name it.
struct Place {
  std::string file;
  const chakra::Node& node;

  std::string text() const { return fmt::format("{}: node {} ({})", file, node.id(), printable(node.name())); }

  /// An attribute that must be a whole number of 0 to `most`, whatever its type.
  std::optional<std::int64_t> optional(std::string_view name, std::int64_t most) const {
    const chakra::Attribute* a = find(node, name);
    if (a == nullptr) return {};
    std::int64_t value = -1;
    switch (a->value_case()) {
      case chakra::Attribute::kInt32Val:
        value = a->int32_val();
        break;
      case chakra::Attribute::kInt64Val:
        value = a->int64_val();
        break;
      case chakra::Attribute::kUint32Val:
        value = a->uint32_val();
        break;
      case chakra::Attribute::kUint64Val:
        value = static_cast<std::int64_t>(std::min<std::uint64_t>(a->uint64_val(), INT64_MAX));
        break;
      default:
        break;
    }
    validate(value >= 0 && value <= most,
             "{}: attribute {} (an int32, int64, uint32 or uint64 of 0..{}). Write the trace anew.", text(),
             name, most);
    return value;
  }

  std::int64_t needed(std::string_view name, std::int64_t most) const {
    const auto value = optional(name, most);
    validate(value.has_value(), "{}: no attribute {} (a {} node needs it). Write the trace anew.", text(), name,
             node.type() == collective ? "COMM_COLL"
             : node.type() == sending  ? "COMM_SEND"
                                       : "COMM_RECV");
    return *value;
  }
};

using Groups = std::map<std::string, int, std::less<>>;

/// Groups as Chakra's extractor of process groups writes them, in the form of ASTRA-sim's. Nothing is copied
/// but names and numbers: a file may be nested deeper than a stack.
nlohmann::json plain_groups(nlohmann::json file) {
  const auto listed = file.find("communicators");
  if (listed == file.end() || !listed->is_array()) return file;
  nlohmann::json groups = nlohmann::json::object();
  for (const auto& group : *listed) {
    const auto id = group.is_object() ? group.find("communicatorId") : group.end(),
               nodes = group.is_object() ? group.find("nodes") : group.end();
    if (id == group.end() || nodes == group.end() || !(id->is_string() || id->is_number_integer())) return file;
    nlohmann::json& members = groups[id->is_string() ? id->get<std::string>() : id->dump()];
    members = nlohmann::json::array();
    for (const auto& node : *nodes) {
      const auto rank = node.is_object() ? node.find("globalRank") : node.end();
      const bool number = rank != node.end() && rank->is_number_integer();
      members.push_back(number ? *rank : nlohmann::json(node.type_name()));
    }
  }
  return groups;
}

/// Process groups by name; those without a name are all ranks.
Groups read_groups(const fs::path& path, int ranks, ExecutionTrace& trace) {
  std::vector<int>& all = trace.groups.emplace_back();
  for (int r = 0; r < ranks; ++r) all.push_back(r);
  Groups names = {{"", 0}, {"0", 0}};
  if (path.empty()) return names;
  std::ifstream in(path);
  validate(in.is_open() && fs::is_regular_file(path), "{}: no such file (process groups). Check the path.",
           path.string());
  auto parsed = nlohmann::json::parse(in, nullptr, false);
  validate(parsed.is_object(), "{}: not JSON of the form {{\"name\": [ranks]}} (process groups). Write it so.",
           path.string());
  const nlohmann::json json = plain_groups(std::move(parsed));
  for (const auto& [name, members] : json.items()) {
    std::set<int> group;
    validate(members.is_array() && !members.empty(), "{}: group \"{}\" (a list of ranks). List them.",
             path.string(), name);
    for (const auto& member : members) {
      validate(
          member.is_number_integer() && member.get<std::int64_t>() >= 0 && member.get<std::int64_t>() < ranks,
          "{}: group \"{}\" has {} (ranks of 0..{}, one for each trace). Leave it out.", path.string(), name,
          member.is_structured() ? member.type_name() : member.dump(), ranks - 1);
      validate(group.insert(member.get<int>()).second, "{}: group \"{}\" has rank {} twice. Leave one out.",
               path.string(), name, member.dump());
    }
    names[name] = static_cast<int>(trace.groups.size());
    trace.groups.emplace_back(group.begin(), group.end());
  }
  return names;
}

/// The trace of a rank: PREFIX.RANK.et, or where only that is there, PREFIX.RANK.et.gz.
fs::path chakra_file(const fs::path& prefix, std::size_t rank) {
  const fs::path plain = fmt::format("{}.{}.et", prefix.string(), rank), packed = plain.string() + ".gz";
  return !fs::exists(plain) && fs::exists(packed) ? packed : plain;
}

/// Bytes of a file, of a gzipped one as they were.
class UnpackedFile : public google::protobuf::io::CopyingInputStream {
 public:
  explicit UnpackedFile(const fs::path& path) : file_(gzopen(path.c_str(), "rb"), gzclose) {}
  bool is_open() const { return file_ != nullptr; }
  int Read(void* buffer, int size) override {
    const int read = gzread(file_.get(), buffer, static_cast<unsigned>(size));
    int error = Z_OK;
    if (read == 0) gzerror(file_.get(), &error);
    damaged = damaged || read < 0 || (error != Z_OK && error != Z_STREAM_END);
    return read;
  }

  bool damaged = false;

 private:
  std::unique_ptr<gzFile_s, int (*)(gzFile)> file_;
};

std::vector<chakra::Node> read_nodes(const fs::path& path, std::size_t most) {
  UnpackedFile in(path);
  validate(in.is_open() && fs::is_regular_file(path),
           "{}: cannot be read (an execution trace, a file). Check its permissions.", path.string());
  google::protobuf::io::CopyingInputStreamAdaptor stream(&in);
  std::vector<chakra::Node> nodes;
  chakra::Metadata first;
  for (std::size_t m = 0;; ++m) {
    google::protobuf::io::CodedInputStream coded(&stream);
    std::uint32_t length = 0;
    const void* next = nullptr;
    if (int left = 0; !coded.GetDirectBufferPointer(&next, &left)) break;  // the end, between two messages
    const auto parsed = [&](auto& message) {
      if (!coded.ReadVarint32(&length)) return false;
      const auto limit = coded.PushLimit(static_cast<int>(std::min<std::uint32_t>(length, INT32_MAX)));
      const bool whole =
          message.ParseFromCodedStream(&coded) && coded.ConsumedEntireMessage() && coded.BytesUntilLimit() == 0;
      coded.PopLimit(limit);
      return whole;
    };
    validate(
        m == 0 ? parsed(first) : parsed(nodes.emplace_back()),
        "{}: message {} is cut off or no message of Chakra's (lengths, GlobalMetadata, then Nodes). Write the "
        "trace anew.",
        path.string(), m);
    validate(nodes.size() <= most, "{}: more than {} nodes in all ranks (for memory). Trace one iteration.",
             path.string(), most_trace_steps);
  }
  validate(!in.damaged, "{}: gzip data that are damaged or cut off. Use a complete copy.", path.string());
  return nodes;
}

/// The process group of a communication: a number in the trace's groups, of which the rank is one.
int group_of(const Place& at, const Groups& groups, const ExecutionTrace& trace, int rank) {
  const chakra::Attribute* pg_name = find(at.node, "pg_name");
  validate(pg_name == nullptr || pg_name->has_string_val(),
           "{}: attribute pg_name (a string). Write the trace anew.", at.text());
  const std::string name = pg_name == nullptr ? "" : pg_name->string_val();
  const auto group = groups.find(name);
  validate(group != groups.end(), "{}: no process group \"{}\". Name its ranks in the file of groups.",
           at.text(), printable(name));
  const std::vector<int>& members = trace.groups[static_cast<std::size_t>(group->second)];
  validate(std::binary_search(members.begin(), members.end(), rank),
           "{}: rank {} is not in process group \"{}\". Add it to the file of groups.", at.text(), rank,
           group->first);
  return group->second;
}

/// The other rank of a message: named, or where converters leave it out the other one of a group of two.
int peer_of(const Place& at, int ranks, const Groups& groups, const ExecutionTrace& trace, int rank) {
  const std::string_view name = at.node.type() == sending ? "comm_dst" : "comm_src";
  if (const auto named = at.optional(name, ranks - 1)) return static_cast<int>(*named);
  if (find(at.node, "pg_name") != nullptr) {
    const std::vector<int>& two = trace.groups[static_cast<std::size_t>(group_of(at, groups, trace, rank))];
    validate(two.size() == 2,
             "{}: no attribute {}, and its process group has {} ranks (of two it would be the other). Write it "
             "into the trace.",
             at.text(), name, two.size());
    return two[0] == rank ? two[1] : two[0];
  }
  return static_cast<int>(at.needed(name, ranks - 1));  // which says that it is missing
}

/// A communication of a node.
void fill_communication(TraceStep& step, const Place& at, int ranks, const Groups& groups,
                        const ExecutionTrace& trace, int rank) {
  constexpr std::int64_t most_bytes = std::int64_t{1} << 50;
  if (at.node.type() != collective) {
    step.kind = at.node.type() == sending ? StepKind::send : StepKind::receive;
    step.bytes = static_cast<double>(at.needed("comm_size", most_bytes));
    step.peer = peer_of(at, ranks, groups, trace, rank);
    step.tag = static_cast<int>(at.optional("comm_tag", INT32_MAX).value_or(0));
    validate(step.peer != rank, "{}: rank {} to itself (another rank). Write the trace anew.", at.text(), rank);
    return;
  }
  const std::int64_t type = at.needed("comm_type", INT32_MAX);
  const auto kind = collectives.find(type);
  validate(kind != collectives.end(),
           "{}: comm_type = {} (0..9: ALL_REDUCE to BARRIER). Others are not simulated.", at.text(), type);
  step.kind = kind->second;
  step.group = group_of(at, groups, trace, rank);
  const auto members = static_cast<double>(trace.groups[static_cast<std::size_t>(step.group)].size());
  if (step.kind == StepKind::barrier) return;
  step.bytes = static_cast<double>(at.needed("comm_size", most_bytes));
  if (step.kind == StepKind::all_reduce) step.gradient_bits = 32;
  if (step.kind == StepKind::all_gather || step.kind == StepKind::gather) step.bytes *= members;
}

TraceStep step_of(const Place& at, int ranks, const Groups& groups, const ExecutionTrace& trace, int rank,
                  double flop_per_s) {
  TraceStep step;
  const chakra::Attribute* host = find(at.node, "is_cpu_op");
  validate(host == nullptr || host->has_bool_val(), "{}: attribute is_cpu_op (a bool). Write the trace anew.",
           at.text());
  const bool on_host = host != nullptr && host->bool_val();
  switch (at.node.type()) {
    case sending:
    case receiving:
    case collective:
      if (on_host && at.node.type() == collective && find(at.node, "comm_type") == nullptr)
        break;  // which only launches it on the accelerator
      fill_communication(step, at, ranks, groups, trace, rank);
      return step;
    case invalid:
    case metadata:
      return step;
    case computing:
    case load:
    case store:
    case storage:
    case batch:
    case checkpoint:
      break;
    default:
      throw Error(fmt::format("{}: node type {} (0..10: METADATA to CHECKPOINT). Others are not simulated.",
                              at.text(), at.node.type()));
  }
  if (on_host || at.node.type() >= storage) step.kind = StepKind::host_compute;
  constexpr std::uint64_t most_micros = 1'000'000'000'000;
  validate(at.node.duration_micros() <= most_micros, "{}: duration_micros = {} (0..{}). Write the trace anew.",
           at.text(), at.node.duration_micros(), most_micros);
  step.seconds = 1e-6 * static_cast<double>(at.node.duration_micros());
  if (step.seconds == 0.0)
    step.seconds = static_cast<double>(at.optional("num_ops", INT64_MAX).value_or(0)) / flop_per_s;
  return step;
}

}  // namespace

std::size_t chakra_ranks(const fs::path& prefix) {
  std::size_t ranks = 0;
  while (ranks <= most_ranks && fs::exists(chakra_file(prefix, ranks))) ++ranks;
  validate(ranks > 0, "{}: no such file (the execution trace of rank 0). Give the files' common beginning.",
           chakra_file(prefix, 0).string());
  validate(ranks <= most_ranks, "{}: more than {} ranks (for time). Trace fewer.", prefix.string(), most_ranks);
  for (std::size_t r = ranks + 1; r <= most_ranks; ++r)
    validate(!fs::exists(fmt::format("{}.{}.et", prefix.string(), r)),
             "{}: no such file, but rank {} has one (all ranks have). Add it.",
             chakra_file(prefix, ranks).string(), r);
  return ranks;
}

ExecutionTrace read_chakra(const fs::path& prefix, const fs::path& groups, double flop_per_s) {
  const std::size_t ranks = chakra_ranks(prefix);
  ExecutionTrace trace;
  const Groups names = read_groups(groups, static_cast<int>(ranks), trace);
  std::size_t left = most_trace_steps;
  for (std::size_t r = 0; r < ranks; ++r) {
    const std::vector<chakra::Node> nodes = read_nodes(chakra_file(prefix, r), left);
    left -= nodes.size();
    std::map<std::uint64_t, std::uint32_t> numbers;
    for (const chakra::Node& node : nodes)
      validate(numbers.emplace(node.id(), static_cast<std::uint32_t>(numbers.size())).second,
               "{}: two of that id. Write the trace anew.",
               Place{chakra_file(prefix, r).string(), node}.text());
    std::vector<TraceStep>& steps = trace.ranks.emplace_back();
    for (const chakra::Node& node : nodes) {
      const Place at{chakra_file(prefix, r).string(), node};
      steps.push_back(step_of(at, static_cast<int>(ranks), names, trace, static_cast<int>(r), flop_per_s));
      std::set<std::uint32_t> after;
      for (const std::uint64_t id : node.data_deps()) {
        const auto number = numbers.find(id);
        validate(number != numbers.end(), "{}: depends on node {}, which is not there. Write the trace anew.",
                 at.text(), id);
        after.insert(number->second);
      }
      for (const std::uint64_t id : node.ctrl_deps())  // callers, which converters leave out
        if (const auto number = numbers.find(id); number != numbers.end() && id != node.id())
          after.insert(number->second);
      steps.back().after.assign(after.begin(), after.end());
    }
  }
  validate(left < most_trace_steps, "{}: no nodes in any rank (an execution trace). Write the trace anew.",
           prefix.string());
  return trace;
}

}  // namespace optinc
