#include "tuner/backend/notes.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <set>
#include <sstream>
#include <string_view>

namespace tilewright {
namespace {

bool has(const std::string& line, const std::string& part) {
  return line.find(part) != std::string::npos;
}

// Whether a compiler's line says that there is no such variable, as NVRTC, GCC and Clang do.
bool says_missing(const std::string& line, const std::string& variable) {
  const std::string name = variable.substr(variable.rfind(':') + 1);  // npos + 1 is 0
  const std::string space = variable.substr(0, variable.find(':'));
  bool is_named = false;
  for (const std::string& one : {name, space})
    is_named = is_named || has(line, '"' + one + '"') || has(line, '\'' + one + '\'') ||
               has(line, "‘" + one + "’");
  bool is_missing = false;
  for (const char* words : {"undefined", "not declared", "not been declared", "undeclared",
                            "has no member", "is not a member", "no member named"})
    is_missing = is_missing || has(line, words);
  if (is_named && is_missing) return true;
  std::string closed = line;
  std::erase(closed, ' ');
  return has(line, "name expression") && has(closed, "\"&" + variable + '"');
}

bool has_default_integers(const PlannedBuffer& buffer) {
  const Fill usual = default_fill(buffer.type);
  return buffer.kind == ArgumentKind::buffer && buffer.role != ArgumentRole::output &&
         is_integer(buffer.type) && buffer.fill.kind == usual.kind &&
         buffer.fill.low == usual.low && buffer.fill.high == usual.high;
}

bool has_reference_kernel(const SessionProblem& problem) {
  const ReferencePlan& reference = problem.reference;
  return reference.given.empty() && reference.builtin.empty() &&
         !reference.launches.launches.empty();
}

constexpr int kMajor = 1000;  // the part of a version that counts its majors

// Of "NVRTC 13.0"; 0 for other compilers.
int major_of(std::string_view compiler) {
  constexpr std::string_view kName = "NVRTC ";
  int major = 0;
  if (compiler.starts_with(kName))
    std::from_chars(compiler.data() + kName.size(), compiler.data() + compiler.size(), major);
  return major;
}

}  // namespace

std::string missing_note(const std::string& entry, const std::vector<std::string>& kernels) {
  std::string others;
  if (!kernels.empty())
    others = fmt::format("; there is {}", fmt::join(kernels, ", "));
  else if (entry.find('<') == std::string::npos)
    others =
        fmt::format("; if it is a template, write entry = \"{}<…>\" with its arguments", entry);
  return fmt::format("{} has the name '{}'{}\n", kEntryNote, entry, others);
}

std::string ambiguous_note(const std::string& entry, const std::vector<std::string>& overloads) {
  return fmt::format(
      "{} is the only one with the name '{}': there are {}; give each kernel a name of its own\n",
      kEntryNote, entry, fmt::join(overloads, " and "));
}

std::string missing_constant_note(const std::string& log,
                                  const std::vector<std::string>& constants) {
  for (const std::string& constant : constants) {
    std::istringstream lines(log);
    for (std::string line; std::getline(lines, line);)
      if (says_missing(line, constant))
        return fmt::format(
            "the source has no variable '{}', which 'constant' in the manifest names\n", constant);
  }
  return "";
}

std::string entry_note(const std::string& log, const std::string& entry) {
  const std::string quoted = '\'' + entry + '\'';
  for (std::size_t begin = log.find(kEntryNote); begin != std::string::npos;
       begin = log.find(kEntryNote, begin + 1)) {
    const std::string line = log.substr(begin, log.find('\n', begin) - begin);
    if (line.find(quoted) != std::string::npos) return line.substr(line.find("no kernel"));
  }
  return "";
}

std::string integer_fill_note(const SessionProblem& problem) {
  std::vector<std::string> names;
  for (const PlannedBuffer& buffer : problem.buffers)
    if (has_default_integers(buffer)) names.push_back(buffer.name);
  if (names.empty()) return "";
  const Fill usual = default_fill(ElementType::int32);
  return fmt::format("; check the fills of its integer inputs: {} {} random from {} to {}",
                     fmt::join(names, ", "), names.size() == 1 ? "is" : "are", usual.low,
                     usual.high);
}

std::string opening_note(const SessionPlan& plan) {
  std::set<std::string> kernels;
  std::vector<std::string> problems;
  std::string note;
  for (const SessionProblem& problem : plan.problems) {
    for (const FillPlan& fill : problem.fills)
      kernels.insert(fmt::format("the kernel that fills '{}'",
                                 problem.buffers[static_cast<std::size_t>(fill.argument)].name));
    if (has_reference_kernel(problem)) {
      kernels.insert("the reference kernel");
      if (note.empty()) note = integer_fill_note(problem);
    } else if (problem.fills.empty()) {
      continue;
    }
    problems.push_back('(' + to_text(problem.problem.values) + ')');
  }
  if (problems.empty()) return "";
  return fmt::format("; it ran {} of {} for {}{}", fmt::join(kernels, " and "),
                     plan.problems.front().problem.operation, fmt::join(problems, ", "), note);
}

std::string cuda_version_text(int version) {
  return fmt::format("{}.{}", version / kMajor, version % kMajor / 10);
}

std::string driver_to_install(int cuda_version) {
  const int major = cuda_version / kMajor;
  if (major == 12) return "install driver 525.60.13 or newer";
  if (major == 13) return "install driver 580.65.06 or newer";
  return fmt::format("install a driver for CUDA {}", major);
}

std::string old_driver_note(const DeviceReport& device, const std::string& compiler) {
  const int major = major_of(compiler);
  if (device.cuda_version == 0 || device.cuda_version / kMajor >= major) return "";
  std::string note =
      fmt::format("{}: the driver {} supports CUDA {}, so it cannot load code of {}: {}", device.id,
                  device.environment.driver, cuda_version_text(device.cuda_version), compiler,
                  driver_to_install(major * kMajor));
  if (device.cuda_version / kMajor == 12)
    note += ", or the compiler of CUDA 12: pip install 'tilewright[cuda12]'";
  return note;
}

}  // namespace tilewright
