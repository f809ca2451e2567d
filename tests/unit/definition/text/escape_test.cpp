#include "definition/text/escape.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace tilewright {
namespace {

// Texts that break careless writers, every single byte, and random ones made of such parts.
const std::vector<std::string>& hostile_texts() {
  static const std::vector<std::string> texts = [] {
    std::vector<std::string> parts = {"\\",
                                      "\\ ",
                                      "?\?/",
                                      "?\?\\",
                                      "*/",
                                      "/*",
                                      "//",
                                      "\r\n",
                                      "\"",
                                      "\"\"",
                                      "'",
                                      "'\\''",
                                      ",",
                                      "=1+2",
                                      "\n#include x",
                                      "\xE2\x80",
                                      "\xED\xA0\x80",
                                      "\xE2\x80\xA8",
                                      "\xE2\x80\xAE",
                                      "\xC2\x9B",
                                      "\xC0\x80",
                                      "\xF4\x90\x80\x80",
                                      "@CORE@",
                                      "$(id)",
                                      "`id`",
                                      "R\"(",
                                      "\x1b]0;x\a",
                                      "\xC2\xB5s",
                                      "%s",
                                      "{}"};
    for (int byte = 0; byte < 256; ++byte) parts.emplace_back(1, static_cast<char>(byte));
    std::vector<std::string> all = parts;
    all.emplace_back();
    std::mt19937 random(16);
    const auto below = [&random](std::size_t bound) { return random() % bound; };
    for (int i = 0; i < 20'000; ++i) {
      std::string text;
      for (std::size_t length = below(12); length > 0; --length) text += parts[below(parts.size())];
      all.push_back(std::move(text));
    }
    return all;
  }();
  return texts;
}

bool is_ascii_text(const std::string& text) {
  return std::ranges::all_of(text, [](char c) { return c >= ' ' && c <= '~'; });
}

TEST(Escape, VisibleTextHasNothingThatATerminalObeys) {
  EXPECT_EQ(visible("a\x1b[2J\x7f\r\n\tb"), "a\\x1b[2J\\x7f\\x0d\n\tb");
  EXPECT_EQ(visible_line("a\n\tb"), "a\\x0a\\x09b");
  EXPECT_EQ(visible("µs \xC2\x9B \x9B \xE2\x80\xAE \xE2\x80\xA8 漢字"),
            "µs \\x9b \\x9b \\u202e \\u2028 漢字");
  EXPECT_EQ(visible("\xC0\x80\xED\xA0\x80\xF4\x90\x80\x80\xE2\x80"),
            "\\xc0\\x80\\xed\\xa0\\x80\\xf4\\x90\\x80\\x80\\xe2\\x80");
  for (const std::string& text : hostile_texts()) {
    const std::string once = visible_line(text);
    ASSERT_TRUE(
        std::ranges::none_of(once, [](char c) { return (c >= 0 && c < 0x20) || c == 0x7F; }));
    ASSERT_EQ(visible_line(once), once);  // nothing is left to escape, and it is UTF-8
    ASSERT_EQ(visible(visible(text)), visible(text));
  }
}

TEST(Escape, ACommentEndsWithItsLine) {
  EXPECT_EQ(cpp_comment("two\nlines"), "// two lines");
  EXPECT_EQ(cpp_comment("on \\"), "// on /");
  EXPECT_EQ(cpp_comment(""), "//");
  EXPECT_EQ(cpp_comment("a\xE2\x80\xA8#b"), "// a\\u2028#b");
  EXPECT_EQ(cpp_comment("a?\?/"), "// a?? /");
  for (const std::string& text : hostile_texts()) {
    const std::string comment = cpp_comment(text);
    ASSERT_TRUE(comment.starts_with("//"));
    ASSERT_EQ(visible_line(comment), comment) << comment;
    ASSERT_EQ(comment.find("?\?/"), std::string::npos) << comment;
    ASSERT_NE(comment[comment.find_last_not_of(' ')], '\\') << comment;
  }
}

// What a compiler reads from a literal in plain ASCII with octal escapes.
std::string read_literal(const std::string& literal) {
  std::string text;
  for (std::size_t i = 1; i + 1 < literal.size(); ++i) {
    if (literal[i] != '\\') {
      text += literal[i];
      continue;
    }
    text += static_cast<char>(std::stoi(literal.substr(i + 1, 3), nullptr, 8));
    i += 3;
  }
  return text;
}

TEST(Escape, ALiteralIsReadBackAsItsText) {
  EXPECT_EQ(cpp_literal("a \"b\"\n"), "\"a \\042b\\042\\012\"");
  for (const std::string& text : hostile_texts()) {
    const std::string literal = cpp_literal(text);
    ASSERT_TRUE(is_ascii_text(literal)) << literal;
    const std::string inside = literal.substr(1, literal.size() - 2);
    ASSERT_EQ(inside.find_first_of("\"?"), std::string::npos) << literal;
    ASSERT_EQ(read_literal(literal), text) << literal;
  }
}

TEST(Escape, AMacrosNameStaysOne) {
  EXPECT_EQ(cpp_macro_part("NVIDIA H200 (nvl)"), "NVIDIA_H200__NVL_");
  for (const std::string& text : hostile_texts())
    for (const char c : cpp_macro_part(text))
      ASSERT_TRUE((c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_') << text;
}

// The field before the first comma or the end, as RFC 4180 reads it; nothing if it is not one.
std::optional<std::string> read_field(const std::string& line) {
  if (!line.starts_with('"')) {
    if (line.find_first_of("\"\r\n") != std::string::npos) return std::nullopt;
    return line.substr(0, line.find(','));
  }
  std::string text;
  for (std::size_t i = 1; i < line.size(); ++i) {
    if (line[i] != '"' || line.substr(i, 2) == "\"\"") text += line[i];
    if (line[i] != '"') continue;
    if (line.substr(i, 2) != "\"\"") return line[i + 1] == ',' ? std::optional(text) : std::nullopt;
    ++i;
  }
  return std::nullopt;
}

TEST(Escape, ACsvFieldIsReadBackAsItsText) {
  EXPECT_EQ(csv_field("plain text"), "plain text");
  EXPECT_EQ(csv_field("a \"b\", c"), "\"a \"\"b\"\", c\"");
  EXPECT_EQ(csv_field("=1+2"), "'=1+2");
  EXPECT_EQ(csv_field("-1.5e-3"), "-1.5e-3");
  for (const std::string& text : hostile_texts()) {
    const std::string field = csv_field(text);
    const auto read = read_field(field + ",next");
    ASSERT_TRUE(read) << field;
    ASSERT_TRUE(*read == text || *read == '\'' + text) << field;
    ASSERT_TRUE(read->empty() || std::string("=@").find(read->front()) == std::string::npos);
  }
}

// The one word that a shell reads from text with single quotes; nothing if it would read more.
std::optional<std::string> read_word(const std::string& text) {
  if (text.empty()) return std::nullopt;
  std::string word;
  bool is_quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\'') {
      is_quoted = !is_quoted;
    } else if (is_quoted) {
      word += text[i];
    } else if (text[i] == '\\' && i + 1 < text.size()) {
      word += text[++i];
    } else if (std::string(" \t\n\r\"$`;&|<>()*?[]{}#~!\\").find(text[i]) != std::string::npos) {
      return std::nullopt;
    } else {
      word += text[i];
    }
  }
  return is_quoted ? std::nullopt : std::optional(word);
}

TEST(Escape, AShellWordIsReadBackAsItsText) {
  EXPECT_EQ(shell_word("-std=c++17"), "-std=c++17");
  EXPECT_EQ(shell_word("it's $(id)"), "'it'\\''s $(id)'");
  EXPECT_EQ(shell_word(""), "''");
  for (std::string text : hostile_texts()) {
    const std::string word = shell_word(text);
    std::erase(text, '\0');
    ASSERT_EQ(read_word(word), text) << word;
  }
}

TEST(Escape, JsonKeepsItsValues) {
  EXPECT_EQ(visible_json("{\n  \"a\": \"\xC2\x9B\"\n}"), "{\n  \"a\": \"\\u009b\"\n}");
  for (const std::string& text : hostile_texts()) {
    const nlohmann::json json = {{"text", text}};
    const std::string plain = json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
    const std::string shown = visible_json(plain);
    ASSERT_EQ(nlohmann::json::parse(shown), nlohmann::json::parse(plain)) << shown;
    ASSERT_EQ(visible(shown), shown);
  }
}

}  // namespace
}  // namespace tilewright
