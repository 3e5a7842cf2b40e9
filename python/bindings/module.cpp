#include <cstdlib>
#include <exception>
#include <latch>
#include <thread>
#include <vector>

#include <nanobind/nanobind.h>
#include <omp.h>
#include <pthread.h>

#include "physics/core/check.hpp"

#include "python/bindings/arrays.hpp"
#include "python/bindings/bindings.hpp"
#include "python/bindings/units.hpp"
#include "python/bindings/wafers.hpp"

namespace {

/// Whether this process may have so many threads at once. OpenMP would end it, without a word, at the first
/// that it cannot have.
bool may_start(int count) {
  std::latch asked{1};
  std::vector<std::jthread> started;
  bool all = true;
  try {
    for (int i = 1; i < count; ++i) started.emplace_back([&] { asked.wait(); });
  } catch (const std::exception&) {
    all = false;
  }
  asked.count_down();
  return all;
}

void set_threads(int count) {
  optinc::validate(count >= 0 && count <= 1024,
                   "{} threads (0..1024; 0: one for every processor). Choose a number in that range.", count);
  if (count == 0) count = omp_get_num_procs();
  optinc::validate(may_start(count),
                   "{} threads (more than this process may start: ulimit -u, ulimit -v). Choose fewer.", count);
  optinc::bindings::threads() = count;
}

}  // namespace

NB_MODULE(_core, m) {
  m.doc() =
      "The engine of OptINC: meshes of Mach-Zehnder interferometers, and units that average codes in light.";
  m.attr("version") = OPTINC_VERSION;
  nb::register_exception_translator([](const std::exception_ptr& p, void*) {
    try {
      std::rethrow_exception(p);
    } catch (const optinc::Error& error) {
      optinc::bindings::raise_error(error);
    }
  });
  // A forked process has only the thread that forked, without OpenMP's others: they end before, and start again
  pthread_atfork([] { omp_pause_resource_all(omp_pause_soft); }, nullptr, nullptr);
  nb::set_leak_warnings(false);  // PyTorch keeps what it has seen alive to the end
  optinc::bindings::threads();   // as OpenMP was set to when the module was imported
  m.def("set_threads", &set_threads, nb::arg("count"),
        "Number of threads of every later call, 0: one for every processor. Results do not depend on it.\n\n"
        "Raises ValueError outside 0..1024, and for more threads than the process may start.");
  m.def(
      "threads", [] { return optinc::bindings::threads().load(); },
      "Number of threads in use; at first OMP_NUM_THREADS, or the number of processors.");
  optinc::bindings::bind_errors(m);
  optinc::bindings::bind_settled_mesh(m);
  optinc::bindings::bind_layout(m);
  optinc::bindings::bind_wafers(m);
  optinc::bindings::bind_hardware(m);
  optinc::bindings::bind_sensitivity(m);
  optinc::bindings::bind_mesh(m);
  optinc::bindings::bind_laboratory(m);
  optinc::bindings::bind_symmetric_mesh(m);
  optinc::bindings::bind_twin(m);
  optinc::bindings::bind_network(m);
  optinc::bindings::bind_training(m);
  optinc::bindings::bind_chip(m);
  optinc::bindings::bind_programmed_chip(m);
  optinc::bindings::bind_unit(m);
  optinc::bindings::bind_circuit(m);
  optinc::bindings::bind_activation(m);
#ifdef OPTINC_JAX
  optinc::bindings::bind_jax(m);
#endif
}
