#include "tools/results/problem_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <iterator>
#include <set>
#include <sstream>
#include <utility>

#include "db/catalog/shipped.hpp"
#include "db/records/device_name.hpp"
#include "definition/text/text_file.hpp"
#include "tools/input/lookup.hpp"
#include "tools/input/sweep_options.hpp"
#include "tools/results/result_files.hpp"
#include "tools/results/tunable_op.hpp"

namespace tilewright::tools {
namespace {

namespace fs = std::filesystem;

Shape shape_of(const Problem& problem, const std::string& where) {
  Shape shape{{}, where};
  for (const auto& [name, value] : problem.values)
    shape.assignments.push_back(name + '=' + to_text(value));
  return shape;
}

// "M=16", "M=32" of "M=16,32".
std::vector<std::string> each_value(const std::string& word) {
  const std::size_t values = word.rfind('=') + 1;  // npos + 1 is 0
  std::vector<std::string> words;
  for (std::size_t from = values, end = 0; end != std::string::npos; from = end + 1) {
    end = word.find(',', from);
    words.push_back(word.substr(0, values) + word.substr(from, end - from));
  }
  return words;
}

[[noreturn]] void refuse_more(const std::string& where) {
  throw bad_input("{}: more than {} problems; divide them", where, kMostProblems);
}

// Appends the problems of a line.
void add_line(std::vector<Shape>& shapes, const std::string& line, const std::string& where) {
  std::istringstream words(line.substr(0, line.find('#')));
  std::vector<Shape> combined = {{{}, where}};
  for (std::string word; words >> word;) {
    const std::vector<std::string> values = each_value(word);
    if (values.size() == 1) {
      for (Shape& shape : combined) shape.assignments.push_back(word);
      continue;
    }
    std::vector<Shape> longer;
    for (const Shape& shape : combined)
      for (const std::string& one : values) {
        if (longer.size() == kMostProblems) refuse_more(where);
        longer.push_back(shape);
        longer.back().assignments.push_back(one);
      }
    combined = std::move(longer);
  }
  if (combined.front().assignments.empty()) return;
  if (shapes.size() + combined.size() > kMostProblems) refuse_more(where);
  std::ranges::move(combined, std::back_inserter(shapes));
}

std::vector<Shape> shapes_in(const fs::path& file) {
  constexpr std::size_t kLongestLine = 4096;
  std::istringstream lines(read_text_file(file, kProblemsFile));
  std::vector<Shape> shapes;
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    const std::string where = fmt::format("{}:{}", file.string(), number);
    line.resize(std::min(line.size(), line.find('#')));
    if (line.find('\0') != std::string::npos || line.size() > kLongestLine)
      throw bad_input("{}: not a problem of at most {} bytes of text", where, kLongestLine);
    if (auto product = tunable_op_problem(line, where))
      shapes.push_back({*std::move(product), where});
    else
      add_line(shapes, line, where);
  }
  return shapes;
}

bool is_file(const std::string& name) {
  std::error_code error;
  return fs::exists(name, error);
}

// The answers of the devices that have this in their name.
std::vector<BestRow> rows_of_device(const std::string& name, const Operation& operation,
                                    const Places& places) {
  ShippedResults shipped(shipped_places(places));
  const auto store = open_for_reading(places);
  std::vector<BestRow> rows = all_rows(operation.name, store.get(), shipped);
  std::vector<Device> devices;
  for (const BestRow& row : rows) add_device(devices, row.device);
  const std::vector<Device> named = named_devices(devices, name);
  if (named.empty())
    throw bad_input(
        "--like '{}' is neither a file nor in the name of a device with results of {}{}{}", name,
        operation.name, devices.empty() ? "" : "; there are ", names_of(devices));
  std::erase_if(rows, [&](const BestRow& row) {
    return std::ranges::find(named, row.device) == named.end();
  });
  return rows;
}

// The problems of a file, in its order, or of such a line itself.
std::vector<Shape> read_shapes(const std::string& given) {
  std::vector<Shape> shapes;
  if (given.find('=') == std::string::npos || is_file(given))
    shapes = shapes_in(given);
  else
    add_line(shapes, given, "--shapes");
  if (shapes.empty())
    throw bad_input("{} has no problem; give one a line, such as M=512 N=512 K=512", given);
  return shapes;
}

std::vector<Shape> shapes_like(const std::string& given, const Operation& operation,
                               const Places& places) {
  const std::string where = fmt::format("--like {}", given);
  std::vector<BestRow> rows =
      is_file(given) ? winners_in(given) : rows_of_device(given, operation, places);
  std::set<Problem> problems;
  for (BestRow& row : rows)
    if (row.problem.operation == operation.name) problems.insert(std::move(row.problem));
  if (problems.empty()) throw bad_input("{}: the file has no results of {}", where, operation.name);
  if (problems.size() > kMostProblems)
    throw bad_input("{}: more than {} problems", where, kMostProblems);
  std::vector<Shape> shapes;
  for (const Problem& problem : problems) shapes.push_back(shape_of(problem, where));
  return shapes;
}

}  // namespace

void ProblemsGiven::declare(Options& all) {
  all.text(shapes,
           {"shapes", "FILE|PROBLEMS",
            "Many problems in one run: a file with one problem per line, DIM=VALUE… as on the "
            "command line (# begins a comment), or such a line itself. 'M=16,32 N=8,64' is four "
            "problems. What the command line says applies to all of them, and limits apply to "
            "each."});
  all.text(like,
           {"like", "FILE|DEVICE",
            "The problems of the operation that were tuned elsewhere: those of a database, an "
            "export or a file of winners, or the stored and shipped ones of the devices that have "
            "this in their name. They are whole, so no DIM=VALUE stands beside them."});
}

bool ProblemsGiven::any() const {
  if (int{!shapes.empty()} + int{!like.empty()} + int{is_wanted} > 1)
    throw InputError("--shapes, --like and --wanted each name the problems; give one of them");
  return !shapes.empty() || !like.empty() || is_wanted;
}

std::vector<Shape> ProblemsGiven::named(const Operation& operation, const Places& places) const {
  return like.empty() ? read_shapes(shapes) : shapes_like(like, operation, places);
}

std::vector<Shape> wanted_shapes(const Store& store, const Operation& operation,
                                 const Device& device) {
  std::vector<Wanted> all = store.wanted(operation.name);
  std::erase_if(all, [&](const Wanted& one) { return one.subject.device != device; });
  std::ranges::stable_sort(all, std::greater(),
                           [&](const Wanted& one) { return value_of(one, operation); });
  all.resize(std::min(all.size(), kMostProblems));
  std::vector<Shape> shapes;
  for (const Wanted& wanted : all) shapes.push_back(shape_of(wanted.subject.problem, "wanted"));
  return shapes;
}

}  // namespace tilewright::tools
