#include "experiments/files/hdf5/hdf5_call.hpp"

namespace optinc {
namespace {

/// Whether the attribute is one value of that class.
bool is_scalar(hid_t attribute, H5T_class_t wanted) {
  const Handle type(H5Aget_type(attribute), H5Tclose), space(H5Aget_space(attribute), H5Sclose);
  return H5Tget_class(type.get()) == wanted && H5Sget_simple_extent_npoints(space.get()) == 1;
}

}  // namespace

void Attributes::write(std::string_view name, std::int64_t type, std::int64_t space, const void* data) const {
  const std::string key(name), where = fmt::format("{}, attribute {}", where_, name);
  if (has(name)) succeed(H5Adelete(object_.get(), key.c_str()), where, "replace");
  const Handle attribute(
      succeed(H5Acreate2(object_.get(), key.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT), where, "create"),
      H5Aclose);
  succeed(H5Awrite(attribute.get(), type, data), where, "write");
}

void Attributes::set(std::string_view name, std::string_view value) const {
  const std::string text(value);
  const char* pointer = text.c_str();
  const Handle space(H5Screate(H5S_SCALAR), H5Sclose);
  write(name, string_type().get(), space.get(), &pointer);
}

void Attributes::set(std::string_view name, double value) const {
  const Handle space(H5Screate(H5S_SCALAR), H5Sclose);
  write(name, H5T_NATIVE_DOUBLE, space.get(), &value);
}

void Attributes::set(std::string_view name, std::int64_t value) const {
  const Handle space(H5Screate(H5S_SCALAR), H5Sclose);
  write(name, H5T_NATIVE_INT64, space.get(), &value);
}

void Attributes::set(std::string_view name, std::span<const double> values) const {
  const hsize_t size = values.size();
  const Handle space(H5Screate_simple(1, &size, nullptr), H5Sclose);
  write(name, H5T_NATIVE_DOUBLE, space.get(), values.data());
}

void Attributes::set(std::string_view name, std::span<const std::int64_t> values) const {
  const hsize_t size = values.size();
  const Handle space(H5Screate_simple(1, &size, nullptr), H5Sclose);
  write(name, H5T_NATIVE_INT64, space.get(), values.data());
}

bool Attributes::has(std::string_view name) const {
  return succeed(H5Aexists(object_.get(), std::string(name).c_str()), where_, "list its attributes") > 0;
}

Handle Attributes::open(std::string_view name, std::string_view expected) const {
  validate(has(name), "{}: attribute {} is missing (expected {}). Give a file that OptINC wrote.", where_, name,
           expected);
  return {succeed(H5Aopen(object_.get(), std::string(name).c_str(), H5P_DEFAULT), where_, "open an attribute"),
          H5Aclose};
}

std::string Attributes::text(std::string_view name) const {
  const Handle attribute = open(name, "a string");
  const Handle type(H5Aget_type(attribute.get()), H5Tclose);
  validate(is_scalar(attribute.get(), H5T_STRING) && H5Tis_variable_str(type.get()) > 0,
           "{}: attribute {} is of the wrong type (expected a string). Give a file that OptINC wrote.", where_,
           name);
  char* pointer = nullptr;
  succeed(H5Aread(attribute.get(), string_type().get(), &pointer), where_, "read an attribute");
  std::string text = pointer == nullptr ? "" : pointer;
  H5free_memory(pointer);
  return text;
}

double Attributes::number(std::string_view name) const {
  const Handle attribute = open(name, "a number");
  validate(is_scalar(attribute.get(), H5T_FLOAT),
           "{}: attribute {} is of the wrong type (expected a number). Give a file that OptINC wrote.", where_,
           name);
  double value = 0.0;
  succeed(H5Aread(attribute.get(), H5T_NATIVE_DOUBLE, &value), where_, "read an attribute");
  return value;
}

std::int64_t Attributes::integer(std::string_view name) const {
  const Handle attribute = open(name, "an integer");
  validate(is_scalar(attribute.get(), H5T_INTEGER),
           "{}: attribute {} is of the wrong type (expected an integer). Give a file that OptINC wrote.",
           where_, name);
  std::int64_t value = 0;
  succeed(H5Aread(attribute.get(), H5T_NATIVE_INT64, &value), where_, "read an attribute");
  return value;
}

}  // namespace optinc
