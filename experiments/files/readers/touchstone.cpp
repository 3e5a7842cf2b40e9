#include "experiments/files/readers/touchstone.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <functional>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "experiments/files/readers/document.hpp"
#include "experiments/files/readers/text.hpp"
#include "physics/core/check.hpp"
#include "physics/core/names.hpp"

namespace optinc {
namespace {

constexpr int most_touchstone_ports = 8192;
constexpr std::string_view convention_names[] = {"rf", "optics"};
constexpr std::string_view convention_texts[] = {
    "exp(-j beta L), group delay = -d(phase)/d(omega), as network analysers and circuit simulators have it",
    "exp(+j beta L), group delay = +d(phase)/d(omega), as optical tools have it"};

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
  validate(std::ranges::count_if(words, [](std::string_view word) { return lower(word) == "s"; }) <= 1,
           "{}: {} (S parameters over seconds are a response in time). Export them over frequency.",
           line.where(), shown(line.text));
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
    else if (word == "thz")
      options.unit_hz = 1e12;
    else if (word == "ri")
      options.format = NumberFormat::real_imaginary;
    else if (word == "ma")
      options.format = NumberFormat::magnitude_angle;
    else if (word == "db")
      options.format = NumberFormat::decibel_angle;
    else if (word == "r")  // one resistance or several, real or complex: none is used
      while (i + 1 < words.size() && words[i + 1].find_first_of("0123456789(+-.") == 0) ++i;
    else
      validate(word == "s",
               "{}: \"{}\" in the option line (read are # Hz|kHz|MHz|GHz|THz S RI|MA|DB R ohm). Export S "
               "parameters.",
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

/// One unit of the last digit of a decimal number: 0.1 of "193414.5", 1e9 of "1.93e11".
double last_digit(std::string_view cell) {
  const std::size_t e = std::min(cell.find_first_of("eE"), cell.size()), dot = cell.substr(0, e).find('.');
  double exponent = 0.0;
  if (e < cell.size()) core_number(cell.substr(e + 1), exponent);
  return std::pow(10.0, exponent - (dot < e ? static_cast<double>(e - dot - 1) : 0.0));
}

/// Hands on the scattering matrix of one frequency after the other.
class TouchstoneReader {
 public:
  /// Takes a frequency [Hz] and what finds S(row, column) there.
  using Take = std::function<void(double, const std::function<Complex(int, int)>&)>;

  TouchstoneReader(int ports, PhaseConvention convention, Take take)
      : ports_(ports), convention_(convention), take_(std::move(take)) {}

  /// One unit of the last digit of the frequencies, the finest of all.
  double digit_hz() const { return digit_hz_; }

  void take(const TextLine& line) {
    last_line_ = line.number;
    validate(!line.text.starts_with("[\"") && !line.text.starts_with("(\""),
             "{}: {} (S parameters of Lumerical, which are not read). Export them as Touchstone.", line.where(),
             shown(line.text));
    if (information_ || line.text.front() == '[') return take_keyword(line);
    if (line.text.front() == '#') {
      if (!options_) options_ = read_options(line);  // the standard ignores those that follow
      return;
    }
    validate(options_.has_value(),
             "{}: numbers before the option line (expected such as # GHz S RI R 50). Add it.", line.where());
    if (version2_ && section_ != Section::network) {
      if (section_ != Section::header || reference_) return;  // noise, the end, resistances
      throw Error(fmt::format("{}: numbers before [Network Data] (which opens those of Touchstone 2). Add it.",
                              line.where()));
    }
    const auto cells = cells_of(line.text, ' ');
    const bool begins = !open_;
    if (begins && is_noise(cells, line)) return;
    if (begins) begin_frequency(cells.front(), line);
    for (std::size_t i = begins ? 1 : 0; i < cells.size(); ++i) take_value(cells[i], line);
    broken_ = broken_ || values_.size() < values_per_frequency();
    if (values_.size() == values_per_frequency()) finish_frequency();
  }

  /// Throws Error unless the last frequency was whole and there was one.
  void finish(const std::string& file) const {
    validate(values_.empty() && !open_,
             "{}:{}: {} numbers at {:.9g} GHz (expected {}: {} ports). Use a complete copy, or the extension "
             "that fits.",
             file, last_line_, values_.size(), frequency_hz_ / 1e9, values_per_frequency(), ports_);
    validate(frequency_hz_ >= 0.0, "{}:{}: no data (expected at least one frequency). Check how it was made.",
             file, last_line_);
  }

 private:
  enum class Section { header, network, noise, end };
  enum class Shape { full, lower, upper };

  std::size_t values_per_frequency() const {
    const auto ports = static_cast<std::size_t>(ports_);
    return shape_ == Shape::full ? 2 * ports * ports : ports * (ports + 1);
  }

  /// A line "[Keyword] value" of Touchstone 2.
  void take_keyword(const TextLine& line) {
    const std::size_t close = line.text.find(']');
    const std::string word = lower(line.text.substr(0, close == line.text.npos ? close : close + 1));
    const auto values = cells_of(close == line.text.npos ? "" : line.text.substr(close + 1), ' ');
    const std::string value = lower(values.empty() ? "" : values.front());
    if (information_ || word == "[begin information]") {
      information_ = word != "[end information]";
      return;
    }
    const auto require = [&](bool fits, std::string_view expected) {
      validate(fits, "{}: {} (expected {}). Export it again.", line.where(), shown(line.text), expected);
    };
    reference_ = word == "[reference]";  // whose values may go on in the lines that follow
    if (word == "[version]") {
      require(value.starts_with("2."), "version 2.0");
      version2_ = true;
      row_order_ = true;
    } else if (word == "[number of ports]") {
      require(value == fmt::format("{}", ports_), fmt::format("{} ports, by the file's name", ports_));
    } else if (word == "[two-port data order]") {
      require(value == "12_21" || value == "21_12", "12_21 or 21_12");
      row_order_ = value == "12_21";
    } else if (word == "[matrix format]") {
      require(value == "full" || value == "lower" || value == "upper", "Full, Lower or Upper");
      shape_ = value == "full" ? Shape::full : value == "lower" ? Shape::lower : Shape::upper;
    } else if (word == "[network data]") {
      section_ = Section::network;
    } else if (word == "[noise data]") {
      section_ = Section::noise;
    } else if (word == "[end]") {
      section_ = Section::end;
    } else {
      require(reference_ || word == "[number of frequencies]" || word == "[number of noise frequencies]",
              "a keyword of Touchstone 2 for single-ended ports");
    }
    require(version2_, "[Version] first");
  }

  /// Whether a row belongs to the noise data behind a 2-port: five numbers, the first frequency falling back.
  bool is_noise(const std::vector<std::string_view>& cells, const TextLine& line) {
    if (version2_ || ports_ != 2 || cells.size() != 5 || frequency_hz_ < 0.0) return false;
    // behind rows that were broken in two, such a row may be the next frequency: it does not rise, so refuse it
    noise_ = noise_ ||
             (!broken_ && read_number(cells.front(), line, "frequency") * options_->unit_hz <= frequency_hz_);
    return noise_;
  }

  void begin_frequency(std::string_view cell, const TextLine& line) {
    const double hz = read_number(cell, line, "frequency") * options_->unit_hz;
    validate(
        hz > frequency_hz_ && hz >= 0.0,
        "{}: frequency {:.9g} GHz after {} (frequencies rise from 0; {} numbers make {} ports). Check order "
        "and extension.",
        line.where(), hz / 1e9, frequency_hz_ < 0 ? "none" : fmt::format("{:.9g} GHz", frequency_hz_ / 1e9),
        values_per_frequency(), ports_);
    frequency_hz_ = hz;
    digit_hz_ = std::min(digit_hz_, last_digit(cell) * options_->unit_hz);
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

  /// S(row, column) of the frequency. Files list it by rows; 2-ports of version 1, and some of version 2, by
  /// columns; symmetric ones a triangle.
  Complex element(int row, int column) const {
    if (ports_ == 2 && !row_order_) std::swap(row, column);
    if ((shape_ == Shape::lower && column > row) || (shape_ == Shape::upper && column < row))
      std::swap(row, column);
    const auto i = static_cast<std::size_t>(row), j = static_cast<std::size_t>(column),
               n = static_cast<std::size_t>(ports_);
    const std::size_t at = 2 * (shape_ == Shape::full    ? i * n + j
                                : shape_ == Shape::lower ? i * (i + 1) / 2 + j
                                                         : i * n - i * (i + 1) / 2 + j);
    const Complex value = number_of(values_[at], values_[at + 1], options_->format);
    return convention_ == PhaseConvention::optics ? value : conjugated(value);
  }

  int ports_;
  PhaseConvention convention_;
  Take take_;
  std::optional<OptionLine> options_;
  bool version2_ = false, row_order_ = false;     ///< of Touchstone 2; two-ports by rows
  bool information_ = false, reference_ = false;  ///< inside [Begin Information], or behind [Reference]
  Section section_ = Section::header;
  Shape shape_ = Shape::full;
  bool noise_ = false, broken_ = false;  ///< noise data were met, or a frequency over several lines
  bool open_ = false;                    ///< a frequency was read whose values are not all there
  double frequency_hz_ = -1.0, digit_hz_ = HUGE_VAL;  ///< -1: none yet
  std::vector<double> values_;
  long last_line_ = 0;
};

/// The sign of phase of a file: what its header says, which `given` must not contradict, else `given`, else rf.
PhaseConvention convention_of(const std::filesystem::path& path, std::optional<PhaseConvention> given) {
  const std::optional<std::string> entry = header_entry(path, '!', phase_convention_entry);
  if (!entry) return given.value_or(PhaseConvention::rf);
  // files of ours before the entry came have our sign as it is
  const bool rf = entry->starts_with("exp(-j beta L)"),
             optics = entry->empty() || entry->starts_with("exp(+j beta L)");
  validate(rf || optics,
           "{}: {}: {} (known are exp(-j beta L) and exp(+j beta L)). Use a newer version of OptINC.",
           path.string(), phase_convention_entry, shown(*entry));
  const PhaseConvention stated = rf ? PhaseConvention::rf : PhaseConvention::optics;
  validate(!given || *given == stated,
           "{}: convention {} (OptINC wrote the file, in the convention {}). Leave it out.", path.string(),
           convention_names[static_cast<std::size_t>(given.value_or(stated))],
           convention_names[static_cast<std::size_t>(stated)]);
  return stated;
}

/// Reads all frequencies; one unit of the last digit that they have.
double read_frequencies(const std::filesystem::path& path, int ports, std::optional<PhaseConvention> convention,
                        TouchstoneReader::Take take) {
  TouchstoneReader reader(ports, convention_of(path, convention), std::move(take));
  read_text(path, '!', [&](const TextLine& line) { reader.take(line); });
  reader.finish(path.string());
  return reader.digit_hz();
}

/// Ports of a file: by its extension; of a .ts file, which is Touchstone 2, by what it says. 0: neither.
int ports_of(const std::filesystem::path& path) {
  int ports = touchstone_ports(path);
  if (extension_of(path) != ".ts") return ports;
  read_text(path, '!', [&](const TextLine& line) {
    constexpr std::string_view keyword = "[number of ports]";
    if (ports == 0 && lower(line.text.substr(0, keyword.size())) == keyword)
      ports = static_cast<int>(read_index(cells_of(line.text.substr(keyword.size()), ' ').front(), line,
                                          "number of ports", most_touchstone_ports));
  });
  validate(ports > 0, "{}: no [Number of Ports] (a .ts file is Touchstone 2). Add it.", path.string());
  return ports;
}

}  // namespace

std::span<const std::string_view> phase_convention_names() { return convention_names; }

PhaseConvention phase_convention(std::string_view name) {
  const auto found = std::ranges::find(convention_names, name);
  if (found == std::end(convention_names)) refuse_name("convention", name, convention_names);
  return static_cast<PhaseConvention>(found - std::begin(convention_names));
}

std::string_view phase_convention_text(PhaseConvention convention) {
  return convention_texts[static_cast<std::size_t>(convention)];
}

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

bool is_touchstone_2(const std::filesystem::path& path) { return extension_of(path) == ".ts"; }

Matrix read_touchstone(const std::filesystem::path& path, const TouchstoneOptions& options) {
  const double frequency_hz = options.frequency_hz;
  const int ports = touchstone_ports(path);
  validate(
      ports >= 2 && ports % 2 == 0 && ports <= most_touchstone_ports,
      "{}: {} ports by its extension (an even number to {}: inputs, then as many outputs). Use a file of such.",
      path.string(), ports, most_touchstone_ports);
  const int n = ports / 2;
  double best_hz = -1.0;
  Matrix transfer(n, n);
  read_frequencies(path, ports, options.convention, [&](double hz, const auto& element) {
    if (best_hz >= 0.0 && std::abs(hz - frequency_hz) >= std::abs(best_hz - frequency_hz)) return;
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

ScatteringSpectrum read_touchstone_spectrum(const std::filesystem::path& path,
                                            std::optional<PhaseConvention> convention) {
  const int ports = ports_of(path);
  validate(
      ports >= 1 && ports <= most_touchstone_ports,
      "{}: extension \"{}\" (a Touchstone file of N ports is called .sNp, N to {}, or .ts). Export the block "
      "as Touchstone.",
      path.string(), shown(extension_of(path)), most_touchstone_ports);
  std::vector<double> frequencies;
  std::vector<Complex> values;
  const double digit_hz = read_frequencies(path, ports, convention, [&](double hz, const auto& element) {
    frequencies.push_back(hz);
    for (int column = 0; column < ports; ++column)
      for (int row = 0; row < ports; ++row) values.push_back(element(row, column));
  });
  const auto count = static_cast<Eigen::Index>(frequencies.size());
  return {std::move(frequencies), Eigen::Map<const Matrix>(values.data(), Eigen::Index{ports} * ports, count),
          digit_hz};
}

std::string touchstone_rows(const ScatteringSpectrum& spectrum, PhaseConvention convention, int version) {
  const Eigen::Index ports = spectrum.ports();
  const bool by_columns = ports == 2 && version == 1;  // 2-ports of version 1, and them alone
  std::string text = fmt::format("! {}: {}\n", phase_convention_entry, phase_convention_text(convention));
  const auto out = std::back_inserter(text);
  if (version == 2) text += "[Version] 2.0\n";
  text += "# GHz S RI R 50\n";
  if (version == 2) {
    fmt::format_to(out, "[Number of Ports] {}\n", ports);
    if (ports == 2) text += "[Two-Port Data Order] 12_21\n";
    fmt::format_to(out, "[Number of Frequencies] {}\n[Matrix Format] Full\n[Network Data]\n",
                   spectrum.frequency_hz.size());
  }
  for (std::size_t f = 0; f < spectrum.frequency_hz.size(); ++f) {
    const auto s = spectrum.s.col(static_cast<Eigen::Index>(f)).reshaped(ports, ports);
    fmt::format_to(out, "{}", spectrum.frequency_hz[f] / 1e9);
    for (Eigen::Index row = 0; row < ports; ++row)
      for (Eigen::Index column = 0; column < ports; ++column) {
        // every row on a new line, at most four complex numbers a line
        if (ports != 2 && column % 4 == 0 && row + column > 0) text += "\n";
        const Complex ours = by_columns ? s(column, row) : s(row, column);
        const Complex value = convention == PhaseConvention::optics ? ours : conjugated(ours);
        fmt::format_to(out, " {} {}", value.real(), value.imag());
      }
    text += "\n";
  }
  if (version == 2) text += "[End]\n";
  return text;
}

}  // namespace optinc
