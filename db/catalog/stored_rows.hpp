#pragma once

#include <array>
#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "db/catalog/neighbours.hpp"
#include "db/catalog/shipped.hpp"
#include "db/ladder/ladder.hpp"
#include "db/store/store.hpp"

namespace tilewright {

// The state of a file according to its metadata.
struct FileState {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::int64_t size = 0;
  std::int64_t changed_ns = 0;  // since 1970
  bool operator==(const FileState&) const = default;
};
std::optional<FileState> state_of(const std::filesystem::path& file);

// The rows of a database and of the shipped results. Remembers what is near or portable until
// another connection changes the database. All questions have the same `present`. Safe to use from
// many threads.
class StoredRows final : public RowSource {
 public:
  // Opens the database when it is first needed, and again after a failure or if the file was
  // replaced. If it cannot be read, RowsRead::why_not says so; MachineError is never thrown.
  StoredRows(std::filesystem::path database, std::chrono::milliseconds patience,
             std::vector<std::filesystem::path> shipped);
  // Reads an open store, which must outlive this, and passes MachineErrors on. Null: there is no
  // store, and `why_none` is the reason.
  StoredRows(const Store* store, std::string why_none, std::vector<std::filesystem::path> shipped);

  const std::filesystem::path& file() const { return file_; }
  ShippedResults& shipped_results() { return shipped_; }

  RowsRead<BestRow> exact(const LadderQuestion& question) override;
  std::shared_ptr<const KnownWrongs> known_wrong(const LadderQuestion& question) override;
  RowsRead<const BestRow*> shipped(const LadderQuestion& question) override;
  RowsRead<BestRow> unfinished(const LadderQuestion& question) override;
  RowsRead<std::shared_ptr<const BestRow>> near(const LadderQuestion& question) override;
  RowsRead<PortableRow> portable(const LadderQuestion& question) override;

  // All rows of the database for an operation, those of unfinished sweeps last; empty if it cannot
  // be read.
  std::vector<BestRow> all_stored(const std::string& operation);

 private:
  using SharedRows = std::vector<std::shared_ptr<const BestRow>>;
  // What was read of the results of an operation on devices of a kind.
  struct Known {
    NearbySubjects subjects;
    std::map<std::array<std::int64_t, 3>, SharedRows> rows = {};  // problem, device, policy
    std::optional<std::vector<PortableRow>> portable = {};

    const SharedRows& rows_of(const Store& store, const SubjectList::Row& subject,
                              const LadderQuestion& question);
  };

  template <class Row, class Read>
  RowsRead<Row> try_read(const Read& read);
  // Why there is no open store; empty if there is one.
  std::string why_not_open();
  void forget_if_changed(const Store& store);
  Known& known(const Store& store, const Operation& operation, DeviceKind kind);

  std::mutex mutex_;
  const std::filesystem::path file_;
  const std::chrono::milliseconds patience_{};
  const Store* const given_ = nullptr;
  const std::string why_none_;
  std::optional<Store> store_;
  std::optional<FileState> opened_;
  std::int64_t version_ = 0;  // of the store when the following was read
  std::map<std::pair<std::string, DeviceKind>, Known> known_;              // operation, kind
  std::map<std::string, std::shared_ptr<const KnownWrongs>> known_wrong_;  // null: nothing
  ShippedResults shipped_;
};

}  // namespace tilewright
