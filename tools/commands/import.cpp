#include <algorithm>
#include <iterator>
#include <optional>
#include <set>

#include "db/records/device_name.hpp"
#include "definition/problem.hpp"
#include "definition/text/escape.hpp"
#include "definition/text/text_file.hpp"
#include "tools/input/command.hpp"
#include "tools/input/lookup.hpp"
#include "tools/input/target.hpp"
#include "tools/input/worker_options.hpp"
#include "tools/results/imported_record.hpp"
#include "tools/results/result_files.hpp"
#include "tuner/foreign/record.hpp"

namespace tilewright::tools {
namespace {

struct ImportGiven : GivenWords {
  std::string as;
  std::vector<std::string> manifests;
  std::vector<std::string> renames;
  std::string device;
  std::string arch;
  std::optional<int> sm_count;
  std::optional<CachePolicy> cache;
  Places places;

  void declare(Options& all) {
    all.text(as,
             {"as", "OPERATION/IMPLEMENTATION",
              "The implementation that another tuner's files were measured with, by its name or as "
              "FILE.toml/OPERATION/IMPLEMENTATION."});
    all.texts(
        manifests,
        {"manifest", "FILE.toml",
         "Where kernels of these results are described. They are then known by name, as after "
         "a sweep; may be repeated."});
    all.texts(renames, {"rename", "THEIRS=OURS",
                        "With --as: our name of one of their parameters; may be repeated."});
    all.text(
        device,
        {"device", "DEVICE",
         "With --as: the device they were measured on: cuda:N, host, or a part of the name of a "
         "stored or shipped device; by default the one that the file names. With --arch, the name "
         "of a GPU that is neither."});
    all.text(arch, {"arch", "ARCH", "With --as: the architecture of that GPU, such as sm_86."});
    all.number(
        sm_count, {.least = 1, .most = 4096},
        {"sm-count", "N", "With --arch: its multiprocessors; by default those of a usual GPU."});
    all.choice(
        cache, {CachePolicy::warm, CachePolicy::cold},
        {"policy", "warm|cold", "With --as: whether operands were in the L2; warm by default."});
    places.declare(all, {kDatabase, kKernels, kShipped});
  }
};

struct Words {
  std::vector<std::string> files;
  std::vector<std::string> assignments;  // DIM=VALUE, with --as
};

Words words_of(const ImportGiven& given) {
  Words words;
  for (const std::string& word : given.words) {
    const bool is_assignment =
        !given.as.empty() && word.find('=') != std::string::npos && !std::filesystem::exists(word);
    (is_assignment ? words.assignments : words.files).push_back(word);
  }
  if (words.files.empty())
    throw InputError(
        "name at least one file: a database, what `tilewright export --format json` wrote, or with "
        "--as a file of another tuner");
  return words;
}

Target target_of(const ImportGiven& given, const std::vector<std::string>& assignments) {
  std::vector<std::string> line = {given.as};
  line.insert(line.end(), assignments.begin(), assignments.end());
  Target target = read_target(line, given.places);
  if (target.implementations.size() != 1)
    throw InputError(
        fmt::format("--as '{}': name one implementation, OPERATION/IMPLEMENTATION", given.as));
  return target;
}

std::map<std::string, std::string> renamed_by(const ImportGiven& given) {
  std::map<std::string, std::string> renamed;
  for (const std::string& text : given.renames) {
    const std::size_t sign = text.find('=');
    if (sign == 0 || sign == std::string::npos || sign + 1 == text.size())
      throw InputError(fmt::format("--rename '{}': give THEIRS=OURS", text));
    renamed[text.substr(0, sign)] = text.substr(sign + 1);
  }
  return renamed;
}

// A GPU that is neither here nor on record: its name, and the limits of its architecture.
Device described_device(const ImportGiven& given, const std::string& called) {
  const std::string name = visible_line(called);
  if (is_device_id(name))
    throw InputError(
        fmt::format("--device '{}': with --arch, give the GPU's name as its driver "
                    "spells it, such as 'NVIDIA A100-SXM4-40GB'",
                    name));
  Device device = planned_device(given.arch);
  device.name = name;
  if (given.sm_count) device.sm_count = *given.sm_count;
  return device;
}

bool is_known(const std::string& name, const std::string& operation, const Store* store,
              ShippedResults& shipped) {
  std::vector<BestRow> rows = shipped.rows_of(operation);
  if (store != nullptr)
    for (BestRow& row : store->best(query_for(operation))) rows.push_back(std::move(row));
  return std::ranges::any_of(rows, [&](const BestRow& row) { return is_named(row.device, name); });
}

Device device_of(const ImportGiven& given, const Record& record, const std::string& operation) {
  const std::string name = given.device.empty() ? record.device : given.device;
  if (name.empty())
    throw InputError(fmt::format(
        "{} does not name the device that it was measured on; name it with --device", record.name));
  if (!given.arch.empty()) return described_device(given, name);
  ShippedResults shipped(shipped_places(given.places));
  const std::unique_ptr<Store> store = open_for_reading(given.places);
  if (is_device_id(name) || is_known(name, operation, store.get(), shipped))
    return wanted_device({name}, operation, store.get(), &shipped);
  throw InputError(fmt::format(
      "{}: no device of that name is present, stored or shipped; --arch describes another GPU, "
      "such "
      "as --arch sm_86 --sm-count 48",
      given.device.empty() ? fmt::format("{}: its device '{}'", record.name, visible_line(name))
                           : fmt::format("--device '{}'", name)));
}

RecordMeaning meaning_of(const ImportGiven& given, const Target& target, const Device& device) {
  RecordMeaning meaning;
  meaning.implementation = target.implementations.front();
  meaning.device = device;
  meaning.problem = make_problem(target.operation(), target.assignments, meaning.device);
  meaning.cache = given.cache.value_or(CachePolicy::warm);
  meaning.renamed = renamed_by(given);
  return meaning;
}

void tell_of_left_out(const Record& record, std::size_t outside, const std::string& name) {
  if (outside > 0)
    std::cerr << fmt::format(
        "{}: left out {} of {} configurations, because they are not legal for {} and this "
        "problem\n",
        record.name, outside, record.trials.size(), name);
  if (!record.is_complete)
    std::cerr << fmt::format(
        "{}: ends early, because it was cut or is still being written; whole configurations: {}; "
        "their sweep is not finished\n",
        record.name, record.trials.size());
}

std::string text_of(const std::vector<Record>& records) {
  constexpr std::size_t kMostShown = 8;
  std::vector<std::string> known;
  for (const Record& record : records)
    if (known.size() < kMostShown)
      known.push_back(fmt::format("{} ({})", fmt::join(record.problem_size, " × "),
                                  visible_line(record.device)));
  if (records.size() > kMostShown) known.push_back("others");
  return fmt::format("{}", fmt::join(known, ", "));
}

// Whether the sizes are those of the first dimensions, in the order of the manifest.
bool has_sizes_of(const Record& record, const Operation& operation, const Problem& problem) {
  if (record.problem_size.size() > operation.dimensions.size()) return false;
  return std::equal(record.problem_size.begin(), record.problem_size.end(),
                    operation.dimensions.begin(),
                    [&](std::int64_t size, const Dimension& dimension) {
                      return problem.values.at(dimension.name) == Value(size);
                    });
}

// Of several records, those of the problem and of the device that is named.
std::vector<Record> records_meant(std::vector<Record> records, const ImportGiven& given,
                                  const Target& target, const Problem& problem,
                                  const std::string& device) {
  if (records.size() == 1) return records;
  if (given.device.empty() && !given.arch.empty() &&
      std::ranges::any_of(
          records, [&](const Record& record) { return record.device != records.front().device; }))
    throw InputError(
        fmt::format("{} has results of several devices, and --arch describes one; name it with "
                    "--device",
                    records.front().name));
  std::vector<Record> meant;
  for (const Record& record : records)
    if ((device.empty() || record.device.empty() || record.device == device) &&
        is_for(record, problem))
      meant.push_back(record);
  const auto is_exact = [&](const Record& record) {
    return has_sizes_of(record, target.operation(), problem);
  };
  if (std::ranges::any_of(meant, is_exact)) std::erase_if(meant, std::not_fn(is_exact));
  if (meant.empty())
    throw InputError(fmt::format("{}: no results of {}{}; it has those of {}", records.front().name,
                                 to_text(problem.values), device.empty() ? "" : " on " + device,
                                 text_of(records)));
  return meant;
}

std::vector<Store::Imported> sweeps_of(const std::string& file, const ImportGiven& given,
                                       const Target& target) {
  const std::string bytes = read_text_file(file, kResultsFile);
  const std::string text = gunzip(bytes).text;
  std::vector<Record> records = tilewright::read_records(bytes, file);
  std::optional<Device> named;
  if (!given.device.empty()) named = device_of(given, records.front(), target.operation().name);
  // Defaults are those of GPUs unless a device is named.
  const Problem problem =
      make_problem(target.operation(), target.assignments, named.value_or(Device()));
  records = records_meant(std::move(records), given, target, problem, named ? named->name : "");
  std::vector<Store::Imported> sweeps;
  std::set<std::string> uuids;
  for (const Record& record : records) {
    const RecordMeaning meaning =
        meaning_of(given, target, named ? *named : device_of(given, record, problem.operation));
    if (named && !record.device.empty() && record.device != named->name)
      std::cerr << fmt::format("{}: its device is '{}'; taken for {}\n", file,
                               visible_line(record.device), named->name);
    ImportedRecord read = import_record(record, text, meaning);
    if (!uuids.insert(read.imported.sweep.uuid).second)
      throw InputError(fmt::format("{}: results of several sizes fit {}: {}; keep those of one",
                                   file, to_text(problem.values), text_of(records)));
    tell_of_left_out(record, read.outside, meaning.implementation->full_name());
    sweeps.push_back(std::move(read.imported));
  }
  return sweeps;
}

NamedManifests named_manifests(const ImportGiven& given, const Library& library) {
  NamedManifests named;
  for (const std::string& file : given.manifests)
    for (const Family& family : load_families(file, library))
      named[family.operation.name].push_back(
          std::filesystem::absolute(file).lexically_normal().string());
  return named;
}

// Imports another tuner's files. The implementation is known by its name afterwards.
void import_recorded(const ImportGiven& given, const Words& words) {
  const Target target = target_of(given, words.assignments);
  std::vector<Store::Imported> sweeps;
  for (const std::string& file : words.files)
    std::ranges::move(sweeps_of(file, given, target), std::back_inserter(sweeps));
  take_in(std::move(sweeps), database_file(given.places), std::cout,
          {{target.operation().name, manifests_of(target)}});
}

void import_own(const ImportGiven& given, const Words& words) {
  const Library library = load_library(given.places);
  take_in(sweeps_in_all(words.files, library), database_file(given.places), std::cout,
          named_manifests(given, library));
}

void refuse_without_as(const ImportGiven& given) {
  if (given.sm_count && given.arch.empty())
    throw InputError("--sm-count describes a GPU together with --arch and --device");
  if (!given.as.empty() && !given.manifests.empty())
    throw InputError(
        "--as and --manifest: give one of them; --as FILE.toml/IMPLEMENTATION names both");
  for (const auto& [option, is_given] : {std::pair("rename", !given.renames.empty()),
                                         {"device", !given.device.empty()},
                                         {"policy", given.cache.has_value()},
                                         {"arch", !given.arch.empty()}})
    if (is_given && given.as.empty())
      throw InputError(fmt::format(
          "--{} describes a file of another tuner and needs --as; tilewright's own files need "
          "neither",
          option));
}

int run_import(const ImportGiven& given) {
  refuse_without_as(given);
  const Words words = words_of(given);
  // All files are read before anything is written.
  if (given.as.empty())
    import_own(given, words);
  else
    import_recorded(given, words);
  return kDone;
}

}  // namespace

Command import_command() {
  return make_command(
      {"import", Purpose::keep,
       "Take in results of another database, an export, or another tuner's file.",
       "FILE… [--db FILE] [--as OPERATION/IMPLEMENTATION DIM=VALUE… [--device NAME]]",
       "  tilewright import gemm.json other.db\n"
       "  tilewright import cache.json --as mine/tiled n=4096 --device cuda:0 --rename "
       "block_size_x=BLOCK_X\n"},
      run_import);
}

}  // namespace tilewright::tools
