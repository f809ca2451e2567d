#include "tools/results/result_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <exception>
#include <iterator>
#include <ostream>
#include <string_view>
#include <utility>

#include "db/exchange/exchange.hpp"
#include "db/exchange/winners.hpp"
#include "definition/json/codec.hpp"
#include "definition/json/json.hpp"
#include "definition/problem.hpp"
#include "definition/text/text_file.hpp"
#include "tilewright/error.hpp"
#include "tools/input/lookup.hpp"
#include "tools/input/paths.hpp"
#include "tuner/backend/parallel.hpp"
#include "tuner/toolchain/scratch_folder.hpp"

namespace tilewright::tools {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kHead = 200;  // the key that names the format comes first

// Kinds of files with results, recognised by how they begin.
enum class FileKind {
  database,
  sweeps,   // export --format json
  winners,  // export --format winners
  other,    // perhaps another tuner's
};

FileKind kind_of(std::string_view bytes) {
  if (bytes.starts_with(kSqliteHead)) return FileKind::database;
  if (are_winners(bytes)) return FileKind::winners;
  const bool is_export = bytes.substr(0, kHead).find("\"tilewright\"") != std::string_view::npos;
  return is_export ? FileKind::sweeps : FileKind::other;
}

// A file with results. A pipe can be read only once.
struct ResultFile {
  FileKind kind = FileKind::other;
  // Unpacked if it is gzip, but another tuner's as it is. Empty for a database, which may be large
  // and is read in its place.
  std::string bytes;
  bool is_complete = true;  // false: gzip that ends early or is damaged
};

void require_complete(const ResultFile& results, const fs::path& file) {
  if (!results.is_complete)
    throw InputError(fmt::format("{}: the gzip file ends early or is damaged", file.string()));
}

ResultFile read_results(const fs::path& file) {
  if (is_sqlite_file(file)) return {FileKind::database, {}};
  std::string bytes = read_text_file(file, kResultsFile);
  Unpacked unpacked = at_place(file.string(), [&] { return gunzip(bytes); });
  const FileKind kind = kind_of(unpacked.text);
  if (kind == FileKind::database)
    throw InputError(fmt::format(
        "{}: is a database in a pipe or in gzip; name the database's own file", file.string()));
  // Of another tuner's file that ends early, what is there can be used.
  if (kind == FileKind::other) return {kind, std::move(bytes), unpacked.is_complete};
  ResultFile results{kind, std::move(unpacked.text), unpacked.is_complete};
  require_complete(results, file);
  return results;
}

// `on_bad_row` gets a sentence for each row that cannot be used.
std::vector<Store::Imported> sweeps_of(const fs::path& database,
                                       std::function<void(const std::string&)> on_bad_row) {
  Store store(database, Store::Mode::read_only);
  store.tell_of_bad_rows(std::move(on_bad_row));
  std::vector<Store::Imported> sweeps;
  for (SweepRecord& sweep : store.sweeps({})) {
    std::vector<Trial> trials = store.trials(sweep.id);
    sweeps.push_back({std::move(sweep), std::move(trials)});
  }
  return sweeps;
}

// Whether the search would have tried it: a trial of the screening that no static limit pruned.
bool was_candidate(const Trial& trial) {
  return trial.stage == Stage::screen && (trial.outcome != Outcome::pruned || trial.resources);
}

std::vector<Record> records_of(std::vector<Store::Imported> sweeps, const std::string& name) {
  std::vector<Record> records;
  for (Store::Imported& item : sweeps) {
    if (item.sweep.finished == 0) continue;
    std::erase_if(item.trials, [](const Trial& trial) { return !was_candidate(trial); });
    if (std::none_of(item.trials.begin(), item.trials.end(),
                     [](const Trial& trial) { return trial.timing.has_value(); }))
      continue;
    const SweepKey& key = item.sweep.key;
    Record record;
    record.name = fmt::format("{} {}", name, item.sweep.uuid);
    record.kernel = fmt::format("{} {}", key.operation, to_text(key.problem.values));
    record.device = key.device.name;
    record.trials = std::move(item.trials);
    records.push_back(std::move(record));
  }
  if (records.empty())
    throw InputError(name + ": no finished sweep with a measured configuration in it");
  return records;
}

// The report with these named manifests alone.
std::string with_manifests(const std::string& report, const std::vector<std::string>& files) {
  Json json;
  try {
    json = parse_document(report);
  } catch (const InputError&) {  // text
  }
  if (files.empty() && !json.contains(kNamedManifests)) return report;
  if (!json.is_object()) json = {{"text", report}};
  json.erase(kNamedManifests);
  if (!files.empty()) json[kNamedManifests] = files;
  return json_text(json);
}

bool may_be_json(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first == std::string_view::npos || text[first] == '{' || text[first] == '[';
}

// Throws for a file that cannot be an export.
void refuse_other(const ResultFile& results, const fs::path& file) {
  const std::string format = foreign_format(gunzip(results.bytes).text);
  if (!format.empty())
    throw InputError(
        fmt::format("'{}' is {}; `tilewright import` needs --as "
                    "OPERATION/IMPLEMENTATION DIM=VALUE… for what was measured",
                    file.string(), format));
  require_complete(results, file);
  if (!may_be_json(results.bytes))
    throw InputError(
        fmt::format("'{}' is neither a database nor what `tilewright export --format json` wrote",
                    file.string()));
}

std::vector<Store::Imported> sweeps_in(const ResultFile& results, const fs::path& file) {
  if (results.kind == FileKind::database)
    return sweeps_of(file, [](const std::string& why) { throw InputError(why); });
  if (results.kind == FileKind::winners)
    throw InputError(fmt::format(
        "'{}' holds winners without their sweeps and cannot be imported; use it where it is, "
        "with best --shipped",
        file.string()));
  if (results.kind == FileKind::other) refuse_other(results, file);
  return import_json(results.bytes, file.string());
}

}  // namespace

std::vector<Store::Imported> sweeps_in(const fs::path& file) {
  return sweeps_in(read_results(file), file);
}

std::vector<Store::Imported> sweeps_of_each(std::size_t count, const ReadSweeps& read) {
  std::vector<std::vector<Store::Imported>> parts(count);
  std::vector<std::exception_ptr> failures(count);
  parallel_ranges(static_cast<std::int64_t>(count), 1, [&](std::int64_t first, std::int64_t last) {
    for (auto i = static_cast<std::size_t>(first); i < static_cast<std::size_t>(last); ++i) {
      try {
        parts[i] = read(i);
      } catch (...) {
        failures[i] = std::current_exception();
      }
    }
  });
  std::vector<Store::Imported> sweeps;
  for (std::size_t i = 0; i < count; ++i) {
    if (failures[i]) std::rethrow_exception(failures[i]);
    std::ranges::move(parts[i], std::back_inserter(sweeps));
  }
  return sweeps;
}

std::vector<Store::Imported> sweeps_in_all(const std::vector<std::string>& files,
                                           const Library& library) {
  return sweeps_of_each(files.size(), [&](std::size_t i) {
    std::vector<Store::Imported> sweeps = sweeps_in(files[i]);
    at_place(fmt::format("'{}'", files[i]), [&] { check_problems(sweeps, library); });
    return sweeps;
  });
}

void check_problems(const std::vector<Store::Imported>& sweeps, const Library& library) {
  for (const Store::Imported& imported : sweeps) {
    const SweepKey& key = imported.sweep.key;
    const auto family = library.families().find(key.operation);
    if (family != library.families().end())
      at_place("sweep " + imported.sweep.uuid,
               [&] { check_problem(family->second.operation, key.problem, key.device); });
  }
}

void print_taken(std::ostream& out, const Store::ImportResult& result, std::size_t given) {
  out << fmt::format("{} of {} sweeps are new", result.added, given);
  if (result.continued > 0) out << fmt::format(", {} continue unfinished ones", result.continued);
  out << '\n';
}

void take_in(std::vector<Store::Imported> sweeps, const fs::path& database, std::ostream& out,
             const NamedManifests& named) {
  for (Store::Imported& imported : sweeps) {
    const auto files = named.find(imported.sweep.key.operation);
    imported.sweep.report = with_manifests(
        imported.sweep.report, files == named.end() ? std::vector<std::string>() : files->second);
  }
  warn_of_network(database);
  print_taken(out, Store(database).import_sweeps(sweeps), sweeps.size());
}

void take_back(const std::vector<Store::Imported>& sweeps, const fs::path& database,
               std::ostream& out) {
  warn_of_network(database);
  print_taken(out, Store(database).recover_sweeps(sweeps), sweeps.size());
}

std::vector<BestRow> winners_in(const fs::path& file) {
  const ResultFile results = read_results(file);
  switch (results.kind) {
    case FileKind::database:
      return store_for_reading(file)->best({});
    case FileKind::winners:
      return import_winners(results.bytes, file.string());
    case FileKind::sweeps:
    case FileKind::other:
      break;
  }
  const std::vector<Store::Imported> sweeps = sweeps_in(results, file);
  const ScratchFolder folder(temporary_folder());
  Store store(folder.path() / "sweeps.db");
  store.import_sweeps(sweeps);
  return store.best({});
}

std::vector<Record> read_records(const std::filesystem::path& file) {
  const std::string name = file.filename().string();
  const ResultFile results = read_results(file);
  if (results.kind == FileKind::database) return records_of(sweeps_of(file, warn), name);
  if (results.kind == FileKind::sweeps) return records_of(import_json(results.bytes, name), name);
  return tilewright::read_records(results.bytes, name);
}

}  // namespace tilewright::tools
