#include "experiments/files/chips/numpy_file.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <fstream>

#include <nlohmann/json.hpp>

#include "experiments/files/chips/zip_archive.hpp"
#include "experiments/files/readers/mesh_rows.hpp"
#include "experiments/files/readers/text.hpp"
#include "physics/core/check.hpp"

namespace optinc {
namespace {

constexpr std::size_t most_bytes = std::size_t{1} << 30;

/// What cannot be read of an array or a file, and what to do about it.
[[noreturn]] void refuse_array(const std::string& where, const std::string& problem, std::string_view remedy) {
  throw Error(fmt::format("{}: {}. {}", where, problem, remedy));
}

constexpr std::string_view save_numbers = "Save an array of float64 or int64 with one axis.";

/// The dictionary of a header, a Python literal, as JSON: other brackets, quotes and truths, no comma behind
/// the last of a list.
nlohmann::json json_of_literal(std::string_view literal) {
  std::string text;
  char quote = 0;
  for (std::size_t i = 0; i < literal.size(); ++i) {
    const char c = literal[i];
    if (quote != 0) {
      text += c == quote ? '"' : c;
      if (c == quote) quote = 0;
    } else if (c == '\'' || c == '"') {
      quote = c;
      text += '"';
    } else if (c == ')' || c == ']' || c == '}') {
      if (!text.empty() && text.back() == ',') text.pop_back();
      text += c == '}' ? '}' : ']';
    } else if (c == '(') {
      text += '[';
    } else if (c == 'T' || c == 'F') {
      text += c == 'T' ? 't' : 'f';
    } else if (c != ' ' && c != '\n') {
      text += c;
    }
  }
  return nlohmann::json::parse(text, nullptr, false);
}

/// Where numbers of one kind stand in every row: kind 'f', 'i', 'u' or, in a matrix, 'c', or 'V' for bytes
/// between two fields.
struct NumpyField {
  std::string name;
  char kind = 'V';
  std::size_t offset = 0, size = 0;
};

/// A type such as "<f8", "|u1" or, in a structure, "|V4".
NumpyField field_of(const std::string& name, const nlohmann::json& type, std::size_t offset,
                    const std::string& where, bool may_be_complex = false) {
  const std::string text = type.is_string() ? type.get<std::string>() : "without a name";
  const std::string digits = text.size() > 2 ? text.substr(2) : "";
  const bool counted =
      !digits.empty() && digits.size() < 5 && digits.find_first_not_of("0123456789") == std::string::npos;
  const std::size_t size = counted ? std::stoul(digits) : 0;
  const char kind = text.size() > 2 ? text[1] : '?';
  const bool known = kind == 'f'                  ? size == 4 || size == 8
                     : kind == 'c'                ? may_be_complex && (size == 8 || size == 16)
                     : kind == 'i' || kind == 'u' ? size == 1 || size == 2 || size == 4 || size == 8
                                                  : kind == 'V' && name.empty();
  if (!counted || !known || (text[0] != '<' && text[0] != '|'))
    refuse_array(where,
                 fmt::format("numbers of type {} (real ones in little-endian order are read)", shown(text)),
                 save_numbers);
  return {name, kind, offset, size};
}

template <class T>
double number_at(const char* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return static_cast<double>(value);
}

double number_of(const NumpyField& field, const char* row) {
  const char* const at = row + field.offset;
  if (field.kind == 'f') return field.size == 4 ? number_at<float>(at) : number_at<double>(at);
  const bool sign = field.kind == 'i';
  switch (field.size) {
    case 1:
      return sign ? number_at<std::int8_t>(at) : number_at<std::uint8_t>(at);
    case 2:
      return sign ? number_at<std::int16_t>(at) : number_at<std::uint16_t>(at);
    case 4:
      return sign ? number_at<std::int32_t>(at) : number_at<std::uint32_t>(at);
    default:
      return sign ? number_at<std::int64_t>(at) : number_at<std::uint64_t>(at);
  }
}

/// The number of a matrix, whose field may be complex.
Complex complex_number_of(const NumpyField& field, const char* at) {
  if (field.kind != 'c') return number_of(field, at);
  return field.size == 8 ? Complex(number_at<float>(at), number_at<float>(at + 4))
                         : Complex(number_at<double>(at), number_at<double>(at + 8));
}

std::vector<NumpyField> fields_of(const nlohmann::json& types, const std::string& name,
                                  const std::string& where) {
  if (!types.is_array()) return {field_of(name.empty() ? "array" : name, types, 0, where)};
  std::vector<NumpyField> fields;
  for (const nlohmann::json& type : types) {
    if (!type.is_array() || type.size() != 2 || !type[0].is_string())
      refuse_array(where, "fields that are arrays (each is one number)", save_numbers);
    const std::size_t offset = fields.empty() ? 0 : fields.back().offset + fields.back().size;
    fields.push_back(field_of(type[0].get<std::string>(), type[1], offset, where));
  }
  if (fields.empty()) refuse_array(where, "a structure without fields", save_numbers);
  return fields;
}

/// What the header of one .npy says, and the bytes behind it.
struct NumpyArray {
  nlohmann::json type;
  std::vector<std::uint64_t> shape;
  bool by_columns = false;  ///< the first axis runs fastest (order of Fortran)
  std::string_view data;
};

constexpr std::string_view complete = "Use a complete copy, or save it again by numpy.save.";

NumpyArray array_of_npy(std::string_view bytes, const std::string& where) {
  if (bytes.size() < 12 || !bytes.starts_with("\x93NUMPY")) refuse_array(where, "no array of NumPy", complete);
  const bool wide = bytes[6] >= 2;  // version 1 has two bytes for the length of its header, others four
  std::size_t length = 0;
  for (std::size_t i = wide ? 4 : 2; i-- > 0;) length = length << 8 | static_cast<std::uint8_t>(bytes[8 + i]);
  const std::size_t begin = wide ? 12 : 10;
  if (length > std::min<std::size_t>(bytes.size() - begin, 1 << 20))
    refuse_array(where, "a header longer than the file or than 1 MiB", complete);
  const nlohmann::json header = json_of_literal(bytes.substr(begin, length));
  if (!header.is_object() || !header.contains("descr") || !header.contains("shape") ||
      !header["shape"].is_array())
    refuse_array(where, "a header that says no type and shape", complete);
  NumpyArray array{header["descr"],
                   {},
                   header.value("fortran_order", nlohmann::json()) == true,
                   bytes.substr(begin + length)};
  for (const nlohmann::json& count : header["shape"]) {
    if (!count.is_number_unsigned()) refuse_array(where, "a shape that is no count of rows", complete);
    array.shape.push_back(count.get<std::uint64_t>());
  }
  return array;
}

/// The columns of one .npy: of its fields or, called `name`, of its numbers.
std::vector<NamedColumn> columns_of_npy(std::string_view bytes, const std::string& name,
                                        const std::string& where) {
  const NumpyArray array = array_of_npy(bytes, where);
  if (array.shape.size() != 1)
    refuse_array(where, fmt::format("an array of {} axes (one is read)", array.shape.size()), save_numbers);
  const std::vector<NumpyField> fields = fields_of(array.type, name, where);
  const std::size_t row_size = fields.back().offset + fields.back().size;
  const std::uint64_t rows = array.shape[0];
  const std::string_view data = array.data;
  if (rows > static_cast<std::uint64_t>(most_mzis) || row_size == 0 || data.size() != rows * row_size)
    refuse_array(where, fmt::format("{} rows of {} bytes, and {} bytes of data", rows, row_size, data.size()),
                 complete);
  std::vector<NamedColumn> columns;
  for (const NumpyField& field : fields) {
    if (field.kind == 'V') continue;
    std::vector<double> values(rows);
    for (std::size_t k = 0; k < rows; ++k) {
      values[k] = number_of(field, data.data() + k * row_size);
      if (!std::isfinite(values[k]))
        refuse_array(
            where, fmt::format("row {} of {} is {} (every number is finite)", k, shown(field.name), values[k]),
            "Correct the number.");
    }
    columns.push_back({field.name, std::move(values)});
  }
  return columns;
}

/// The numbers of one .npy with two axes, at most `largest` each.
Matrix matrix_of_npy(std::string_view bytes, std::uint64_t largest, const std::string& where,
                     bool may_be_complex) {
  const std::string_view save_square =
      may_be_complex ? "Save an array of complex128 with two axes." : "Save an array of float64 with two axes.";
  const NumpyArray array = array_of_npy(bytes, where);
  if (array.shape.size() != 2)
    refuse_array(where, fmt::format("an array of {} axes (two are read)", array.shape.size()), save_square);
  if (array.type.is_array()) refuse_array(where, "an array with fields (one number an element)", save_square);
  const NumpyField number = field_of("array", array.type, 0, where, may_be_complex);
  const std::uint64_t rows = array.shape[0], columns = array.shape[1];
  if (rows > largest || columns > largest)
    refuse_array(where,
                 fmt::format("{} x {} numbers (at most {} x {} are read)", rows, columns, largest, largest),
                 "Save a smaller one.");
  if (array.data.size() != rows * columns * number.size)
    refuse_array(where,
                 fmt::format("{} x {} numbers of {} bytes, and {} bytes of data", rows, columns, number.size,
                             array.data.size()),
                 complete);
  Matrix matrix(rows, columns);
  for (std::uint64_t i = 0; i < rows; ++i)
    for (std::uint64_t j = 0; j < columns; ++j) {
      const std::size_t at = array.by_columns ? i + j * rows : i * columns + j;
      const Complex value = complex_number_of(number, array.data.data() + at * number.size);
      if (!std::isfinite(value.real()) || !std::isfinite(value.imag()))
        refuse_array(where,
                     fmt::format("row {}, column {} is {} (every number is finite)", i, j,
                                 std::isfinite(value.real()) ? value.imag() : value.real()),
                     "Correct the number.");
      matrix(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) = value;
    }
  return matrix;
}

}  // namespace

NamedColumns read_numpy(const std::filesystem::path& path) {
  const std::string bytes = read_bytes(path, most_bytes);
  NamedColumns table{path.string(), {}};
  const auto take = [&](std::vector<NamedColumn> columns) {
    for (NamedColumn& column : columns) {
      validate(table.find(column.name) == nullptr, "{}: array {} is there twice (each once). Remove one.",
               table.file, shown(column.name));
      table.columns.push_back(std::move(column));
    }
  };
  if (bytes.starts_with("\x93NUMPY")) {
    take(columns_of_npy(bytes, {}, table.file));
  } else {
    for (const ZipMember& member : unzip(bytes, table.file)) {
      const std::string name = member.name.substr(0, member.name.rfind(".npy"));
      take(columns_of_npy(member.bytes, name, fmt::format("{}: {}", table.file, shown(name))));
    }
  }
  validate(!table.columns.empty(), "{}: no arrays (columns are expected). Check how it was made.", table.file);
  return table;
}

Eigen::MatrixXd read_numpy_matrix(const std::filesystem::path& path, std::string_view name,
                                  std::size_t largest) {
  const std::string bytes = read_bytes(path, most_bytes), file = path.string();
  if (bytes.starts_with("\x93NUMPY")) return matrix_of_npy(bytes, largest, file, false).real();
  const std::vector<ZipMember> members = unzip(bytes, file);
  const auto found = std::ranges::find(members, fmt::format("{}.npy", name), &ZipMember::name);
  validate(found != members.end(), "{}: no array \"{}\" in it (it holds the matrix). Save it under that name.",
           file, name);
  return matrix_of_npy(found->bytes, largest, fmt::format("{}: {}", file, name), false).real();
}

Matrix read_numpy_complex_matrix(const std::filesystem::path& path, std::size_t largest) {
  const std::string bytes = read_bytes(path, most_bytes), file = path.string();
  if (bytes.starts_with("\x93NUMPY")) return matrix_of_npy(bytes, largest, file, true);
  const std::vector<ZipMember> members = unzip(bytes, file);
  validate(members.size() == 1, "{}: {} arrays (one, the matrix, is read). Save it alone.", file,
           members.size());
  return matrix_of_npy(members.front().bytes, largest, fmt::format("{}: {}", file, members.front().name), true);
}

NamedColumns read_columns(const std::filesystem::path& path) {
  const std::string extension = extension_of(path);
  if (extension == ".npy" || extension == ".npz") return read_numpy(path);
  validate(extension == ".csv",
           "{}: extension \"{}\" is unknown for a table (known: .csv, .npy, .npz). Rename the file.",
           path.string(), shown(extension));
  return read_columns_csv(path);
}

}  // namespace optinc
