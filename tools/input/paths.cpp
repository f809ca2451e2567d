#include "tools/input/paths.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <sstream>

#include "db/records/sweep_records.hpp"
#include "db/tables/sqlite.hpp"
#include "definition/text/text_file.hpp"
#include "tools/print/terminal.hpp"
#include "tuner/backend/backend.hpp"
#include "tuner/worker/process.hpp"

namespace tilewright::tools {
namespace {

namespace fs = std::filesystem;

// XDG base directory, or its default below the home folder.
fs::path base_folder(const char* variable, const char* below_home, const char* option) {
  if (const std::string base = environment(variable); !base.empty()) return base;
  const std::string home = environment("HOME");
  if (home.empty())
    throw broken_machine("neither {} nor HOME is set; name the place with --{}", variable, option);
  return fs::path(home) / below_home;
}

// The folders of the toolkits that the environment names.
std::vector<fs::path> named_toolkits() {
  std::vector<fs::path> roots;
  for (const char* variable : {"CUDAToolkit_ROOT", "CUDA_HOME", "CUDA_PATH"})
    if (const std::string root = environment(variable); !root.empty()) roots.emplace_back(root);
  return roots;
}

// The folders that a variable lists with colons between them.
std::vector<fs::path> folders_in(const char* variable) {
  std::vector<fs::path> folders;
  std::istringstream list(environment(variable));
  for (std::string folder; std::getline(list, folder, ':');)
    if (!folder.empty()) folders.emplace_back(folder);
  return folders;
}

bool is_folder(const fs::path& path) {
  std::error_code error;
  return fs::is_directory(path, error);
}

// A folder that came with the program: installed, next to it, or in the source tree.
std::vector<fs::path> folder_that_came(const std::string& name, const char* in_the_source) {
  const fs::path here = program_folder();
  for (const char* place : {"../share/tilewright", ".", "..", "../..", "../../.."}) {
    const fs::path folder = (here / place / name).lexically_normal();
    if (is_folder(folder)) return {folder};
  }
  if (is_folder(in_the_source)) return {in_the_source};
  return {};
}

}  // namespace

void Places::declare(Options& all, std::initializer_list<Place> options) {
  for (const Place option : options) switch (option) {
      case kDatabase:
        all.text(database,
                 {"db", "FILE",
                  "Database file. Default: TILEWRIGHT_DB, else a file in your data folder."});
        break;
      case kKernels:
        all.texts(kernels,
                  {"kernels", "FOLDER",
                   "Folder of kernel definitions; may be repeated. Default: TILEWRIGHT_KERNELS, "
                   "else the built-in ones."});
        break;
      case kLibraries:
        all.name(libraries, {"on", "off"},
                 {"libraries", "on|off",
                  "Whether routines of foreign libraries take part, such as cublasLt's. Default: "
                  "TILEWRIGHT_LIBRARIES, else on."});
        break;
      case kShipped:
        all.texts(shipped,
                  {"shipped", "PLACE",
                   "Shipped results: a file, a folder, or none; may be repeated. Default: those "
                   "that came with tilewright."});
        break;
      case kCache:
        all.text(cache,
                 {"cache", "FOLDER",
                  "Folder for compiled code. Default: TILEWRIGHT_CACHE, else a folder in your "
                  "cache folder."});
        break;
    }
}

fs::path database_file(const Places& places) {
  if (!places.database.empty()) return places.database;
  if (const std::string given = environment("TILEWRIGHT_DB"); !given.empty()) return given;
  return base_folder("XDG_DATA_HOME", ".local/share", "db") / "tilewright" / "tilewright.db";
}

fs::path cache_folder(const Places& places) {
  if (!places.cache.empty()) return places.cache;
  if (const std::string given = environment("TILEWRIGHT_CACHE"); !given.empty()) return given;
  return base_folder("XDG_CACHE_HOME", ".cache", "cache") / "tilewright";
}

std::vector<fs::path> kernel_folders(const Places& places) {
  if (!places.kernels.empty()) return {places.kernels.begin(), places.kernels.end()};
  if (auto folders = folders_in("TILEWRIGHT_KERNELS"); !folders.empty()) return folders;
  return folder_that_came("kernel_templates", TILEWRIGHT_KERNEL_TEMPLATES);
}

Libraries libraries_of(const Places& places) {
  const std::string given =
      places.libraries.empty() ? environment("TILEWRIGHT_LIBRARIES") : places.libraries;
  if (given.empty() || given == "on") return Libraries::on;
  if (given == "off") return Libraries::off;
  throw bad_input("TILEWRIGHT_LIBRARIES '{}': give on or off", given);
}

std::vector<fs::path> shipped_places(const Places& places) {
  const std::vector<std::string>& given = places.shipped;
  if (given == std::vector<std::string>{"none"}) return {};
  if (std::ranges::find(given, "none") != given.end())
    throw InputError("--shipped none: give it alone, without other places");
  std::error_code error;
  for (const std::string& place : given)
    if (!fs::exists(place, error))
      throw bad_input("--shipped '{}': there is no such file or folder", place);
  if (!given.empty()) return {given.begin(), given.end()};
  return folder_that_came("shipped_results", TILEWRIGHT_SHIPPED_RESULTS);
}

void check_output(const std::string& output, const Places& places,
                  const std::vector<fs::path>& files_read) {
  if (output.empty()) return;
  if (is_sqlite_file(output))
    throw bad_input("--output '{}' is a database; name another file", output);
  std::vector<fs::path> files = files_read;
  files.insert(files.end(), places.shipped.begin(), places.shipped.end());
  std::error_code ignored;
  for (const fs::path& file : files)
    if (fs::equivalent(output, file, ignored))
      throw bad_input("--output '{}' is a file that this command reads; name another", output);
}

void write_output(const std::string& output, const std::string& content) {
  if (output.empty())
    print_content(content);
  else
    write_file(output, content);
}

fs::path texts_folder() {
  const fs::path beside = program_folder() / "share";
  return is_folder(beside) ? beside : (program_folder() / "../share").lexically_normal();
}

fs::path plotly_file() {
  fs::path file = environment("TILEWRIGHT_PLOTLY");
  if (file.empty())
    for (const fs::path& folder : folder_that_came("plotly", TILEWRIGHT_PLOTLY))
      file = folder / "plotly.min.js";
  std::error_code error;
  return fs::exists(file, error) ? file : fs::path();
}

fs::path temporary_folder() {
  std::error_code error;
  fs::path folder = fs::temp_directory_path(error);
  if (error) throw MachineError("there is no folder for temporary files; name one in TMPDIR");
  return folder;
}

fs::path lock_folder() {
  return environment("TILEWRIGHT_LOCKS");
}

std::optional<std::chrono::seconds> time_left_in_slurm() {
  const std::string text = environment("SLURM_JOB_END_TIME");
  std::int64_t end = 0;  // seconds since 1970
  if (std::from_chars(text.data(), text.data() + text.size(), end).ec != std::errc{})
    return std::nullopt;
  constexpr std::int64_t kMargin = 60;
  return std::chrono::seconds(end - kMargin - seconds_since_1970());
}

fs::path worker_program() {
  fs::path worker = program_folder() / "tilewright-worker";
  std::error_code error;
  if (!fs::exists(worker, error))
    throw broken_machine("{} is missing; it belongs beside tilewright", worker.string());
  return worker;
}

fs::path program_on_path(const std::string& name) {
  for (const fs::path& folder : folders_in("PATH"))
    if (fs::path program = folder / name; access(program.c_str(), X_OK) == 0)
      return fs::absolute(program);
  return {};
}

fs::path host_compiler() {
  for (const char* name : {"c++", "g++", "clang++"})
    if (fs::path program = program_on_path(name); !program.empty()) return program;
  return {};
}

fs::path toolkit_program(const std::string& name) {
  if (fs::path program = program_on_path(name); !program.empty()) return program;
  std::vector<fs::path> roots = named_toolkits();
  roots.emplace_back("/usr/local/cuda");
  for (const fs::path& root : roots)
    if (const fs::path program = root / "bin" / name; access(program.c_str(), X_OK) == 0)
      return fs::absolute(program);
  return {};
}

std::vector<fs::path> toolkit_folders() {
  std::vector<fs::path> folders = nvidia_wheels(program_folder());
  if (const fs::path conda = environment("CONDA_PREFIX"); !conda.empty())
    folders.push_back(fs::absolute(conda / "lib"));
  folders.emplace_back();
  for (const fs::path& root : named_toolkits())
    for (const char* below : {"lib64", "targets/x86_64-linux/lib", "lib"})
      folders.push_back(fs::absolute(root / below));
  return folders;
}

}  // namespace tilewright::tools
