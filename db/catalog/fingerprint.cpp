#include "db/catalog/fingerprint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "db/exchange/winners.hpp"
#include "db/ladder/known_wrong.hpp"
#include "db/records/border.hpp"
#include "definition/json/codec.hpp"
#include "definition/json/json.hpp"
#include "definition/manifest/manifest.hpp"
#include "definition/source.hpp"
#include "definition/text/hash.hpp"

namespace tilewright {
namespace {

std::string text_of(const KnownWrong& found) {
  return fmt::format("{} {} {} {}", to_text(found), found.epoch, found.source_hash,
                     to_text(found.kind));
}

}  // namespace

std::string hash_of(const Fingerprint& parts) {
  SequenceHash hash;
  for (const FingerprintPart& part : parts) {
    hash.add(part.name);
    hash.add(part.hash);
  }
  return hash.hex();
}

std::string hash_of_manifests(const Library& library) {
  SequenceHash hash;
  const auto add = [&hash](const std::filesystem::path& manifest) {
    const ManifestText text = read_manifest_text(manifest);
    hash.add(text.text);
    if (!text.fitted.empty()) hash.add(text.fitted);
  };
  for (const auto& [name, family] : library.families()) {
    hash.add(name);
    add(family.operation.manifest);
    for (const Implementation& implementation : family.implementations) {
      hash.add(implementation.full_name());
      add(implementation.manifest);
    }
  }
  std::set<std::string> labels;
  for (const Snippet& snippet : library.snippets()) labels.insert(snippet.label());
  for (const std::string& label : labels) hash.add(label);
  return hash.hex();
}

std::string hash_of_sources(const Library& library) {
  SequenceHash hash;
  for (const auto& [name, family] : library.families())
    for (const Implementation& implementation : family.implementations)
      hash.add(read_source(implementation).hash);
  return hash.hex();
}

std::string hash_of_libraries(const Library& library, const PresentDefinitions& present) {
  SequenceHash hash;
  for (const auto& [name, family] : library.families())
    for (const Implementation& implementation : family.implementations)
      if (implementation.is_routine()) hash.add(present.source_hash(implementation.full_name()));
  return hash.hex();
}

std::string hash_of_rows(const std::vector<BestRow>& rows) {
  std::string text = export_winners(rows);
  for (const BestRow& row : rows) text += row.confirmed_sources;
  return hex_hash(text);
}

std::string hash_of_results(const Store& store, const IsPresent& is_present) {
  const std::vector<BestRow> rows = store.best({}, is_present);
  std::set<std::pair<std::string, DeviceKind>> subjects;
  for (const BestRow& row : rows) subjects.emplace(row.problem.operation, row.device.kind);
  SequenceHash hash;
  hash.add(hash_of_rows(rows));
  for (const auto& [operation, kind] : subjects)
    for (const PortableRow& row : store.portable(operation, kind)) {
      hash.add(operation);
      hash.add(json_text(to_json(row)));
    }
  std::vector<std::string> more;  // in an order that no row id decides
  for (const KnownWrong& found : store.known_wrong("")) more.push_back(text_of(found));
  for (const BestRow& row : store.unfinished({}))
    more.push_back(hash_of_rows({row}) + to_text(row.unfinished.value()));
  std::ranges::sort(more);
  for (const std::string& text : more) hash.add(text);
  return hash.hex();
}

std::string hash_of_overrides(const std::vector<Override>& overrides) {
  SequenceHash hash;
  for (const Override& one : overrides) {
    hash.add(one.implementation);
    hash.add(json_text(to_json(one.problem)));
    hash.add(json_text(to_json(one.configuration.values)));
  }
  return hash.hex();
}

}  // namespace tilewright
