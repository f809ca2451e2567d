// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#include "tools/work/recorded_sweeps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "db/exchange/exchange.hpp"
#include "db/store/store.hpp"
#include "definition/text/text_file.hpp"
#include "tilewright/error.hpp"
#include "tools/work/sweep_files.hpp"
#include "tuner/replay/gunzip.hpp"

namespace tilewright::tools {
namespace {

// What the search would have met: screening, without what static limits took out before it.
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

}  // namespace

std::vector<Record> read_records(const std::filesystem::path& file) {
  const std::string name = file.filename().string();
  const std::string bytes = read_text_file(file);
  if (kind_of(bytes) == FileKind::database) return records_of(sweeps_in(file), name);
  const Unpacked unpacked = gunzip(bytes);
  if (kind_of(unpacked.text) == FileKind::sweeps)
    return records_of(import_json(unpacked.text, name), name);
  return {read_record(bytes, name)};
}

}  // namespace tilewright::tools
