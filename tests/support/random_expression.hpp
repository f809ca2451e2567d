#pragma once

#include <array>
#include <cstddef>
#include <random>
#include <string>

namespace tilewright {

// Expressions of every operator over the numbers x and y. Most of them parse.
class RandomExpression {
 public:
  explicit RandomExpression(unsigned seed) : random_(seed) {}

  // A text of at most about 4^levels parts.
  std::string text(int levels) {
    if (levels == 0 || below(6) == 0) return leaf();
    const auto part = [&] { return text(levels - 1); };
    switch (below(8)) {
      case 0:
        return "-" + part();
      case 1:
        return "!(" + part() + ")";
      case 2:
        return "(" + part() + " ? " + part() + " : " + part() + ")";
      case 3:
        return "abs(" + part() + ")";
      case 4: {
        std::string all = kLists.at(below(kLists.size())) + part();
        for (std::size_t i = below(3) + 1; i > 0; --i) all += ", " + part();
        return all + ")";
      }
      case 5:
        return "ceil_div(" + part() + ", " + part() + ")";
      default:
        return "(" + part() + " " + kBetween.at(below(kBetween.size())) + " " + part() + ")";
    }
  }

  // The text with a few characters exchanged, left out, or repeated many times.
  std::string damaged(std::string text) {
    for (std::size_t i = below(3) + 1; i > 0 && !text.empty(); --i) {
      const std::size_t at = below(text.size());
      switch (below(3)) {
        case 0:
          text[at] = text[below(text.size())];
          break;
        case 1:
          text.erase(at, below(4) + 1);
          break;
        default:
          text.insert(at, std::string(std::size_t{1} << below(14), text[at]));
      }
    }
    return text;
  }

 private:
  static inline const std::array<std::string, 2> kLists = {"min(", "max("};
  static inline const std::array<std::string, 13> kBetween = {
      "+", "-", "*", "/", "%", "==", "!=", "<", "<=", ">", ">=", "&&", "||"};
  static inline const std::array<std::string, 8> kLeaves = {
      "x", "y", "0", "1", "-3", "7", "1024", "9223372036854775807"};

  std::string leaf() { return kLeaves.at(below(kLeaves.size())); }
  std::size_t below(std::size_t end) { return random_() % end; }

  std::minstd_rand random_;
};

}  // namespace tilewright
