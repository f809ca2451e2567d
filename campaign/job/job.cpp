#include "campaign/job/job.hpp"

#include <fmt/format.h>

#include "tilewright/error.hpp"

namespace tilewright {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPlan = "plan.json";
constexpr const char* kDevice = "device";

}  // namespace

Job::Job(FolderFiles& files, fs::path folder) : files_(files), folder_(std::move(folder)) {
  const fs::path file = folder_ / kPlan;
  if (!files_.exists(file))
    throw InputError(
        fmt::format("'{}' is not the folder of a job; `tilewright job create FOLDER` makes one",
                    folder_.string()));
  plan_ = plan_from_text(files_.read(file), file.string());
  for (const JobUnit& unit : plan_.units) units_[unit.id] = &unit;
}

void Job::create(FolderFiles& files, const fs::path& folder, const JobPlan& plan) {
  if (files.exists(folder) && !files.names_in(folder).empty())
    throw InputError(fmt::format("'{}' exists and is not empty; a job needs a folder of its own",
                                 folder.string()));
  const fs::path whole = fs::absolute(folder).lexically_normal();
  const fs::path named = whole.has_filename() ? whole : whole.parent_path();
  fs::path built = named;
  built += ".new-" + plan.id.substr(0, 8);
  for (const char* part : {"todo", "taken", "done", "results", "kept", "alive", kDevice})
    files.make_folder(built / part);
  for (const JobUnit& unit : plan.units) files.make_empty_file(built / "todo" / unit.id);
  files.make_empty_file(built / kDevice / "open");
  files.write(built / kPlan, to_text(plan));
  files.rename(built, named);
  if (files.exists(built) || Job(files, named).plan().id != plan.id)
    throw MachineError(fmt::format("cannot rename {} to {}", built.string(), named.string()));
}

bool Job::is_at(const FolderFiles& files, const fs::path& folder) {
  return files.exists(folder / kPlan);
}

const JobUnit* Job::unit(const std::string& id) const {
  const auto found = units_.find(id);
  return found == units_.end() ? nullptr : found->second;
}

std::map<std::string, std::string> Job::members_of(const std::string& part) const {
  std::map<std::string, std::string> members;
  for (const std::string& name : files_.names_in(folder_ / part)) {
    const std::size_t dot = name.find('.');
    if (dot == std::string::npos || unit(name.substr(0, dot)) == nullptr) continue;
    members[name.substr(0, dot)] = name.substr(dot + 1);
  }
  return members;
}

std::string Job::name_of(const std::string& member) const {
  try {
    const std::string text = files_.read(folder_ / "alive" / member);
    return text.substr(0, text.find('\n'));
  } catch (const InputError&) {  // it has left
    return "a process that has left";
  }
}

fs::path Job::result_of(const std::string& unit, const std::string& member) const {
  return place("results", unit, member + ".json");
}

std::string Job::agree_on_device(const std::string& member, const std::string& proposal) {
  const fs::path folder = folder_ / kDevice;
  constexpr std::string_view kChosen = "chosen.";
  const auto chosen = [&]() -> std::string {
    for (const std::string& one : files_.names_in(folder))
      if (one.starts_with(kChosen)) return files_.read(folder / one.substr(kChosen.size()));
    return "";
  };
  if (std::string text = chosen(); !text.empty()) return text;
  files_.write(folder / member, proposal);
  move(folder / "open", folder / (std::string(kChosen) + member));
  std::string text = chosen();
  if (text.empty()) throw MachineError(fmt::format("cannot rename files in {}", folder.string()));
  return text;
}

fs::path Job::place(const char* part, const std::string& unit, const std::string& member) const {
  return folder_ / part / (member.empty() ? unit : unit + '.' + member);
}

bool Job::move(const fs::path& from, const fs::path& to) {
  files_.rename(from, to);
  return files_.exists(to);
}

}  // namespace tilewright
