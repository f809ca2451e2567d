#include "db/catalog/stored_rows.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <iterator>

#include "db/ladder/present.hpp"
#include "tilewright/error.hpp"

namespace tilewright {
namespace {

// Measured problems (by device and policy) whose rows are kept, of an operation on devices of a
// kind.
constexpr std::size_t kMostRemembered = 1024;

IsPresent is_present(const LadderQuestion& question) {
  return question.present == nullptr ? IsPresent() : question.present->defining();
}

bool is_same_file(const FileState& one, const FileState& other) {
  return one.device == other.device && one.inode == other.inode;
}

}  // namespace

std::optional<FileState> state_of(const std::filesystem::path& file) {
  struct stat facts {};
  if (::stat(file.c_str(), &facts) != 0) return std::nullopt;
  return FileState{facts.st_dev, facts.st_ino, facts.st_size,
                   std::int64_t{facts.st_mtim.tv_sec} * 1'000'000'000 + facts.st_mtim.tv_nsec};
}

StoredRows::StoredRows(std::filesystem::path database, std::chrono::milliseconds patience,
                       std::vector<std::filesystem::path> shipped)
    : file_(std::move(database)),
      patience_(patience),
      why_none_("no database is given"),
      shipped_(std::move(shipped)) {}

StoredRows::StoredRows(const Store* store, std::string why_none,
                       std::vector<std::filesystem::path> shipped)
    : given_(store), why_none_(std::move(why_none)), shipped_(std::move(shipped)) {}

template <class Row, class Read>
RowsRead<Row> StoredRows::try_read(const Read& read) {
  const std::lock_guard lock(mutex_);
  const auto ask = [&read](const Store& store) {
    store.renew_allowance();
    return RowsRead<Row>{read(store)};
  };
  if (given_ != nullptr) return ask(*given_);
  try {
    std::string why = why_not_open();
    if (!why.empty() || !store_) return {{}, std::move(why)};
    return ask(*store_);
  } catch (const MachineError& error) {
    store_.reset();
    return {{}, error.what()};
  }
}

std::string StoredRows::why_not_open() {
  const auto state = state_of(file_);
  if (store_ && !store_->is_copy() && state && is_same_file(*state, *opened_)) return {};
  store_.reset();
  known_.clear();
  known_wrong_.clear();
  if (file_.empty()) return why_none_;
  if (!state) return fmt::format("there is no database '{}'", file_.string());
  store_.emplace(file_, Store::Mode::read_only, patience_);
  opened_ = state;
  return {};
}

void StoredRows::forget_if_changed(const Store& store) {
  const std::int64_t version = store.version();
  if (version == version_) return;
  known_.clear();
  known_wrong_.clear();
  version_ = version;
}

StoredRows::Known& StoredRows::known(const Store& store, const Operation& operation,
                                     DeviceKind kind) {
  forget_if_changed(store);
  const auto key = std::pair(operation.name, kind);
  const auto place = known_.find(key);
  if (place != known_.end()) return place->second;
  return known_.emplace(key, Known{{operation, store.subjects(operation.name, kind)}})
      .first->second;
}

RowsRead<BestRow> StoredRows::exact(const LadderQuestion& question) {
  return try_read<BestRow>([&](const Store& store) {
    if (!question.device) return std::vector<BestRow>{};
    return store.best({question.operation->name, {}, question.problem, *question.device, {}},
                      is_present(question));
  });
}

std::shared_ptr<const KnownWrongs> StoredRows::known_wrong(const LadderQuestion& question) {
  const auto read = try_read<std::shared_ptr<const KnownWrongs>>([&](const Store& store) {
    forget_if_changed(store);
    const std::string& name = question.operation->name;
    if (const auto known = known_wrong_.find(name); known != known_wrong_.end())
      return std::vector{known->second};
    auto all = store.known_wrong(name);
    if (question.present != nullptr) all = question.present->of_present_sources(std::move(all));
    const auto found = all.empty() ? nullptr : std::make_shared<const KnownWrongs>(std::move(all));
    return std::vector{known_wrong_.emplace(name, found).first->second};
  });
  return read.rows.empty() ? nullptr : read.rows.front();
}

RowsRead<BestRow> StoredRows::unfinished(const LadderQuestion& question) {
  return try_read<BestRow>([&](const Store& store) {
    return store.unfinished({question.operation->name, {}, question.problem, *question.device, {}});
  });
}

RowsRead<const BestRow*> StoredRows::shipped(const LadderQuestion& question) {
  return shipped_.rows(question);
}

const StoredRows::SharedRows& StoredRows::Known::rows_of(const Store& store,
                                                         const SubjectList::Row& subject,
                                                         const LadderQuestion& question) {
  const std::array key{subject.problem_id, subject.device_id, subject.policy_id};
  if (const auto place = rows.find(key); place != rows.end()) return place->second;
  if (rows.size() >= kMostRemembered) rows.clear();
  SharedRows read;
  for (BestRow& row : store.best_of({subject}, is_present(question)))
    read.push_back(std::make_shared<const BestRow>(std::move(row)));
  return rows.emplace(key, std::move(read)).first->second;
}

RowsRead<std::shared_ptr<const BestRow>> StoredRows::near(const LadderQuestion& question) {
  return try_read<std::shared_ptr<const BestRow>>([&](const Store& store) {
    Known& here = known(store, *question.operation, question.device->kind);
    SharedRows found;
    for (const SubjectList::Row& subject :
         here.subjects.near(*question.operation, question.problem, *question.device))
      std::ranges::copy(here.rows_of(store, subject, question), std::back_inserter(found));
    return found;
  });
}

RowsRead<PortableRow> StoredRows::portable(const LadderQuestion& question) {
  return try_read<PortableRow>([&](const Store& store) {
    Known& here = known(store, *question.operation, question.device->kind);
    if (!here.portable)
      here.portable = store.portable(question.operation->name, question.device->kind);
    return *here.portable;
  });
}

std::vector<BestRow> StoredRows::all_stored(const std::string& operation) {
  return try_read<BestRow>([&](const Store& store) {
           std::vector<BestRow> rows = store.best({.operation = operation});
           std::ranges::move(store.unfinished({.operation = operation}), std::back_inserter(rows));
           return rows;
         })
      .rows;
}

}  // namespace tilewright
