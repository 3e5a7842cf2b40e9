#include "experiments/files/readers/lumerical.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <numbers>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>

#include "experiments/files/readers/table_cells.hpp"
#include "experiments/files/readers/text.hpp"
#include "physics/core/check.hpp"

namespace optinc {
namespace {

constexpr std::size_t most_lumerical_ports = 1024, most_frequencies = 1'000'000;
constexpr std::string_view quotes = "\"'";

/// A port and its mode.
using PortMode = std::pair<std::size_t, std::int64_t>;

/// One element of S over frequency.
struct LumericalElement {
  PortMode to, from;
  std::size_t count = 0;     ///< frequencies that the file announces
  double group_delay_s = 0;  ///< that was taken out of the phase
  std::vector<double> hz, magnitude, phase;
  std::string where;
};

class LumericalReader {
 public:
  void take(const TextLine& line) {
    const char first = line.text.front();
    if (first == '[') return take_port(line);
    if (first == '(')
      return line.text.find_first_of(quotes) != line.text.npos ? take_header(line) : take_size(line);
    take_row(line);
  }

  LumericalBlock block(const std::string& file, bool turned) {
    validate(!elements_.empty(),
             "{}: no S parameters below the ports (expected at least one). Export it again.", file);
    validate(announced_ == 0 || elements_[0].hz.size() == announced_,
             "{}: {} rows of {} (the file lost some). Use a complete copy.", file, elements_[0].hz.size(),
             announced_);
    if (!listed_) number_ports();
    std::vector<PortMode> places;
    for (const LumericalElement& e : elements_) {
      require_complete(e);
      places.insert(places.end(), {e.to, e.from});
    }
    for (std::size_t p = 0; p < ports_.size(); ++p)  // ports that no element names
      if (std::ranges::none_of(places, [&](const PortMode& at) { return at.first == p; }))
        places.emplace_back(p, 1);
    std::ranges::sort(places);
    places.erase(std::unique(places.begin(), places.end()), places.end());
    validate(places.size() <= most_lumerical_ports, "{}: {} ports and modes (at most {}). Export fewer.", file,
             places.size(), most_lumerical_ports);
    const bool modes = places.size() > ports_.size();
    LumericalBlock made;
    for (const auto& [port, mode] : places)
      made.ports.push_back(modes ? fmt::format("port{}@{}", port + 1, mode) : fmt::format("port{}", port + 1));
    const LumericalElement& first = elements_.front();
    const auto n = static_cast<Eigen::Index>(places.size()), count = static_cast<Eigen::Index>(first.hz.size());
    std::vector<std::size_t> order(first.hz.size());  // rows rise or fall, in files of measurements neither
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, {}, [&](std::size_t row) { return first.hz[row]; });
    for (const std::size_t row : order) made.spectrum.frequency_hz.push_back(first.hz[row]);
    const std::vector<double>& sorted_hz = made.spectrum.frequency_hz;
    const auto twice = std::ranges::adjacent_find(sorted_hz);
    validate(twice == sorted_hz.end(), "{}: {} Hz stands there twice (each frequency once). Remove a row.",
             first.where, twice == sorted_hz.end() ? 0.0 : *twice);
    made.spectrum.s = Matrix::Zero(n * n, count);
    std::map<std::pair<PortMode, PortMode>, bool> there;
    const double centre_hz = (sorted_hz.front() + sorted_hz.back()) / 2;
    for (const LumericalElement& e : elements_) {
      validate(std::exchange(there[{e.to, e.from}], true) == false,
               "{}: this element for the second time (each once). Remove one.", e.where);
      validate(same_frequencies(e, first),
               "{}: frequencies differ from those of {} (all are the same). Export them together.", e.where,
               first.where);
      const auto place = [&](const PortMode& at) {
        return std::ranges::lower_bound(places, at) - places.begin();
      };
      auto row = made.spectrum.s.row(place(e.from) * n + place(e.to));
      for (Eigen::Index f = 0; f < count; ++f) {
        const std::size_t at = order[static_cast<std::size_t>(f)];
        const double phase = e.phase[at] + 2 * std::numbers::pi * e.group_delay_s * (e.hz[at] - centre_hz);
        row[f] = std::polar(e.magnitude[at], turned ? -phase : phase);
      }
    }
    return made;
  }

 private:
  /// Cells between the brackets of a line.
  const std::vector<std::string_view>& inside(const TextLine& line) {
    validate(line.text.size() > 2 && line.text.find_first_of("])") == line.text.size() - 1,
             "{}: \"{}\" does not end with its bracket (it is one line). Export it again.", line.where(),
             shown(line.text));
    inner_ = line.text.substr(1, line.text.size() - 2);
    std::ranges::replace(inner_, '\'', '"');  // the kit of SiEPIC has single quotes
    TextLine inner = line;
    inner.text = inner_;
    cut_ = {};
    return cut_(inner);
  }

  std::size_t port(std::string_view name) {
    const auto found = std::ranges::find(ports_, name);
    if (found == ports_.end()) ports_.emplace_back(name);
    return static_cast<std::size_t>(std::ranges::find(ports_, name) - ports_.begin());
  }

  /// Ports that no line lists are in the order of their numbers, "port 1" before "port 2"; by other names, in
  /// that of the file.
  void number_ports() {
    const auto is_numbered = [](const std::string& name) { return name.starts_with("port "); };
    if (!std::ranges::all_of(ports_, is_numbered)) return;
    std::vector<std::string> sorted = ports_;
    std::ranges::sort(sorted, {}, [](const std::string& name) { return std::pair(name.size(), name); });
    for (LumericalElement& e : elements_)
      for (PortMode* const at : {&e.to, &e.from})
        at->first = static_cast<std::size_t>(std::ranges::find(sorted, ports_[at->first]) - sorted.begin());
    ports_ = std::move(sorted);
  }

  void take_port(const TextLine& line) {
    validate(elements_.empty(), "{}: a port behind S parameters (ports come first). Move it up.", line.where());
    listed_ = true;
    port(inside(line).front());
  }

  void take_header(const TextLine& line) {
    validate(columns_ == 0 && announced_ == 0,
             "{}: an element behind a table of two ports (either is a file). Export it again.", line.where());
    if (!elements_.empty()) require_complete(elements_.back());
    const auto cells = inside(line);
    validate(cells.size() == 6 || cells.size() == 7,
             "{}: {} entries (expected 6 or 7: (\"port 2\",\"TE\",1,\"port 1\",1,\"transmission\")). Export a "
             "table of "
             "S parameters, not a sweep.",
             line.where(), cells.size());
    constexpr std::int64_t most_modes = 1000;
    validate(cells[5] != "modulation",
             "{}: type \"modulation\" (S parameters that a signal changes are not read). Export those of type "
             "\"transmission\".",
             line.where());
    LumericalElement made;
    made.where = line.where();
    made.to = {port(cells[0]), read_index(cells[2], line, "mode", most_modes)};
    made.from = {port(cells[3]), read_index(cells[4], line, "mode", most_modes)};
    if (cells.size() == 7) made.group_delay_s = read_number(cells[6], line, "group delay");
    elements_.push_back(std::move(made));
  }

  void take_size(const TextLine& line) {
    const auto& cells = inside(line);
    const bool of_table = elements_.empty() && cells.size() == 2 && (cells[1] == "5" || cells[1] == "9");
    validate(
        of_table || (!elements_.empty() && elements_.back().count == 0 && cells.size() == 2 && cells[1] == "3"),
        "{}: \"{}\" (expected (N,3) behind the line of an element: frequency, magnitude, phase). Export "
        "it again.",
        line.where(), shown(line.text));
    const auto count = static_cast<std::size_t>(read_index(cells[0], line, "frequencies", most_frequencies));
    validate(count > 0, "{}: no frequencies (at least one). Export it again.", line.where());
    (of_table ? announced_ : elements_.back().count) = count;
  }

  static void take_value(LumericalElement& element, const TextLine& line, std::string_view hz,
                         std::string_view magnitude, std::string_view phase) {
    element.hz.push_back(read_number(hz, line, "frequency"));
    element.magnitude.push_back(read_number(magnitude, line, "magnitude"));
    element.phase.push_back(read_number(phase, line, "phase"));
    validate(element.hz.back() > 0 && element.magnitude.back() >= 0,
             "{}: frequency {} Hz, magnitude {} (positive, and 0 or more). Export it again.", line.where(),
             element.hz.back(), element.magnitude.back());
  }

  void take_row(const TextLine& line) {
    const auto cells = cells_of(line.text, ' ');
    if (elements_.empty() &&
        (cells.size() == 5 || cells.size() == 9)) {  // a table of all elements of two ports
      columns_ = cells.size();
      for (const std::string_view to : {"port 1", "port 2", "port 1", "port 2"})
        elements_.push_back({{port(to), 1}, {elements_.size() / 2, 1}, 0, 0, {}, {}, {}, line.where()});
    }
    if (columns_ > 0) {
      validate(cells.size() == columns_ && elements_[0].count < most_frequencies,
               "{}: {} numbers in row {} (as many as in the first, and at most {} rows). Export it again.",
               line.where(), cells.size(), elements_[0].count + 1, most_frequencies);
      constexpr std::size_t symmetric[] = {0, 1, 1, 0};  // S11, S21 alone
      for (std::size_t e = 0; e < elements_.size(); ++e) {
        const std::size_t pair = columns_ == 5 ? symmetric[e] : e;
        take_value(elements_[e], line, cells[0], cells[1 + 2 * pair], cells[2 + 2 * pair]);
        ++elements_[e].count;
      }
      return;
    }
    validate(
        !elements_.empty() && elements_.back().hz.size() < elements_.back().count && cells.size() == 3,
        "{}: \"{}\" (expected rows of frequency, magnitude, phase, as many as announced). Export it again.",
        line.where(), shown(line.text));
    take_value(elements_.back(), line, cells[0], cells[1], cells[2]);
  }

  static void require_complete(const LumericalElement& element) {
    validate(element.count > 0 && element.hz.size() == element.count,
             "{}: {} rows of {} (the file lost some). Use a complete copy.", element.where, element.hz.size(),
             element.count);
  }

  static bool same_frequencies(const LumericalElement& a, const LumericalElement& b) {
    constexpr double digits = 1e-9;
    return std::ranges::equal(a.hz, b.hz, [](double x, double y) { return std::abs(x - y) <= digits * y; });
  }

  TableCells cut_;
  std::string inner_;  ///< that it cuts
  std::vector<std::string> ports_;
  std::vector<LumericalElement> elements_;
  bool listed_ = false;        ///< whether a line lists a port
  std::size_t columns_ = 0;    ///< of a table of two ports; 0: it is none
  std::size_t announced_ = 0;  ///< rows of such a table; 0: not told
};

}  // namespace

bool has_lumerical_header(const std::filesystem::path& path) {
  if (!std::filesystem::is_regular_file(path)) return false;
  std::ifstream file(path, std::ios::binary);
  char first = 0;
  file >> first;
  return (first == '[' || first == '(') &&
         quotes.find(static_cast<char>(file.peek())) != quotes.npos;  // a keyword of Touchstone 2 is not quoted
}

bool is_lumerical(const std::filesystem::path& path) {
  const std::string extension = extension_of(path);
  return extension == ".dat" || extension == ".sparam" ||
         (touchstone_ports(path) > 0 && has_lumerical_header(path));
}

LumericalBlock read_lumerical(const std::filesystem::path& path, std::optional<PhaseConvention> convention) {
  LumericalReader reader;
  read_text(path, '#', [&](const TextLine& line) { reader.take(line); });
  return reader.block(path.string(), convention == PhaseConvention::rf);
}

}  // namespace optinc
