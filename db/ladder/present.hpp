#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "db/records/answer_rows.hpp"
#include "definition/library/library.hpp"

namespace tilewright {

// The version of the library that a routine calls ("cublaslt"): "cublasLt 13.1.0"; empty: it is not
// here.
using LibraryVersion = std::function<std::string(const std::string& routine)>;

// Definitions as they are now, with which stored answers are compared. Each source is read when it
// is first needed, and its hash remembered. A routine's version stands for its source. Safe to use
// from many threads after the last add() and know_libraries().
class PresentDefinitions {
 public:
  PresentDefinitions() = default;
  explicit PresentDefinitions(const Library& library);
  explicit PresentDefinitions(const Family& family) { add(family); }
  // The family must outlive this. Of two implementations of one name the first counts.
  void add(const Family& family);

  // Without it nobody knows which libraries are here. Called when a result of a routine is first
  // considered.
  void know_libraries(LibraryVersion version) { library_version_ = std::move(version); }

  // Why a routine cannot answer with a version that its library had: "cublaslt is not here",
  // "cublasLt 12.9.1 is not here but cublasLt 13.1.0". Empty if it can, which needs the same major
  // version.
  std::string why_no_library(const Implementation& implementation,
                             std::string_view version = {}) const;

  // KernelSource::hash of the implementation with this full name. Empty if it is not defined here,
  // or if its source cannot be read.
  const std::string& source_hash(std::string_view implementation) const;

  // Whether the implementation has another source now. What is not known counts as equal.
  bool has_other_source(std::string_view implementation, std::string_view source_hash) const;

  // Whether the row was measured with another source than the present one, and no recheck with the
  // present one confirmed it. What is not known counts as equal.
  bool has_other_source(const BestRow& row) const;

  // Without what was found of other sources.
  std::vector<KnownWrong> of_present_sources(std::vector<KnownWrong> all) const;

  // Whether the row was measured with the present definition: its epoch and its source are equal,
  // and the configuration fits.
  bool defines(const BestRow& row) const;
  // The same as a function, which must not outlive this.
  std::function<bool(const BestRow&)> defining() const {
    return [this](const BestRow& row) { return defines(row); };
  }

 private:
  struct Known {
    const Implementation* implementation = nullptr;
    std::optional<std::string> source_hash = {};  // none: not read yet
  };
  LibraryVersion library_version_;  // empty: nobody knows
  mutable std::mutex mutex_;
  mutable std::map<std::string, Known, std::less<>> known_;  // by full name
};

// "measured with another source of gemm/tiled"
std::string other_source_text(std::string_view implementation);
// The same, and of a routine "measured with cublasLt 13.1.0, and another version is here".
std::string other_source_text(const Implementation& implementation, const BestRow& row);
// What helps: "`tilewright recheck --compile-only` clears it if the code is the same"
std::string_view cure_of_other_source(const Implementation& implementation, const BestRow& row);

}  // namespace tilewright
