#include "db/ladder/present.hpp"

#include <fmt/format.h>

#include "db/ladder/question.hpp"
#include "definition/source.hpp"
#include "tilewright/error.hpp"

namespace tilewright {
namespace {

std::string hash_of_source(const Implementation& implementation,
                           const LibraryVersion& library_version) try {
  if (implementation.is_routine())
    return library_version ? library_version(implementation.routine) : "";
  return read_source(implementation).hash;
} catch (const InputError&) {
  return "";
}

// "cublasLt 13" of "cublasLt 13.1.0"
std::string_view major_of(std::string_view version) {
  return version.substr(0, version.find('.'));
}

}  // namespace

PresentDefinitions::PresentDefinitions(const Library& library) {
  for (const auto& [name, family] : library.families()) add(family);
}

void PresentDefinitions::add(const Family& family) {
  for (const Implementation& one : family.implementations)
    known_.try_emplace(one.full_name(), Known{&one});
}

const std::string& PresentDefinitions::source_hash(std::string_view implementation) const {
  static const auto& unknown = *new const std::string;
  const auto known = known_.find(implementation);
  if (known == known_.end()) return unknown;
  const std::lock_guard lock(mutex_);
  std::optional<std::string>& hash = known->second.source_hash;
  if (!hash) hash = hash_of_source(*known->second.implementation, library_version_);
  return *hash;
}

std::string PresentDefinitions::why_no_library(const Implementation& implementation,
                                               std::string_view version) const {
  if (!implementation.is_routine() || !library_version_) return {};
  const std::string& here = source_hash(implementation.full_name());
  if (here.empty()) return implementation.routine + " is not here";
  if (version.empty() || major_of(version) == major_of(here)) return {};
  return fmt::format("{} is not here but {}", version, here);
}

bool PresentDefinitions::has_other_source(std::string_view implementation,
                                          std::string_view source_hash) const {
  if (source_hash.empty()) return false;
  const std::string& present = this->source_hash(implementation);
  return !present.empty() && source_hash != present;
}

bool PresentDefinitions::has_other_source(const BestRow& row) const {
  return has_other_source(row.implementation, row.source_hash) &&
         row.confirmed_sources.find(source_hash(row.implementation)) == std::string::npos;
}

std::vector<KnownWrong> PresentDefinitions::of_present_sources(std::vector<KnownWrong> all) const {
  std::erase_if(all, [this](const KnownWrong& found) {
    return has_other_source(found.implementation, found.source_hash);
  });
  return all;
}

bool PresentDefinitions::defines(const BestRow& row) const {
  const auto known = known_.find(row.implementation);
  if (known == known_.end()) return false;
  const Implementation& implementation = *known->second.implementation;
  return row.epoch == implementation.epoch && !has_other_source(row) &&
         fits(implementation, row.configuration, row.problem, row.device);
}

std::string other_source_text(std::string_view implementation) {
  return fmt::format("measured with another source of {}", implementation);
}

std::string other_source_text(const Implementation& implementation, const BestRow& row) {
  return implementation.is_routine()
             ? fmt::format("measured with {}, and another version is here", row.source_hash)
             : other_source_text(row.implementation);
}

std::string_view cure_of_other_source(const Implementation& implementation, const BestRow& row) {
  if (implementation.is_routine()) return "`tilewright recheck` measures again";
  return row.shipped || row.policy.submission == kTimedByAuthor
             ? "a sweep measures the present one"
             : "`tilewright recheck --compile-only` clears it if the code is the same";
}

}  // namespace tilewright
