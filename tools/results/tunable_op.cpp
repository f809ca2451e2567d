#include "tools/results/tunable_op.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "definition/text/errors.hpp"
#include "definition/text/escape.hpp"

namespace tilewright::tools {
namespace {

std::vector<std::string> parts_of(std::string_view text) {
  std::vector<std::string> parts;
  for (std::size_t from = 0, end = 0; end != std::string_view::npos; from = end + 1) {
    end = text.find('_', from);
    parts.emplace_back(text.substr(from, end - from));
  }
  return parts;
}

bool is_number(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
}

constexpr std::array kOperations = {"GemmTunableOp", "GemmAndBiasTunableOp",
                                    "GemmStridedBatchedTunableOp"};

struct TypeName {
  std::string_view theirs;
  const char* assignment;  // beside the defaults, which are float32
};
constexpr TypeName kTypes[] = {{"float", ""},
                               {"tf32", "precision=tf32"},
                               {"double", "type_a=float64"},
                               {"Half", "type_a=float16"},
                               {"BFloat16", "type_a=bfloat16"}};

}  // namespace

std::optional<std::vector<std::string>> tunable_op_problem(const std::string& line,
                                                           const std::string& where) {
  const std::size_t comma = line.find(',');
  const std::vector<std::string> kind = parts_of(line.substr(0, comma));
  if (comma == std::string::npos || !kind.front().ends_with("TunableOp")) return std::nullopt;
  const std::vector<std::string> shape =
      parts_of(line.substr(comma + 1, line.find_first_of(", \t\r", comma + 1) - comma - 1));
  const auto refuse = [&](const char* why) {
    return bad_input("{}: '{}': {}", where, visible_line(beginning_of(line)), why);
  };
  if (std::ranges::find(kOperations, kind.front()) == kOperations.end())
    throw refuse(
        "only GemmTunableOp, GemmAndBiasTunableOp and GemmStridedBatchedTunableOp are read");
  const auto* const type = std::ranges::find_if(
      kTypes, [&](const TypeName& one) { return kind.size() == 3 && one.theirs == kind[1]; });
  if (type == std::end(kTypes)) throw refuse("gemm has no such type");
  const bool is_batch = kind.front() == kOperations.back();
  const std::size_t end = is_batch ? 6 : 4;  // of the sizes
  const bool has_distances = shape.size() == end + 4 && shape[end] == "ld";
  const auto are_numbers = [&](std::size_t from, std::size_t to) {
    return std::all_of(shape.begin() + static_cast<std::ptrdiff_t>(from),
                       shape.begin() + static_cast<std::ptrdiff_t>(to), is_number);
  };
  const bool is_read = (shape.size() == end || has_distances) && shape[0].size() == 2 &&
                       are_numbers(1, 4) &&
                       (!is_batch || (shape[4] == "B" && is_number(shape[5]))) &&
                       (!has_distances || are_numbers(end + 1, end + 4));
  if (!is_read) throw refuse("not a shape as TunableOp writes it, such as tn_4096_16_1024");

  std::vector<std::string> values = {"M=" + shape[2], "N=" + shape[1], "K=" + shape[3]};
  if (is_batch) values.push_back("batch=" + shape[5]);
  if (shape[0][1] == 't') values.emplace_back("transpose_a=yes");
  if (shape[0][0] == 't') values.emplace_back("transpose_b=yes");
  if (has_distances)
    values.insert(values.end(),
                  {"lda=" + shape[end + 2], "ldb=" + shape[end + 1], "ldc=" + shape[end + 3]});
  if (*type->assignment != '\0') values.emplace_back(type->assignment);
  return values;
}

}  // namespace tilewright::tools
