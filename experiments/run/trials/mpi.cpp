#include "experiments/run/trials/mpi.hpp"

#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "experiments/base/interrupt.hpp"
#include "physics/core/check.hpp"

#ifdef OPTINC_WITH_MPI
#pragma GCC diagnostic ignored "-Wold-style-cast"  // MPI's constants are C casts
#include <mpi.h>
#include <unistd.h>
#endif

namespace optinc {
namespace {

/// Processes that a launcher says it started, by what the common ones and steps of SLURM set; 0: it says none.
int launched_processes() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MPI_LOCALNRANKS", "SLURM_STEP_NUM_TASKS"})
    if (const char* text = std::getenv(name)) return std::atoi(text);
  return 0;
}

/// Whether the command names a part of the trials, so that it may run beside others.
bool is_shard(std::string_view command) { return command.find(" --shard") != std::string_view::npos; }

}  // namespace

#ifdef OPTINC_WITH_MPI

namespace {

using Bytes = std::vector<std::byte>;

enum Tag : int {
  config_tag = 1,
  prelude_tag,
  keep_in_tag,
  task_tag,
  result_tag,
  given_up_tag,
  interrupt_tag,
  end_tag
};

struct Message {
  int source = 0, tag = 0;
  Bytes bytes;
};

/// The next message for this rank. Waits asleep: MPI's own wait would keep a core busy that trials could use.
Message receive() {
  MPI_Status status;
  for (int there = 0; MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &there, &status), there == 0;)
    ::usleep(50);
  int size = 0;
  MPI_Get_count(&status, MPI_BYTE, &size);
  Message message{status.MPI_SOURCE, status.MPI_TAG, Bytes(static_cast<std::size_t>(size))};
  MPI_Recv(message.bytes.data(), size, MPI_BYTE, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD,
           MPI_STATUS_IGNORE);
  return message;
}

void send(int rank, Tag tag, std::span<const std::byte> bytes) {
  MPI_Send(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, rank, tag, MPI_COMM_WORLD);
}

Bytes packed(const TrialResult& result) {
  Bytes bytes(sizeof(TrialTask) + sizeof(double) * (1 + result.record.size()));
  std::memcpy(bytes.data(), &result.task, sizeof(TrialTask));
  std::memcpy(bytes.data() + sizeof(TrialTask), &result.seconds, sizeof(double));
  if (!result.record.empty())
    std::memcpy(bytes.data() + sizeof(TrialTask) + sizeof(double), result.record.data(),
                sizeof(double) * result.record.size());
  return bytes;
}

TrialResult unpacked(const Bytes& bytes) {
  TrialResult result;
  constexpr std::size_t head = sizeof(TrialTask) + sizeof(double);
  std::memcpy(&result.task, bytes.data(), sizeof(TrialTask));
  std::memcpy(&result.seconds, bytes.data() + sizeof(TrialTask), sizeof(double));
  result.record.resize((bytes.size() - head) / sizeof(double));
  if (!result.record.empty()) std::memcpy(result.record.data(), bytes.data() + head, bytes.size() - head);
  return result;
}

std::string text_of(const Bytes& bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

/// The trial's result; nothing where it, or what `prepare` does ahead of the first, was given up for an
/// interrupt.
std::optional<TrialResult> finished(Ranks::Worker& run, const std::function<Ranks::Worker()>& prepare,
                                    const TrialTask& task) {
  try {
    if (!run) run = prepare();
    return run(task);
  } catch (const Interrupted&) {
    return std::nullopt;
  }
}

}  // namespace

Ranks::Ranks(std::string_view command) {
  // MPI asks a launcher by one of these; a step of SLURM without them would end in MPI's own words
  const bool asks = std::getenv("OMPI_COMM_WORLD_SIZE") != nullptr || std::getenv("PMI_RANK") != nullptr ||
                    std::getenv("PMI_SIZE") != nullptr || std::getenv("PMIX_RANK") != nullptr;
  const int launched = launched_processes();
  if (launched == 1 || (launched == 0 && !asks)) return;
  if (asks) {
    MPI_Init(nullptr, nullptr);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
    // shards that a launcher starts side by side are no ranks of one run
    const auto hash = static_cast<std::int64_t>(std::hash<std::string_view>()(command));
    std::array<std::int64_t, 2> most = {hash, ~hash};  // the largest, and of complements the smallest's
    MPI_Allreduce(MPI_IN_PLACE, most.data(), 2, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
    if (most[0] != ~most[1]) {
      MPI_Finalize();
      throw Error(
          "ranks of one run have different command lines (rank 0 reads one for all). Start shards with "
          "srun --mpi=none, or without mpirun.");
    }
  }
  validate(size_ > 1 || launched <= 1 || is_shard(command),
           "started as one of {} processes, but the launcher tells MPI of no others (all would write the same "
           "file). Use srun --mpi=pmix (srun --mpi=list says what there is) or mpirun, or run shards: --shard "
           "1/{}.",
           launched, launched);
}

Ranks::~Ranks() {
  if (size_ == 1) return;
  if (rank_ == 0)
    for (int other = 1; other < size_; ++other) send(other, end_tag, {});
  MPI_Finalize();
}

void Ranks::begin(const SentStudy& study) {
  for (int other = 1; other < size_; ++other) {
    send(other, config_tag, std::as_bytes(std::span(study.config_toml)));
    send(other, prelude_tag, study.inputs);
    send(other, keep_in_tag, std::as_bytes(std::span(study.keep_in)));
  }
}

Executor Ranks::executor() {
  return [ranks = size_](std::span<const TrialTask> tasks, const std::function<bool()>& stop,
                         const std::function<void(const TrialResult&)>& keep) {
    std::size_t next = 0;
    int busy = 0;
    const auto hand_out = [&](int rank) {
      if (next == tasks.size() || stop()) return;
      send(rank, task_tag, std::as_bytes(std::span(&tasks[next++], 1)));
      ++busy;
    };
    for (int other = 1; other < ranks; ++other) hand_out(other);
    while (busy > 0) {
      const Message message = receive();
      if (message.tag == interrupt_tag) {
        ask_for_end(static_cast<int>(message.bytes.front()));
        continue;
      }
      --busy;
      hand_out(message.source);  // before keeping the result, so that no rank waits for the disk
      if (message.tag == result_tag) keep(unpacked(message.bytes));
    }
  };
}

void Ranks::work(const std::function<Worker(const SentStudy&)>& prepare) {
  SentStudy study;
  Worker run;
  for (Message message = receive(); message.tag != end_tag; message = receive()) {
    if (message.tag == config_tag) study.config_toml = text_of(message.bytes);
    if (message.tag == prelude_tag) study.inputs = std::move(message.bytes);
    if (message.tag == keep_in_tag) study.keep_in = text_of(message.bytes);
    if (message.tag != task_tag) continue;
    TrialTask task;
    std::memcpy(&task, message.bytes.data(), sizeof task);
    const std::optional<TrialResult> result = finished(
        run, [&] { return prepare(study); }, task);
    if (const auto signal = static_cast<std::byte>(interrupt_signal()); signal != std::byte{0})
      send(0, interrupt_tag, std::span(&signal, 1));  // whichever rank it reached, it is meant for the run
    if (result)
      send(0, result_tag, packed(*result));
    else
      send(0, given_up_tag, {});
  }
}

void Ranks::abort() {
  MPI_Abort(MPI_COMM_WORLD, 1);
  std::abort();
}

#else

Ranks::Ranks(std::string_view command) {
  validate(launched_processes() <= 1 || is_shard(command),
           "started as one of {} processes, but this build has no MPI (all would write the same file). Install "
           "OpenMPI and compile again, or run shards: --shard 1/{}.",
           launched_processes(), launched_processes());
}
Ranks::~Ranks() = default;
void Ranks::begin(const SentStudy&) {}
Executor Ranks::executor() { return {}; }
void Ranks::work(const std::function<Worker(const SentStudy&)>&) {}
void Ranks::abort() { std::abort(); }

#endif

}  // namespace optinc
