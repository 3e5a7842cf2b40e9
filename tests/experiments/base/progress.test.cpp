#include "experiments/base/progress.hpp"

#include <array>
#include <thread>

#include <pty.h>
#include <unistd.h>

#include "tests/support/catch.hpp"

using namespace optinc;

namespace {

/// What `work` writes to standard error where that is a terminal.
template <class Work>
std::string on_terminal(Work work) {
  int master = -1, terminal = -1;
  REQUIRE(openpty(&master, &terminal, nullptr, nullptr, nullptr) == 0);
  const int kept = dup(STDERR_FILENO);
  dup2(terminal, STDERR_FILENO);
  work();
  dup2(kept, STDERR_FILENO);
  close(kept);
  close(terminal);
  std::string text;
  std::array<char, 4096> part = {};
  for (ssize_t n = 0;
       (n = read(master, part.data(), part.size())) > 0;)  // an error once the other end is closed
    text.append(part.data(), static_cast<std::size_t>(n));
  close(master);
  return text;
}

/// What `work` writes to standard error where that is a pipe.
template <class Work>
std::string into_pipe(Work work) {
  std::array<int, 2> ends = {};
  REQUIRE(pipe(ends.data()) == 0);
  const int kept = dup(STDERR_FILENO);
  dup2(ends[1], STDERR_FILENO);
  work();
  dup2(kept, STDERR_FILENO);
  close(kept);
  close(ends[1]);
  std::string text;
  std::array<char, 4096> part = {};
  for (ssize_t n = 0; (n = read(ends[0], part.data(), part.size())) > 0;)
    text.append(part.data(), static_cast<std::size_t>(n));
  close(ends[0]);
  return text;
}

/// Three steps within a moment, of which the printer shows the first at the most.
void three_epochs() {
  Progress progress("training", 3);
  std::this_thread::sleep_for(std::chrono::milliseconds(250));
  for (const char* note : {"loss 0.9", "loss 0.5", "loss 0.1"}) progress.step(note);
}

}  // namespace

// Fails where the last line has the note of the step that was shown last, or none
TEST_CASE("The last line of progress has the values of the last step") {
  for (const std::string& text : {on_terminal(three_epochs), into_pipe(three_epochs)}) {
    CAPTURE(text);
    const std::size_t last = text.rfind("training 3/3");
    REQUIRE(last != std::string::npos);
    CHECK(text.find("loss 0.1", last) != std::string::npos);
    CHECK(text.find("loss 0.5") == std::string::npos);
    CHECK(text.find("loss 0.9", last) == std::string::npos);
  }
}

TEST_CASE("A note of progress is called only when its text is shown") {
  int calls = 0;
  const std::string text = into_pipe([&] {
    Progress progress("trials", 100);
    for (int i = 1; i <= 100; ++i)
      progress.step([&calls, i] {
        ++calls;
        return "trial number " + std::to_string(i);
      });
  });
  CHECK(calls == 1);
  CHECK(text.find("trial number 100\n") != std::string::npos);
  const std::string none = into_pipe([] {
    Progress progress("trials", 2, true);
    progress.step("never shown");
  });
  CHECK(none.empty());
}

// Fails where a short phase is named, a quiet one, or a phase waits for its own line.
TEST_CASE("A phase is named once it has taken a second") {
  const auto phase = [](int milliseconds, bool quiet) {
    return into_pipe([&] {
      const LongPhase named("storing", quiet);
      std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
    });
  };
  CHECK(phase(1500, false) == "storing ...\n");
  CHECK(phase(1500, true).empty());
  const auto start = std::chrono::steady_clock::now();
  CHECK(phase(1, false).empty());
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::milliseconds(900));
}
