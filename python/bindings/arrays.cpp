#include "python/bindings/arrays.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nanobind/stl/string.h>
#include <omp.h>

#include "physics/core/check.hpp"

namespace optinc::bindings {
namespace {

/// NumPy's name of T, the kinds of elements that become one, and what they are called.
template <class T>
struct Element;
template <>
struct Element<double> {
  static constexpr auto name = "float64", kinds = "fiub", what = "real numbers";
};
template <>
struct Element<float> {
  static constexpr auto name = "float32", kinds = "fiub", what = "real numbers";
};
template <>
struct Element<std::complex<double>> {
  static constexpr auto name = "complex128", kinds = "cfiub", what = "numbers";
};
template <>
struct Element<std::complex<float>> {
  static constexpr auto name = "complex64", kinds = "cfiub", what = "numbers";
};
template <>
struct Element<std::uint32_t> {
  static constexpr auto name = "uint32", kinds = "iu", what = "integers";
};
template <>
struct Element<std::uint64_t> {
  static constexpr auto name = "uint64", kinds = "iu", what = "integers";
};

nb::module_ numpy() { return nb::module_::import_("numpy"); }

/// str() of anything.
std::string text(const nb::object& value) { return nb::cast<std::string>(nb::str(value)); }

/// A NumPy array that needs no conversion. Other libraries' arrays go through NumPy, which knows of their lazy
/// conjugates and refuses those that hold derivatives.
template <class T>
std::optional<Array<const T>> ready_array(nb::handle given) {
  static const nb::object* const type = new nb::object(numpy().attr("ndarray"));  // lives as long as Python
  Array<const T> array;
  if (!given.type().is(*type) || !nb::try_cast(given, array, false)) return std::nullopt;
  if (reinterpret_cast<std::uintptr_t>(array.data()) % alignof(T) != 0) return std::nullopt;
  return array;
}

}  // namespace

template <class T>
Array<const T> array_of(nb::handle given, const char* name) {
  if (const auto as_it_is = ready_array<T>(given)) return *as_it_is;
  const nb::object array = numpy().attr("asarray")(given);
  const nb::object type = array.attr("dtype");
  if (std::string_view(Element<T>::kinds).find(text(type.attr("kind"))) == std::string_view::npos)
    throw nb::type_error(
        fmt::format("{} is an array of {} (needs {}). Convert it.", name, text(type), Element<T>::what)
            .c_str());
  if constexpr (std::is_integral_v<T>) {
    if (nb::cast<std::size_t>(array.attr("size")) > 0) {
      const nb::object least = array.attr("min")(), most = array.attr("max")();
      validate(least >= nb::int_(0) && most <= nb::int_(std::numeric_limits<T>::max()),
               "{} holds {} to {} (integers of {} bits without sign). Give numbers from 0 on.", name,
               text(least), text(most), 8 * sizeof(T));
    }
  }
  const nb::object ready = numpy().attr("require")(array, Element<T>::name, nb::str("CA"));
  return nb::cast<Array<const T>>(ready);
}

template <class T>
Array<const T> array_of(nb::handle given, const char* name, std::size_t axes) {
  Array<const T> array = array_of<T>(given, name);
  validate(array.ndim() == axes, "{} has shape {} ({} axes are needed). Reshape it.", name,
           shape_text(shape_of(array)), axes);
  return array;
}

template Array<const float> array_of(nb::handle, const char*, std::size_t);
template Array<const double> array_of(nb::handle, const char*, std::size_t);
template Array<const std::complex<double>> array_of(nb::handle, const char*, std::size_t);
template Array<const std::uint32_t> array_of(nb::handle, const char*, std::size_t);
template Array<const std::uint64_t> array_of(nb::handle, const char*, std::size_t);
template Array<const double> array_of(nb::handle, const char*);
template Array<const std::complex<double>> array_of(nb::handle, const char*);
template Array<const std::complex<float>> array_of(nb::handle, const char*);

bool is_single(nb::handle given) {
  if (ready_array<std::complex<float>>(given)) return true;
  const nb::object type = numpy().attr("asarray")(given).attr("dtype");
  const std::string name = text(type.attr("name"));
  return name == "complex64" || name == "float32";
}

std::string shape_text(const std::vector<std::size_t>& shape) {
  return fmt::format("({}{})", fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
}

Array<double> view_of(Vector& values, nb::handle owner) {
  const auto size = static_cast<std::size_t>(values.size());
  return Array<double>(values.data(), {size}, owner);
}

void assign(Vector& values, nb::handle given, const char* name) {
  const Array<const double> array = array_of<double>(given, name);
  validate(array.ndim() == 1 && array.size() == static_cast<std::size_t>(values.size()),
           "{} has shape {} (needs ({},)). Give one number for each.", name, shape_text(shape_of(array)),
           values.size());
  std::copy_n(array.data(), array.size(), values.data());
}

namespace {
using RowMajor = Eigen::Matrix<Complex, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
}  // namespace

Matrix matrix_of(nb::handle given, const char* name) {
  const Array<const Complex> array = array_of<Complex>(given, name, 2);
  return Eigen::Map<const RowMajor>(array.data(), static_cast<Eigen::Index>(array.shape(0)),
                                    static_cast<Eigen::Index>(array.shape(1)));
}

Array<Complex> array_of_matrix(const Matrix& matrix) {
  auto array =
      new_array<Complex>({static_cast<std::size_t>(matrix.rows()), static_cast<std::size_t>(matrix.cols())});
  Eigen::Map<RowMajor>(array.data(), matrix.rows(), matrix.cols()) = matrix;
  return array;
}

std::atomic<int>& threads() {
  static std::atomic<int> count = omp_get_max_threads();
  return count;
}

Working::Working() : before_(omp_get_max_threads()) { omp_set_num_threads(threads()); }
Working::~Working() { omp_set_num_threads(before_); }

}  // namespace optinc::bindings
