#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <complex>
#include <cstdint>
#include <future>
#include <limits>
#include <new>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <omp.h>

#include "physics/core/field.hpp"

/// \file arrays.hpp NumPy arrays in and out, and the lock that Python's threads share.

namespace nb = nanobind;

namespace optinc::bindings {

/// A NumPy array in C order that nobody else owns.
template <class T>
using Array = nb::ndarray<nb::numpy, T, nb::c_contig, nb::device::cpu>;

/// Anything that NumPy makes an array of.
class ArrayLike : public nb::object {
  static bool any(const PyObject*) { return true; }
  NB_OBJECT_DEFAULT(ArrayLike, object, "numpy.typing.ArrayLike", any)
};

/// What was given as an array of T in C order, copied only where its layout or its type ask for it. Throws
/// nb::type_error where its elements are numbers of another kind (T: double, float's and double's complex
/// numbers, std::uint32_t), naming `name`, and Error where integers are out of range.
template <class T>
Array<const T> array_of(nb::handle given, const char* name);

/// The same with a sentence where it has another number of axes.
template <class T>
Array<const T> array_of(nb::handle given, const char* name, std::size_t axes);

/// Whether the elements are numbers in single precision: complex64 or float32.
bool is_single(nb::handle given);

/// "(4, 100)".
std::string shape_text(const std::vector<std::size_t>& shape);
/// The lengths of all axes.
template <class T>
std::vector<std::size_t> shape_of(const Array<const T>& array) {
  return {array.shape_ptr(), array.shape_ptr() + array.ndim()};
}

/// An array with memory of its own, not filled. Throws std::bad_alloc, which is MemoryError, where it is too
/// large.
template <class T>
Array<T> new_array(const std::vector<std::size_t>& shape) {
  std::size_t size = 1;
  for (const std::size_t n : shape) {
    if (n > 0 && size > std::numeric_limits<std::size_t>::max() / sizeof(T) / n) throw std::bad_alloc();
    size *= n;
  }
  void* const memory = ::operator new(size * sizeof(T));  // new T[] would set complex numbers to 0
  auto* const values = static_cast<T*>(memory);
  nb::capsule owner(values, [](void* p) noexcept { ::operator delete(p); });
  return Array<T>(values, shape.size(), shape.data(), owner);
}

/// A writable view of numbers that belong to `owner`.
Array<double> view_of(Vector& values, nb::handle owner);

/// A copy of numbers.
template <class T>
Array<T> array_of_vector(const VectorOf<T>& values) {
  auto array = new_array<T>({static_cast<std::size_t>(values.size())});
  std::copy(values.begin(), values.end(), array.data());
  return array;
}

/// Copies numbers into an existing vector. Throws Error where there are not as many.
void assign(Vector& values, nb::handle given, const char* name);

/// A matrix (rows, columns) from an array of two axes, and the way back.
Matrix matrix_of(nb::handle given, const char* name);
Array<Complex> array_of_matrix(const Matrix& matrix);

/// Threads that set_threads() asked for.
std::atomic<int>& threads();

/// While one exists, other Python threads run, and the engine takes as many threads as set_threads() says. What
/// it reads meanwhile must be a copy, or something that Python cannot change. OpenMP is left as it was found.
class Working {
 public:
  Working();
  ~Working();
  Working(const Working&) = delete;
  Working& operator=(const Working&) = delete;

 private:
  int before_;
  nb::gil_scoped_release released_;
};

/// What compute() gives, computed while other Python threads run.
template <class Compute>
auto working(Compute&& compute) {
  const Working released;
  return compute();
}

/// What compute() gives, while other Python threads run. Where this may take long, it is computed by a thread
/// of its own, and Ctrl-C is heard meanwhile: compute then runs on to its end for nobody, and must own what it
/// reads.
template <class Compute>
auto working(bool long_enough, Compute compute) {
  if (!long_enough) return working(compute);
  std::packaged_task<decltype(compute())()> task([compute = std::move(compute)]() mutable {
    omp_set_num_threads(threads());
    return compute();
  });
  auto result = task.get_future();
  std::thread(std::move(task)).detach();
  for (;;) {
    {
      const nb::gil_scoped_release released;
      if (result.wait_for(std::chrono::milliseconds(100)) == std::future_status::ready) return result.get();
    }
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
  }
}

/// Whether a matrix of so many rows takes a tenth of a second or more, whatever is done with it.
constexpr bool takes_long(Eigen::Index ports) { return ports >= 512; }

/// Calls compute(first, count) for `size` things, in parts of `most`, while other Python threads run. Between
/// parts Ctrl-C is heard.
template <class Index, class Compute>
void in_parts(Index size, std::type_identity_t<Index> most, Compute compute) {
  for (Index first = 0; first < size || first == 0; first += most) {
    working([&] { compute(first, std::min(most, size - first)); });
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
  }
}

}  // namespace optinc::bindings
