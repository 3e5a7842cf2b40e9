#include "experiments/files/readers/lumerical.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <numbers>
#include <utility>

#include "experiments/files/readers/table_cells.hpp"
#include "experiments/files/readers/text.hpp"
#include "physics/core/check.hpp"

namespace optinc {
namespace {

constexpr std::size_t most_lumerical_ports = 1024, most_frequencies = 1'000'000;

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
    if (first == '(') return line.text.find('"') != line.text.npos ? take_header(line) : take_size(line);
    take_row(line);
  }

  LumericalBlock block(const std::string& file, bool turned) {
    validate(!elements_.empty(),
             "{}: no S parameters below the ports (expected at least one). Export it again.", file);
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
    const bool falls = first.hz.size() > 1 && first.hz.front() > first.hz.back();
    made.spectrum.frequency_hz = first.hz;
    if (falls) std::ranges::reverse(made.spectrum.frequency_hz);
    for (std::size_t f = 1; f < first.hz.size(); ++f)
      validate(made.spectrum.frequency_hz[f] > made.spectrum.frequency_hz[f - 1],
               "{}: frequencies of its rows neither rise nor fall (they are in order). Sort them.",
               first.where);
    made.spectrum.s = Matrix::Zero(n * n, count);
    std::map<std::pair<PortMode, PortMode>, bool> there;
    const double centre_hz = (first.hz.front() + first.hz.back()) / 2;
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
        const auto at = static_cast<std::size_t>(falls ? count - 1 - f : f);
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
    TextLine inner = line;
    inner.text = line.text.substr(1, line.text.size() - 2);
    cut_ = {};
    return cut_(inner);
  }

  std::size_t port(std::string_view name) {
    const auto found = std::ranges::find(ports_, name);
    if (found == ports_.end()) ports_.emplace_back(name);
    return static_cast<std::size_t>(std::ranges::find(ports_, name) - ports_.begin());
  }

  void take_port(const TextLine& line) {
    validate(elements_.empty(), "{}: a port behind S parameters (ports come first). Move it up.", line.where());
    port(inside(line).front());
  }

  void take_header(const TextLine& line) {
    if (!elements_.empty()) require_complete(elements_.back());
    const auto cells = inside(line);
    validate(cells.size() == 6 || cells.size() == 7,
             "{}: {} entries (expected 6 or 7: (\"port 2\",\"TE\",1,\"port 1\",1,\"transmission\")). Export a "
             "table of "
             "S parameters, not a sweep.",
             line.where(), cells.size());
    validate(cells[5] == "transmission",
             "{}: type \"{}\" (S parameters of type \"transmission\" are read). Export these.", line.where(),
             shown(cells[5]));
    constexpr std::int64_t most_modes = 1000;
    LumericalElement made;
    made.where = line.where();
    made.to = {port(cells[0]), read_index(cells[2], line, "mode", most_modes)};
    made.from = {port(cells[3]), read_index(cells[4], line, "mode", most_modes)};
    if (cells.size() == 7) made.group_delay_s = read_number(cells[6], line, "group delay");
    elements_.push_back(std::move(made));
  }

  void take_size(const TextLine& line) {
    const auto& cells = inside(line);
    validate(!elements_.empty() && elements_.back().count == 0 && cells.size() == 2 && cells[1] == "3",
             "{}: \"{}\" (expected (N,3) behind the line of an element: frequency, magnitude, phase). Export "
             "it again.",
             line.where(), shown(line.text));
    elements_.back().count =
        static_cast<std::size_t>(read_index(cells[0], line, "frequencies", most_frequencies));
    validate(elements_.back().count > 0, "{}: no frequencies (at least one). Export it again.", line.where());
  }

  void take_row(const TextLine& line) {
    const auto cells = cells_of(line.text, ' ');
    validate(
        !elements_.empty() && elements_.back().hz.size() < elements_.back().count && cells.size() == 3,
        "{}: \"{}\" (expected rows of frequency, magnitude, phase, as many as announced). Export it again.",
        line.where(), shown(line.text));
    elements_.back().hz.push_back(read_number(cells[0], line, "frequency"));
    elements_.back().magnitude.push_back(read_number(cells[1], line, "magnitude"));
    elements_.back().phase.push_back(read_number(cells[2], line, "phase"));
    validate(elements_.back().hz.back() > 0 && elements_.back().magnitude.back() >= 0,
             "{}: frequency {} Hz, magnitude {} (positive, and 0 or more). Export it again.", line.where(),
             elements_.back().hz.back(), elements_.back().magnitude.back());
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
  std::vector<std::string> ports_;
  std::vector<LumericalElement> elements_;
};

}  // namespace

bool is_lumerical(const std::filesystem::path& path) {
  const std::string extension = extension_of(path);
  if (extension == ".dat" || extension == ".sparam") return true;
  std::ifstream file(path, std::ios::binary);
  char first = 0;
  file >> first;
  return first == '[' && touchstone_ports(path) > 0 &&
         file.peek() == '"';  // a keyword of Touchstone 2 is not quoted
}

LumericalBlock read_lumerical(const std::filesystem::path& path, std::optional<PhaseConvention> convention) {
  LumericalReader reader;
  read_text(path, '#', [&](const TextLine& line) { reader.take(line); });
  return reader.block(path.string(), convention == PhaseConvention::rf);
}

}  // namespace optinc
