#include "experiments/files/readers/document.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <sstream>

#include <fmt/format.h>
#include <yaml-cpp/depthguard.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include "experiments/files/readers/text.hpp"
#include "physics/core/check.hpp"
#include "physics/core/printable.hpp"

namespace optinc {
namespace {

using Kind = DocumentNode::Kind;

constexpr std::size_t longest_key = 1000;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// All of the text as an integer of this base.
bool whole(std::string_view text, int base, double& value) {
  std::uint64_t found = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), found, base);
  value = static_cast<double>(found);
  return !text.empty() && error == std::errc() && end == text.data() + text.size();
}

bool one_of(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::ranges::find(words, text) != words.end();
}

/// Takes the events of yaml-cpp, which come in the order of the text.
class Events : public YAML::EventHandler {
 public:
  explicit Events(const std::string& file) : builder_(file) {}

  Document document() const { return builder_.last(); }

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override { scalar(mark, "null", false, anchor); }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    scalar(mark, value, tag != "?", anchor);
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = known_.find(anchor);
    if (found == known_.end())
      builder_.refuse(line_of(mark), "an alias inside the part that it names (it has no end). Write it out.");
    if (builder_.wants_key()) return builder_.key(key_of(*found->second, mark), line_of(mark));
    builder_.add(found->second, line_of(mark));
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    begin(Kind::list, mark, anchor);
  }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    begin(Kind::mapping, mark, anchor);
  }
  void OnSequenceEnd() override { end(); }
  void OnMapEnd() override { end(); }

 private:
  static int line_of(const YAML::Mark& mark) { return mark.line + 1; }

  std::string key_of(const DocumentNode& node, const YAML::Mark& mark) const {
    if (node.kind == Kind::list || node.kind == Kind::mapping)
      builder_.refuse(line_of(mark), "a key is a list or a mapping (keys are text). Write a name.");
    return node.text;
  }

  void scalar(const YAML::Mark& mark, const std::string& text, bool quoted, YAML::anchor_t anchor) {
    if (builder_.wants_key()) {
      if (anchor != 0) builder_.refuse(line_of(mark), "a key with an anchor (no alias reads it). Remove it.");
      return builder_.key(text, line_of(mark));
    }
    builder_.scalar(text, quoted, line_of(mark));
    if (anchor != 0) known_[anchor] = builder_.last();
  }

  void begin(Kind kind, const YAML::Mark& mark, YAML::anchor_t anchor) {
    if (builder_.wants_key()) key_of(DocumentNode{.kind = kind}, mark);
    builder_.begin(kind, line_of(mark));
    anchors_.push_back(anchor);
  }

  void end() {
    const Document made = builder_.end();
    if (anchors_.back() != 0) known_[anchors_.back()] = made;
    anchors_.pop_back();
  }

  DocumentBuilder builder_;
  std::vector<YAML::anchor_t> anchors_;       ///< of the lists and mappings that are open
  std::map<YAML::anchor_t, Document> known_;  ///< complete
};

}  // namespace

const DocumentNode* DocumentNode::find(std::string_view key) const {
  const auto entry = std::ranges::find(entries, key, &Entry::key);
  return entry == entries.end() || entry->value->kind == Kind::null ? nullptr : entry->value.get();
}

bool core_number(std::string_view text, double& value) {
  if (text.starts_with("0x")) return whole(text.substr(2), 16, value);
  if (text.starts_with("0o")) return whole(text.substr(2), 8, value);
  if (one_of(text, {".nan", ".NaN", ".NAN"})) return value = NAN, true;
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  if (one_of(text, {".inf", ".Inf", ".INF"})) return value = negative ? -HUGE_VAL : HUGE_VAL, true;
  const std::string_view digits = text.substr(text.starts_with('.') ? 1 : 0);
  if (digits.empty() || !is_digit(digits.front())) return false;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end != text.data() + text.size() || (error != std::errc() && error != std::errc::result_out_of_range))
    return false;
  if (error != std::errc()) value = HUGE_VAL;  // which no setting takes
  if (negative) value = -value;
  return true;
}

bool DocumentBuilder::wants_key() const {
  return !open_.empty() && open_.back().node.kind == Kind::mapping && !open_.back().has_key;
}

void DocumentBuilder::refuse(int line, const std::string& text) const {
  throw Error(printable(file_.empty() ? text : fmt::format("{}:{}: {}", file_, line, text)));
}

std::string DocumentBuilder::path(const std::string& key) const {
  std::string names;
  for (std::size_t i = 0; i + 1 < open_.size(); ++i)
    if (open_[i].has_key) names += shown(open_[i].key) + " > ";
  return names + shown(key);
}

void DocumentBuilder::key(std::string text, int line) {
  if (std::ranges::any_of(text, is_control) || text.size() > longest_key)
    refuse(line,
           fmt::format("a name holds control characters or is over {} long (a terminal shows it). Rename it.",
                       longest_key));
  if (text == "<<")
    refuse(line,
           fmt::format("{} merges mappings (YAML 1.2 has no merge keys). Write the entries out.", path(text)));
  Open& open = open_.back();
  const auto [first, is_new] = open.lines.emplace(text, line);
  if (!is_new)
    refuse(line,
           fmt::format("{} stands there twice{} (keys of a mapping differ). Remove or rename one.", path(text),
                       file_.empty() ? "" : fmt::format(", first in line {}", first->second)));
  open.key = std::move(text);
  open.key_line = line;
  open.has_key = true;
}

void DocumentBuilder::scalar(std::string text, bool quoted, int line, std::shared_ptr<const void> object) {
  DocumentNode node;
  node.line = line;
  node.object = std::move(object);
  if (quoted)
    node.kind = Kind::text;
  else if (one_of(text, {"", "~", "null", "Null", "NULL"}))
    node.kind = Kind::null;
  else if (one_of(text, {"true", "True", "TRUE", "false", "False", "FALSE"}))
    node.kind = Kind::boolean;
  else
    node.kind = core_number(text, node.number) ? Kind::number : Kind::text;
  node.text = std::move(text);
  add(std::make_shared<const DocumentNode>(std::move(node)), line);
}

void DocumentBuilder::number(double value, int line, std::shared_ptr<const void> object) {
  scalar(std::isfinite(value) ? fmt::format("{}", value)
         : std::isnan(value)  ? ".nan"
         : value > 0          ? ".inf"
                              : "-.inf",
         false, line, std::move(object));
}

void DocumentBuilder::object(std::string what, std::shared_ptr<const void> value) {
  DocumentNode node;
  node.kind = Kind::object;
  node.text = std::move(what);
  node.object = std::move(value);
  add(std::make_shared<const DocumentNode>(std::move(node)), 0);
}

void DocumentBuilder::begin(Kind kind, int line) {
  if (open_.size() >= deepest_document)
    refuse(line,
           fmt::format("lists and mappings more than {} deep (no netlist is). Flatten it.", deepest_document));
  open_.emplace_back();
  open_.back().node.kind = kind;
  open_.back().node.line = line;
}

Document DocumentBuilder::end() {
  auto made = std::make_shared<const DocumentNode>(std::move(open_.back().node));
  open_.pop_back();
  const int line = made->line;
  add(made, line);
  return made;
}

void DocumentBuilder::add(Document part, int line) {
  last_ = std::move(part);
  if (open_.empty()) return;
  Open& open = open_.back();
  open.node.height = std::max(open.node.height, last_->height + 1);
  if (open.node.height > deepest_document)  // aliases of aliases
    refuse(line,
           fmt::format("lists and mappings more than {} deep (no netlist is). Flatten it.", deepest_document));
  if (open.node.kind == Kind::list) return open.node.items.push_back(last_);
  open.node.entries.push_back({std::move(open.key), open.key_line, last_});
  open.has_key = false;
}

Document read_document(const std::string& text, const std::string& file) {
  Events events(file);
  std::istringstream in(text);
  try {
    YAML::Parser parser(in);
    if (!parser.HandleNextDocument(events)) return nullptr;
    Events second(file);
    validate(!parser.HandleNextDocument(second),
             "{}: more than one document (one is read). Split the file at ---.", file);
  } catch (const YAML::DeepRecursion& problem) {
    throw Error(fmt::format("{}:{}: lists and mappings more than {} deep (no netlist is). Flatten it.", file,
                            problem.mark.line + 1, deepest_document));
  } catch (const YAML::Exception& problem) {
    throw Error(fmt::format("{}:{}: {} (expected YAML or JSON). Correct the line.", file, problem.mark.line + 1,
                            printable(problem.msg)));
  }
  return events.document();
}

}  // namespace optinc
