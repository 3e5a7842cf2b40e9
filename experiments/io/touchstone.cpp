#include "experiments/io/touchstone.hpp"

#include <cmath>
#include <complex>
#include <functional>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "experiments/io/text.hpp"
#include "physics/core/check.hpp"

namespace optinc {
namespace {

constexpr int most_touchstone_ports = 8192;

enum class NumberFormat { real_imaginary, magnitude_angle, decibel_angle };

/// What the option line says; the defaults are the standard's.
struct OptionLine {
  double unit_hz = 1e9;
  NumberFormat format = NumberFormat::magnitude_angle;
};

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return result;
}

OptionLine read_options(const TextLine& line) {
  OptionLine options;
  const auto words = cells_of(line.text.substr(1), ' ');
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string word = lower(words[i]);
    if (word == "hz")
      options.unit_hz = 1.0;
    else if (word == "khz")
      options.unit_hz = 1e3;
    else if (word == "mhz")
      options.unit_hz = 1e6;
    else if (word == "ghz")
      options.unit_hz = 1e9;
    else if (word == "ri")
      options.format = NumberFormat::real_imaginary;
    else if (word == "ma")
      options.format = NumberFormat::magnitude_angle;
    else if (word == "db")
      options.format = NumberFormat::decibel_angle;
    else if (word == "r" && i + 1 < words.size())
      read_number(words[++i], line, "reference resistance");
    else
      validate(
          word == "s",
          "{}: \"{}\" in the option line (read are # Hz|kHz|MHz|GHz S RI|MA|DB R ohm). Export S parameters as "
          "Touchstone 1.",
          line.where(), shown(words[i]));
  }
  return options;
}

Complex number_of(double first, double second, NumberFormat format) {
  const double angle = second * constants::pi / 180.0;
  switch (format) {
    case NumberFormat::real_imaginary:
      return {first, second};
    case NumberFormat::magnitude_angle:
      return std::polar(1.0, angle) * first;  // polar wants a magnitude >= 0
    case NumberFormat::decibel_angle:
      return std::polar(std::pow(10.0, first / 20.0), angle);
  }
  throw Error("number format unknown (a bug). Please report it.");
}

/// Hands on the scattering matrix of one frequency after the other.
class TouchstoneReader {
 public:
  /// Takes a frequency [Hz] and what finds S(row, column) there.
  using Take = std::function<void(double, const std::function<Complex(int, int)>&)>;

  TouchstoneReader(int ports, Take take) : ports_(ports), take_(std::move(take)) {}

  void take(const TextLine& line) {
    last_line_ = line.number;
    validate(line.text.front() != '[',
             "{}: {} (a keyword of Touchstone 2; version 1 is read). Export version 1.", line.where(),
             shown(line.text));
    if (line.text.front() == '#') {
      if (!options_) options_ = read_options(line);  // the standard ignores those that follow
      return;
    }
    validate(options_.has_value(),
             "{}: numbers before the option line (expected such as # GHz S RI R 50). Add it.", line.where());
    const auto cells = cells_of(line.text, ' ');
    const bool begins = !open_;
    if (begins && is_noise(cells, line)) return;
    if (begins) begin_frequency(cells.front(), line);
    for (std::size_t i = begins ? 1 : 0; i < cells.size(); ++i) take_value(cells[i], line);
    if (values_.size() == values_per_frequency()) finish_frequency();
  }

  /// Throws Error unless the last frequency was whole and there was one.
  void finish(const std::string& file) const {
    validate(values_.empty() && !open_,
             "{}:{}: {} numbers at {:.9g} GHz (expected {}: {} ports). Use a complete copy, or the extension "
             "that fits.",
             file, last_line_, values_.size(), frequency_hz_ / 1e9, values_per_frequency(), ports_);
    validate(frequency_hz_ > 0.0, "{}:{}: no data (expected at least one frequency). Check how it was made.",
             file, last_line_);
  }

 private:
  std::size_t values_per_frequency() const {
    return 2 * static_cast<std::size_t>(ports_) * static_cast<std::size_t>(ports_);
  }

  /// Whether a row belongs to the noise data behind a 2-port: five numbers, the first frequency falling back.
  bool is_noise(const std::vector<std::string_view>& cells, const TextLine& line) {
    if (ports_ != 2 || cells.size() != 5 || frequency_hz_ == 0.0) return false;
    noise_ = noise_ || read_number(cells.front(), line, "frequency") * options_->unit_hz <= frequency_hz_;
    return noise_;
  }

  void begin_frequency(std::string_view cell, const TextLine& line) {
    const double hz = read_number(cell, line, "frequency") * options_->unit_hz;
    validate(hz > frequency_hz_,
             "{}: frequency {:.9g} GHz after {:.9g} GHz (frequencies are positive and rise; {} numbers make {} "
             "ports). Check order and extension.",
             line.where(), hz / 1e9, frequency_hz_ / 1e9, values_per_frequency(), ports_);
    frequency_hz_ = hz;
    open_ = true;
  }

  void take_value(std::string_view cell, const TextLine& line) {
    if (values_.size() == values_per_frequency())
      throw Error(
          fmt::format("{}: more than {} numbers at {:.9g} GHz (expected for {} ports). Check the extension.",
                      line.where(), values_per_frequency(), frequency_hz_ / 1e9, ports_));
    // a magnitude of zero is -inf dB in many a file
    const bool dark =
        options_->format == NumberFormat::decibel_angle && values_.size() % 2 == 0 && lower(cell) == "-inf";
    values_.push_back(dark ? -HUGE_VAL : read_number(cell, line, "S parameter"));
  }

  void finish_frequency() {
    take_(frequency_hz_, [this](int row, int column) { return element(row, column); });
    values_.clear();
    open_ = false;
  }

  /// S(row, column) of the frequency. Files list it by rows; 2-ports alone by columns.
  Complex element(int row, int column) const {
    if (ports_ == 2) std::swap(row, column);
    const std::size_t at = 2 * (static_cast<std::size_t>(row) * static_cast<std::size_t>(ports_) +
                                static_cast<std::size_t>(column));
    return number_of(values_[at], values_[at + 1], options_->format);
  }

  int ports_;
  Take take_;
  std::optional<OptionLine> options_;
  bool noise_ = false, open_ = false;  ///< open: a frequency was read whose values are not all there
  double frequency_hz_ = 0.0;
  std::vector<double> values_;
  long last_line_ = 0;
};

void read_frequencies(const std::filesystem::path& path, int ports, TouchstoneReader::Take take) {
  TouchstoneReader reader(ports, std::move(take));
  read_text(path, '!', [&](const TextLine& line) { reader.take(line); });
  reader.finish(path.string());
}

}  // namespace

int touchstone_ports(const std::filesystem::path& path) {
  const std::string extension = extension_of(path);
  constexpr std::size_t most_digits = 6;
  if (extension.size() < 4 || extension.size() > 3 + most_digits || !extension.starts_with(".s") ||
      extension.back() != 'p')
    return 0;
  int ports = 0;
  for (const char c : std::string_view(extension).substr(2, extension.size() - 3)) {
    if (c < '0' || c > '9') return 0;
    ports = 10 * ports + (c - '0');
  }
  return ports;
}

std::string touchstone_text(const Matrix& transfer, double frequency_hz, std::string_view title,
                            std::string_view command) {
  const Eigen::Index n = transfer.rows(), ports = 2 * n;
  validate(n >= 1 && transfer.cols() == n,
           "matrix of {} x {} (a Touchstone file of 2N ports holds an N x N one). Write .h5 or .csv.", n,
           transfer.cols());
  validate(std::isfinite(frequency_hz) && frequency_hz > 0.0,
           "optical frequency {} Hz (expected a positive one). Give such as 193.4e12.", frequency_hz);
  constexpr std::string_view remarks[] = {
      "ports 1..N inputs, N+1..2N outputs; S = [[0, transpose(T)], [T, 0]]: no reflection, reciprocal"};
  Matrix s = Matrix::Zero(ports, ports);
  s.bottomLeftCorner(n, n) = transfer;
  s.topRightCorner(n, n) = transfer.transpose();
  return touchstone_text({{frequency_hz}, s.reshaped()}, title, command, remarks);
}

std::string touchstone_text(const ScatteringSpectrum& spectrum, std::string_view title,
                            std::string_view command, std::span<const std::string_view> remarks) {
  const Eigen::Index ports = spectrum.ports();
  std::string text = text_header('!', title, command, remarks);
  const auto out = std::back_inserter(text);
  text += "# GHz S RI R 50\n";
  for (std::size_t f = 0; f < spectrum.frequency_hz.size(); ++f) {
    const auto s = spectrum.s.col(static_cast<Eigen::Index>(f)).reshaped(ports, ports);
    fmt::format_to(out, "{}", spectrum.frequency_hz[f] / 1e9);
    for (Eigen::Index row = 0; row < ports; ++row)
      for (Eigen::Index column = 0; column < ports; ++column) {
        // every row on a new line, at most four complex numbers a line
        if (ports != 2 && column % 4 == 0 && row + column > 0) text += "\n";
        const Complex value =
            ports == 2 ? s(column, row) : s(row, column);  // 2-ports, and them alone, by columns
        fmt::format_to(out, " {} {}", value.real(), value.imag());
      }
    text += "\n";
  }
  return text + text_footer('!');
}

Matrix read_touchstone(const std::filesystem::path& path, double frequency_hz) {
  const int ports = touchstone_ports(path);
  validate(
      ports >= 2 && ports % 2 == 0 && ports <= most_touchstone_ports,
      "{}: {} ports by its extension (an even number to {}: inputs, then as many outputs). Use a file of such.",
      path.string(), ports, most_touchstone_ports);
  const int n = ports / 2;
  double best_hz = 0.0;
  Matrix transfer(n, n);
  read_frequencies(path, ports, [&](double hz, const auto& element) {
    if (best_hz > 0.0 && std::abs(hz - frequency_hz) >= std::abs(best_hz - frequency_hz)) return;
    best_hz = hz;
    for (int row = 0; row < n; ++row)
      for (int column = 0; column < n; ++column) transfer(row, column) = element(n + row, column);
  });
  validate(std::abs(best_hz - frequency_hz) <= 0.01 * frequency_hz,
           "{}: nearest frequency {:.9g} GHz to the {:.9g} GHz asked for (within 1 % is taken). Ask for one "
           "of the file's.",
           path.string(), best_hz / 1e9, frequency_hz / 1e9);
  return transfer;
}

ScatteringSpectrum read_touchstone_spectrum(const std::filesystem::path& path) {
  const int ports = touchstone_ports(path);
  validate(ports >= 1 && ports <= most_touchstone_ports,
           "{}: extension \"{}\" (a Touchstone file of N ports is called .sNp, N to {}). Rename it.",
           path.string(), shown(extension_of(path)), most_touchstone_ports);
  std::vector<double> frequencies;
  std::vector<Complex> values;
  read_frequencies(path, ports, [&](double hz, const auto& element) {
    frequencies.push_back(hz);
    for (int column = 0; column < ports; ++column)
      for (int row = 0; row < ports; ++row) values.push_back(element(row, column));
  });
  const auto count = static_cast<Eigen::Index>(frequencies.size());
  return {std::move(frequencies), Eigen::Map<const Matrix>(values.data(), Eigen::Index{ports} * ports, count)};
}

}  // namespace optinc
