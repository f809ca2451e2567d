#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "definition/json/json.hpp"

namespace tilewright::tools {

// A value of a JSON document and where it is: "KernelSpecification.Arguments[2].Type". Readers
// throw InputError that names the place and what is accepted. The document must outlive it.
class JsonPlace {
 public:
  JsonPlace(const Json& json, std::string path) : json_(&json), path_(std::move(path)) {}

  // A key of an object. `null` counts as absent.
  std::optional<JsonPlace> find(const char* key) const;
  JsonPlace at(const char* key) const;
  std::vector<JsonPlace> elements() const;  // of an array

  std::string text() const;  // not empty, on one line
  std::int64_t integer() const;
  std::string number() const;      // as it is written in a manifest
  std::string expression() const;  // a text, or an integer as one
  bool is_array() const { return json_->is_array(); }

  [[noreturn]] void fail(const std::string& sentence) const;
  // Runs `work`; an InputError that it throws gets the place in front.
  template <class Work>
  auto read(const Work& work) const {
    try {
      return work();
    } catch (const InputError& error) {
      fail(error.what());
    }
  }

 private:
  const Json* json_;
  std::string path_;
};

}  // namespace tilewright::tools
