#include <algorithm>
#include <charconv>
#include <functional>
#include <map>
#include <sstream>

#include "definition/text/suggest.hpp"
#include "tilewright/error.hpp"
#include "tuner/search/model.hpp"

namespace tilewright {
namespace {

std::size_t whole(double number) {
  return static_cast<std::size_t>(std::max(0.0, number));
}

SimilarityOptions& similarity(ModelOptions& options) {
  return options.surrogate.similarity;
}

using Setter = std::function<void(ModelOptions&, double)>;

const std::map<std::string, Setter>& setters() {
  static const std::map<std::string, Setter> known = {
      {"starts", [](ModelOptions& options, double to) { options.starts = whole(to); }},
      {"pool", [](ModelOptions& options, double to) { options.pool = whole(to); }},
      {"kept", [](ModelOptions& options, double to) { options.kept = whole(to); }},
      {"centres", [](ModelOptions& options, double to) { options.centres = whole(to); }},
      {"examples",
       [](ModelOptions& options, double to) { options.surrogate.examples = whole(to); }},
      {"lessons", [](ModelOptions& options, double to) { options.surrogate.lessons = whole(to); }},
      {"growth", [](ModelOptions& options, double to) { options.growth = to; }},
      {"steps",
       [](ModelOptions& options, double to) { similarity(options).steps = static_cast<int>(to); }},
      {"spread", [](ModelOptions& options, double to) { similarity(options).spread = to; }},
      {"level", [](ModelOptions& options, double to) { similarity(options).level = to; }},
      {"place", [](ModelOptions& options, double to) { similarity(options).place = to; }},
      {"noise", [](ModelOptions& options, double to) { similarity(options).noise = to; }},
      {"trees",
       [](ModelOptions& options, double to) { options.surrogate.risk.trees = whole(to); }}};
  return known;
}

void set(ModelOptions& options, const std::string& item) {
  const std::size_t equals = item.find('=');
  const std::string name = item.substr(0, equals);
  const auto setter = setters().find(name);
  if (setter == setters().end()) {
    std::vector<std::string> names;
    for (const auto& [known, set] : setters()) names.push_back(known);
    throw InputError("unknown setting '" + name + "' of strategy model" + suggestion(name, names));
  }
  const std::string text = equals == std::string::npos ? "" : item.substr(equals + 1);
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto [last, error] = std::from_chars(text.data(), end, number);
  if (text.empty() || error != std::errc{} || last != end)
    throw InputError("'" + item + "' of strategy model: give " + name + "=NUMBER");
  setter->second(options, number);
}

}  // namespace

ModelOptions model_options(const std::string& text) {
  ModelOptions options;
  std::istringstream items(text);
  for (std::string item; std::getline(items, item, ':');) set(options, item);
  return options;
}

}  // namespace tilewright
