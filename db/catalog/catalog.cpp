// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#include "tilewright/catalog.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <mutex>
#include <utility>

#include "db/catalog/definitions.hpp"
#include "db/catalog/ladder.hpp"
#include "db/store.hpp"
#include "tilewright/error.hpp"
#include "tuner/definition/problem.hpp"

namespace tilewright {
namespace {

namespace fs = std::filesystem;

std::int64_t now() {
  const auto since_1970 = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::seconds>(since_1970).count();
}

// Which file a path names at the moment: one that was replaced has another identity.
struct FileIdentity {
  dev_t device = 0;
  ino_t inode = 0;
  bool operator==(const FileIdentity&) const = default;
};

std::optional<FileIdentity> identity_of(const fs::path& file) {
  struct stat facts {};
  if (::stat(file.c_str(), &facts) != 0) return std::nullopt;
  return FileIdentity{facts.st_dev, facts.st_ino};
}

// The database as a look-up sees it: there, or not with a reason. Opens it when it is first
// needed, and again after a failure or when the file was replaced.
class PatientStore {
 public:
  PatientStore(fs::path file, std::chrono::milliseconds patience)
      : file_(std::move(file)), options_{patience} {}

  // What `read` returns, or an empty result with `why` set. Never throws MachineError.
  template <class Read>
  auto try_read(const Read& read, std::string& why) -> decltype(read(std::declval<Store&>())) {
    const std::lock_guard lock(mutex_);
    try {
      if (reopen(why)) return read(*store_);
    } catch (const MachineError& error) {
      why = error.what();
      store_.reset();
    }
    return {};
  }

 private:
  bool reopen(std::string& why) {
    const auto identity = identity_of(file_);
    if (store_ && identity == identity_) return true;
    store_.reset();
    if (file_.empty()) {
      why = "no database is given";
    } else if (!identity) {
      why = fmt::format("there is no database '{}'", file_.string());
    } else {
      store_.emplace(file_, Store::Mode::read_only, options_);
      identity_ = identity;
    }
    return store_.has_value();
  }

  std::mutex mutex_;
  const fs::path file_;
  const StoreOptions options_;
  std::optional<Store> store_;
  std::optional<FileIdentity> identity_;
};

Answer answer_of(const LadderAnswer& found, const Problem& problem) {
  Answer answer;
  answer.implementation = found.implementation->full_name();
  answer.configuration = found.configuration;
  answer.problem = problem;
  answer.rung = found.rung;
  answer.reason = found.reason;
  if (!found.row) return answer;
  if (found.row->trial.timing) answer.median_us = found.row->trial.timing->median_us;
  answer.policy = found.row->policy;
  answer.measured_at = found.row->finished;
  answer.age = std::chrono::seconds(std::max<std::int64_t>(now() - found.row->finished, 0));
  return answer;
}

}  // namespace

std::string to_text(Rung rung) {
  switch (rung) {
    case Rung::exact:
      return "exact";
    case Rung::other_policy:
      return "other policy";
    case Rung::manifest_default:
      return "default";
  }
  return "";
}

class Catalog::State {
 public:
  explicit State(const CatalogOptions& options)
      : definitions_(options.kernels, options.manifests),
        store_(options.database, options.patience) {}

  Answer look_up(const Question& question) {
    Settings values = question.problem;
    const Definitions::Choice chosen = definitions_.choose(question.operation, values);
    const Device device = question.device.value_or(Device{});
    const LadderQuestion asked{chosen.operation, chosen.implementations,
                               make_problem(*chosen.operation, values, device), question.device,
                               question.cache};
    std::string why;
    const auto rows =
        store_.try_read([&](const Store& store) { return rows_for(asked, store); }, why);
    const auto found = climb(asked, rows, why);
    if (!found)
      throw InputError(fmt::format("no default of {} fits {}", question.operation,
                                   to_text(asked.problem.values)));
    return answer_of(*found, asked.problem);
  }

  std::vector<Device> devices(const std::string& operation) {
    Query query;
    query.operation = definitions_.choose(operation).operation->name;
    std::string why;
    std::vector<Device> devices;
    for (const BestRow& row :
         store_.try_read([&](const Store& store) { return store.best(query); }, why))
      if (std::find(devices.begin(), devices.end(), row.device) == devices.end())
        devices.push_back(row.device);
    return devices;
  }

 private:
  const Definitions definitions_;
  PatientStore store_;
};

Catalog::Catalog(CatalogOptions options) : state_(std::make_unique<State>(options)) {}
Catalog::Catalog(Catalog&&) noexcept = default;
Catalog& Catalog::operator=(Catalog&&) noexcept = default;
Catalog::~Catalog() = default;

Answer Catalog::look_up(const Question& question) const {
  return state_->look_up(question);
}

std::vector<Device> Catalog::devices(const std::string& operation) const {
  return state_->devices(operation);
}

}  // namespace tilewright
