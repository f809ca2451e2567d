#include "tuner/backend/units.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <string_view>

#include "definition/text/hash.hpp"
#include "tuner/backend/evaluator.hpp"
#include "tuner/plan/compile_request.hpp"

namespace tilewright {
namespace {

// Joined code is this text, the number of units and the bytes of each as 64-bit integers, and the
// units, each at a multiple of kAlignment.
constexpr std::string_view kMagic = "tilewright units";
constexpr std::size_t kAlignment = 16;
constexpr std::size_t kMostParts = 1000;

std::size_t aligned(std::size_t bytes) {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

void append(std::vector<std::uint8_t>& bytes, const void* data, std::size_t size) {
  const auto* const first = static_cast<const std::uint8_t*>(data);
  bytes.insert(bytes.end(), first, first + size);
}

void append_number(std::vector<std::uint8_t>& bytes, std::uint64_t number) {
  append(bytes, &number, sizeof number);
}

[[noreturn]] void refuse_damaged() {
  refuse_launch("the code of several units is damaged");
}

// The number at this place of a header that is long enough.
std::uint64_t number_at(CodeBytes code, std::size_t index) {
  std::uint64_t number = 0;
  const std::size_t offset = kMagic.size() + index * sizeof number;
  if (code.size() < offset + sizeof number) refuse_damaged();
  std::memcpy(&number, code.data() + offset, sizeof number);
  return number;
}

std::string title_of(const CompileRequest& unit) {
  return unit.unit.empty() ? "the implementation's own unit" : fmt::format("unit {}", unit.unit);
}

std::vector<CompileRequest> split(const CompileRequest& request) {
  std::vector<CompileRequest> units = {request};
  units.front().units.clear();
  units.insert(units.end(), request.units.begin(), request.units.end());
  return units;
}

CompileResult compile_one(const CompileRequest& unit, const CompileUnit& compile) {
  CompileResult result = compile(unit);
  if (unit.unit.empty()) return result;
  std::map<std::string, CompiledEntry> named;
  for (auto& [key, entry] : result.entries)
    named.emplace(is_constant_key(key) ? constant_key(constant_name(key), unit.unit)
                                       : entry_key(key, unit.unit),
                  std::move(entry));
  result.entries = std::move(named);
  return result;
}

// Everything except the code, with the unit's number before each symbol.
void add(CompileResult& all, const CompileResult& one, const CompileRequest& unit,
         std::size_t number) {
  all.outcome = one.outcome;
  all.milliseconds = !one.ok() && one.milliseconds == 0 ? 0 : all.milliseconds + one.milliseconds;
  if (!one.log.empty()) all.log += fmt::format("{}:\n{}", title_of(unit), one.log);
  if (!all.log.empty() && all.log.back() != '\n') all.log += '\n';
  for (const auto& [entry, compiled] : one.entries)
    all.entries[entry] = {fmt::format("{}:{}", number, compiled.symbol), compiled.resources};
}

CompileResult failed(CompileResult all) {
  all.code.clear();
  all.code_hash.clear();
  all.entries.clear();
  return all;
}

}  // namespace

CompileResult compile_units(const CompileRequest& request, const CompileUnit& compile) {
  if (request.units.empty()) return compile_one(request, compile);
  const std::vector<CompileRequest> units = split(request);
  CompileResult all;
  std::vector<std::vector<std::uint8_t>> codes;
  SequenceHash hash;
  for (std::size_t i = 0; i < units.size(); ++i) {
    CompileResult one = compile_one(units[i], compile);
    if (!one.ok()) all.log.clear();  // the failure is explained by its own log
    add(all, one, units[i], i);
    if (!one.ok()) return failed(std::move(all));
    hash.add(one.code_hash);
    codes.push_back(std::move(one.code));
  }
  all.code = join_units(codes);
  all.code_hash = hash.hex();
  return all;
}

CompileResult compile_units_to_text(const CompileRequest& request, const CompileUnit& compile) {
  if (request.units.empty()) return compile_one(request, compile);
  const std::vector<CompileRequest> units = split(request);
  CompileResult all;
  for (std::size_t i = 0; i < units.size(); ++i) {
    const CompileResult one = compile_one(units[i], compile);
    add(all, one, units[i], i);
    if (!one.ok()) return failed(std::move(all));
    const std::string title = fmt::format("{}// {}\n", i == 0 ? "" : "\n", title_of(units[i]));
    append(all.code, title.data(), title.size());
    append(all.code, one.code.data(), one.code.size());
  }
  return all;
}

std::vector<std::uint8_t> join_units(const std::vector<std::vector<std::uint8_t>>& units) {
  std::vector<std::uint8_t> code(kMagic.begin(), kMagic.end());
  append_number(code, units.size());
  for (const auto& unit : units) append_number(code, unit.size());
  for (const auto& unit : units) {
    code.resize(aligned(code.size()));
    append(code, unit.data(), unit.size());
  }
  return code;
}

std::vector<CodeBytes> units_of(CodeBytes code) {
  const bool is_joined =
      code.size() >= kMagic.size() && std::equal(kMagic.begin(), kMagic.end(), code.begin());
  if (!is_joined) return {code};
  const std::uint64_t count = number_at(code, 0);
  if (count < 1 || count > kMostParts) refuse_damaged();
  std::vector<CodeBytes> units;
  std::size_t end = kMagic.size() + (1 + count) * sizeof(std::uint64_t);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t size = number_at(code, 1 + i);
    const std::size_t begin = aligned(end);
    if (begin > code.size() || size > code.size() - begin) refuse_damaged();
    units.push_back(code.subspan(begin, size));
    end = begin + size;
  }
  if (end != code.size()) refuse_damaged();
  return units;
}

UnitSymbol find_unit(const std::string& symbol, std::size_t units) {
  if (units == 1) return {0, symbol};
  UnitSymbol found;
  const char* const end = symbol.data() + symbol.size();
  const auto [rest, error] = std::from_chars(symbol.data(), end, found.unit);
  if (error != std::errc{} || rest == end || *rest != ':' || found.unit >= units)
    refuse_launch(fmt::format("the code has no unit for the symbol '{}'", symbol));
  found.name.assign(rest + 1, end);
  return found;
}

}  // namespace tilewright
