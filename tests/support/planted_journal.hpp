#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace tilewright::test {

// Writes a journal beside `database` that names `target` as its super-journal. SQLite then puts
// page 1 back as it is, and deletes `target`.
inline void plant_journal(const std::filesystem::path& database,
                          const std::filesystem::path& target) {
  std::ifstream stream(database, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(stream), {}};
  const auto number = [](std::size_t value) {
    std::string text;
    for (int shift = 24; shift >= 0; shift -= 8) text += static_cast<char>(value >> shift & 0xff);
    return text;
  };
  const std::string magic = "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7";
  constexpr std::size_t kPage = 4096;
  std::string header =
      magic + number(1) + number(0) + number(bytes.size() / kPage) + number(512) + number(kPage);
  header.resize(512);
  std::size_t sum = 0;
  for (std::size_t i = kPage - 200; i < kPage; i -= 200)
    sum += static_cast<unsigned char>(bytes[i]);
  std::size_t name_sum = 0;
  for (const char c : target.native()) name_sum += static_cast<unsigned char>(c);
  std::ofstream(database.string() + "-journal", std::ios::binary)
      << header << number(1) << bytes.substr(0, kPage) << number(sum)
      << number(0x40000000 / kPage + 1) << target.native() << number(target.native().size())
      << number(name_sum) << magic;
}

}  // namespace tilewright::test
