#pragma once

#include <string>
#include <string_view>

namespace tilewright {

// Text from elsewhere (imports, manifests, logs, names of devices) on its way into something that
// gives bytes a meaning. One function a language: whatever the text contains, the result is one
// token of that language.

// For people and their terminals. Each control character, separator of lines, character that
// changes the direction of writing, and byte that is not UTF-8 becomes visible: \x1b, \u2028.
// Newlines and tabs stay.
std::string visible(std::string_view text);

// The same for a text that must stay on its line: newlines and tabs become visible too.
std::string visible_line(std::string_view text);

// For messages: the text, or its first 80 bytes and "…".
std::string beginning_of(std::string_view text);

// For a terminal whose locale has no UTF-8: a usual character becomes what people write instead of
// it ("us" for "µs"), any other its number (\u6f22).
std::string in_ascii(std::string_view text);

// "// text": a C++ comment that ends where its line ends, whatever the standard. Whitespace becomes
// a space, and a backslash becomes a slash, because it could continue the comment on the next line.
std::string cpp_comment(std::string_view text);

// A C++ string literal in ASCII. Its escapes are octal, because these end after three digits. '?'
// is escaped too, because it may begin a trigraph.
std::string cpp_literal(std::string_view text);

// What may follow in a macro's name: capital letters, digits, and '_' for every other byte.
std::string cpp_macro_part(std::string_view text);

// A CSV field (RFC 4180): quotes only where they are needed, quotes inside are doubled. A text that
// a spreadsheet would take for a formula gets a ' before it.
std::string csv_field(std::string_view text);

// A word for a POSIX shell, in quotes where they are needed. Leaves NUL out: no word can have it.
std::string shell_word(std::string_view text);

// JSON text with the characters escaped that JSON allows and visible() does not. The values stay.
std::string visible_json(std::string_view json);

}  // namespace tilewright
