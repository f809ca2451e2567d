#include "definition/toml/toml_depth.hpp"

#include <algorithm>
#include <vector>

namespace tilewright {
namespace {

// Walks through the text, and skips strings and comments.
class DepthScan {
 public:
  explicit DepthScan(std::string_view text) : text_(text) {}

  std::optional<TomlPosition> run() {
    while (at_ < text_.size()) {
      step(text_[at_]);
      if (depth_ + parts_ > kDeepestToml) return place();
    }
    return std::nullopt;
  }

 private:
  void step(char c) {
    if (c == '"' || c == '\'') return skip_string(c);
    if (c == '#') return skip_comment();
    ++at_;
    if (c == '\n' && outer_.empty()) return end_line();
    if (c == '.') ++parts_;  // also in a number, which has at most one
    if (c == ',') parts_ = 0;
    if (c == '[' || c == '{') open();
    if (c == ']' || c == '}') close();
    line_is_blank_ = line_is_blank_ && (c == ' ' || c == '\t');
  }

  // The keys of the next lines are below the header.
  void end_line() {
    if (is_header_) header_ = parts_ + 2;  // [[a.b]] has b and its elements
    depth_ = header_;
    parts_ = 0;
    is_header_ = false;
    line_is_blank_ = true;
  }

  // A bracket that begins a line outside a value begins a header.
  void open() {
    if (line_is_blank_ && outer_.empty()) {
      is_header_ = true;
      depth_ = 0;
    }
    if (is_header_) return;
    outer_.push_back(depth_);
    depth_ += parts_ + 1;
    parts_ = 0;
  }

  void close() {
    if (is_header_ || outer_.empty()) return;
    depth_ = outer_.back();
    outer_.pop_back();
    parts_ = 0;
  }

  void skip_comment() { at_ = std::min(text_.find('\n', at_), text_.size()); }

  // A string in three quotes may end with up to two more. Any other ends with its line.
  void skip_string(char quote) {
    line_is_blank_ = false;
    const std::string three(3, quote);
    const bool is_long = text_.substr(at_, 3) == three;
    const std::string_view end = is_long ? std::string_view(three) : text_.substr(at_, 1);
    for (at_ += end.size(); at_ < text_.size() && text_.substr(at_, end.size()) != end; ++at_) {
      if (text_[at_] == '\n' && !is_long) return;
      if (text_[at_] == '\\' && quote == '"') ++at_;
    }
    at_ += end.size();
    for (int more = 0; is_long && more < 2 && at_ < text_.size() && text_[at_] == quote; ++more)
      ++at_;
  }

  TomlPosition place() const {
    const std::string_view before = text_.substr(0, at_);
    const auto lines = static_cast<std::size_t>(std::ranges::count(before, '\n'));
    const std::size_t last = before.rfind('\n');
    return {lines + 1, last == std::string_view::npos ? at_ : at_ - last - 1};
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t depth_ = 0;           // where the present key or value stands
  std::size_t parts_ = 0;           // dots in the present key
  std::size_t header_ = 0;          // levels of the last [header]
  std::vector<std::size_t> outer_;  // depth_ outside each open bracket
  bool is_header_ = false;          // in a line that is one
  bool line_is_blank_ = true;       // so far
};

}  // namespace

std::optional<TomlPosition> too_deep_place(std::string_view text) {
  return DepthScan(text).run();
}

}  // namespace tilewright
