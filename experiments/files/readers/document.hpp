#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

/// \file document.hpp YAML and JSON as a plain tree in which every part knows its line.

namespace optinc {

/// A part of a document, or what a program gives in its place. Scalars follow the core schema of YAML 1.2:
/// `010` is the number 10, and `on`, `no` and `1_0` are text.
struct DocumentNode {
  /// What a part can be. An object is a value of the caller's that no document can hold.
  enum class Kind { null, boolean, number, text, list, mapping, object };
  /// A key of a mapping, and what stands there.
  struct Entry {
    std::string key;
    int line = 0;
    std::shared_ptr<const DocumentNode> value;
  };

  Kind kind = Kind::null;
  int line = 0;           ///< from 1; 0: of no file
  int height = 0;         ///< levels of lists and mappings from here down
  std::string text = {};  ///< of a scalar, as written; of an object, what it is
  double number = 0.0;    ///< of a number
  std::vector<std::shared_ptr<const DocumentNode>> items = {};  ///< of a list
  std::vector<Entry> entries = {};                              ///< of a mapping, in order; keys differ
  std::shared_ptr<const void> object = {};                      ///< the caller's value, if it gave one

  /// What stands under a key of a mapping; nullptr where nothing or null does.
  const DocumentNode* find(std::string_view key) const;
};

/// A part of a document, shared: an alias of YAML is the part that it names.
using Document = std::shared_ptr<const DocumentNode>;

/// Most levels of lists and mappings inside each other.
inline constexpr int deepest_document = 100;

/// Whether text is a number of the core schema: decimal, 0x, 0o, .inf or .nan. Then `value` is set.
bool core_number(std::string_view text, double& value);

/// Makes a document of its parts in order. Every member throws Error where the document would be deeper than
/// deepest_document, a key stands twice in a mapping, or a key is over 1000 long, has control characters or is
/// `<<`.
class DocumentBuilder {
 public:
  /// `file` opens messages, with a line; empty: they have neither.
  explicit DocumentBuilder(std::string file) : file_(std::move(file)) {}

  /// The key that the next part stands under.
  void key(std::string text, int line);
  /// A scalar; `quoted` text is text.
  void scalar(std::string text, bool quoted, int line, std::shared_ptr<const void> object = {});
  /// A number.
  void number(double value, int line, std::shared_ptr<const void> object = {});
  /// A value that is no scalar; `what` says in messages what it is.
  void object(std::string what, std::shared_ptr<const void> value);
  /// A list or a mapping: the parts until end() are its own.
  void begin(DocumentNode::Kind kind, int line);
  /// The part that is complete with this.
  Document end();
  /// A part that is there already.
  void add(Document part, int line);

  /// Whether a key comes next.
  bool wants_key() const;
  /// The part that was added last; nullptr: none yet.
  const Document& last() const { return last_; }
  /// Throws Error with file and line before the text.
  [[noreturn]] void refuse(int line, const std::string& text) const;

 private:
  struct Open {
    DocumentNode node;
    std::string key;
    int key_line = 0;
    bool has_key = false;
    std::unordered_map<std::string, int> lines;  ///< of the keys
  };

  std::string path(const std::string& key) const;

  std::string file_;
  std::vector<Open> open_;
  Document last_;
};

/// The document of some text in YAML 1.2 or JSON. Takes time in proportion to the text, and little stack for
/// any. Throws Error "FILE:LINE: .." as DocumentBuilder does, for text that is neither, for more than one
/// document and for an alias inside what it names. nullptr: text without a document.
Document read_document(const std::string& text, const std::string& file);

}  // namespace optinc
