#include "db/header/operation_code.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <tuple>

#include "db/catalog/shipped.hpp"
#include "db/header/cpp_code.hpp"
#include "db/ladder/distance.hpp"
#include "db/ladder/ladder.hpp"
#include "definition/text/escape.hpp"

namespace tilewright {
namespace {

std::string real(double value) {
  return std::isfinite(value) ? fmt::format("{}", value) : "0";
}

const char* truth(bool value) {
  return value ? "true" : "false";
}

bool is_same_subject(const BestRow& one, const BestRow& other) {
  return one.shipped == other.shipped && one.problem == other.problem &&
         one.device == other.device && one.policy == other.policy;
}

// What may be asked for, in the order of the header's Cache.
constexpr std::array<std::optional<CachePolicy>, 4> kSides = {
    std::nullopt, CachePolicy::warm, CachePolicy::cold, CachePolicy::robust};

// Adds a line with the texts of the items, if there are any.
template <class Items, class ToText>
void add_line(std::vector<std::string>& lines, const Items& items, const ToText& to_text) {
  std::string line;
  for (const auto& item : items) line += (line.empty() ? "" : ", ") + to_text(item);
  if (!line.empty()) lines.push_back(std::move(line));
}

bool has_labels(const Parameter& parameter) {
  return std::holds_alternative<std::string>(parameter.default_value);
}

// The last member of the class.
constexpr const char* kMayAnswer =
    R"(  // Whether it fits and is not known to be wrong: for this problem, or where nobody measured
  // anything like it, for any. No configuration (-1) stands for all of the implementation.
  static constexpr bool may_answer(Rung rung, int implementation, const long long* p, const long long* q,
                                   const Device& d) {
    for (int i = 0; i < wrong_count; ++i) {
      const Wrong& one = wrongs[i];
      if (one.implementation != implementation || one.is_host != d.is_host) continue;
      bool is_same = one.problem >= 0;
      for (int k = 0; is_same && k < value_count; ++k)
        is_same = wrong_values[one.problem * value_count + k] == q[k];
      bool is_it = is_same || (rung >= Rung::portable && one.configuration >= 0);
      for (int k = 0; is_it && one.configuration >= 0 && k < implementations[implementation].count; ++k)
        is_it = configurations[one.configuration + k] == p[k];
      if (is_it) return false;
    }
    return fits(implementation, p, q, d);
  }
)";

class OperationTables {
 public:
  OperationTables(const HeaderPart& part, const std::vector<Device>& devices, OperationCode& code)
      : part_(part),
        devices_(devices),
        code_(code),
        known_wrong_(part.known_wrong),
        sorted_(part.rows) {
    std::erase_if(sorted_, std::mem_fn(&BestRow::superseded));  // a header knows no power limit
    std::stable_sort(sorted_.begin(), sorted_.end(), [](const BestRow& one, const BestRow& other) {
      if (one.shipped != other.shipped) return other.shipped;
      return is_stored_before(one, other);
    });
    const Operation& operation = code_.operation();
    for (std::size_t place = 0; place < operation.dimensions.size(); ++place) {
      const ProblemRole role = operation.dimensions[place].role;
      if (role == ProblemRole::distance) distances_.push_back(std::to_string(place));
      if (role == ProblemRole::same) ++class_count_;
    }
    for (const Choice& choice : operation.choices)
      if (choice.role == ProblemRole::same) ++class_count_;
    class_count_ += operation.classes.size();
    add_implementations();
    add_rows();
    add_exact();
    add_portable();
    add_wrong();
  }

  std::string text() {
    const Operation& operation = code_.operation();
    std::vector<std::string> labels;
    for (const std::string& label : code_.labels().labels()) labels.push_back(cpp_literal(label));
    const auto count = [](const char* name, std::size_t value) {
      return fmt::format("  static constexpr int {} = {};\n", name, value);
    };
    return count("value_count",
                 operation.dimensions.size() + operation.choices.size() + operation.hooks.size()) +
           count("distance_count", distances_.size()) + count("class_count", class_count_) +
           count("implementation_count", implementations_.size()) +
           count("subject_count", subjects_.size()) + count("exact_count", exacts_.size()) +
           count("portable_count", portables_.size()) +
           static_array("std::string_view", "labels", labels) +
           static_array("Parameter", "parameters", parameters_) +
           static_array("Implementation", "implementations", implementations_) +
           static_array("long long", "configurations", configurations_) +
           static_array("General", "general", general_) +
           static_array("bool", "is_bound", is_bound_) +
           static_array("Portable", "portables", portables_) + static_array("Row", "rows", rows_) +
           static_array("int", "distances", distances_) +
           static_array("Subject", "subjects", subjects_) +
           static_array("double", "subject_logarithms", subject_logarithms_) +
           static_array("long long", "subject_classes", subject_classes_) +
           static_array("Exact", "exacts", exacts_) +
           static_array("long long", "exact_values", exact_values_) +
           "  struct Wrong {\n    int implementation, configuration, problem;\n    bool is_host;\n"
           "  };\n" +
           count("wrong_count", wrongs_.size()) + static_array("Wrong", "wrongs", wrongs_) +
           static_array("long long", "wrong_values", wrong_values_) + kMayAnswer;
  }

 private:
  std::size_t index_of(const Device& device) const {
    return static_cast<std::size_t>(std::find(devices_.begin(), devices_.end(), device) -
                                    devices_.begin());
  }

  // Nothing if no present definition has this configuration.
  std::optional<std::size_t> implementation_of(const std::string& name, std::int64_t epoch,
                                               const Configuration& configuration) const {
    const auto& known = part_.family.implementations;
    const auto found = std::ranges::find_if(known, [&](const Implementation& one) {
      return one.full_name() == name && one.epoch == epoch;
    });
    if (found == known.end() || !has_its_parameters(*found, configuration)) return std::nullopt;
    return static_cast<std::size_t>(found - known.begin());
  }

  std::string value_text(const Value& value) {
    return number_literal(code_.labels().number_for(value));
  }

  std::size_t configuration_at(std::size_t implementation, const Configuration& configuration) {
    const std::string key =
        fmt::format("{} {}", implementation, canonical_json(configuration.values));
    const auto [known, is_new] = known_configurations_.emplace(key, configuration_length_);
    if (!is_new) return known->second;
    const auto& parameters = part_.family.implementations[implementation].parameters;
    configuration_length_ += parameters.size();
    add_line(configurations_, parameters, [&](const Parameter& parameter) {
      return value_text(*find_value(configuration, parameter));
    });
    return known->second;
  }

  void add_implementations() {
    std::size_t first = 0;
    for (std::size_t i = 0; i < part_.family.implementations.size(); ++i) {
      const Implementation& one = part_.family.implementations[i];
      for (const Parameter& parameter : one.parameters)
        parameters_.push_back(
            fmt::format("{{{}, {}}}", cpp_literal(parameter.name), truth(has_labels(parameter))));
      implementations_.push_back(fmt::format("{{{}, &parameters[{}], {}}}",
                                             cpp_literal(one.full_name()), first,
                                             one.parameters.size()));
      is_bound_.emplace_back(truth(!one.requires_architecture.empty()));
      first += one.parameters.size();
      for (const Configuration& configuration : general_configurations(one))
        general_.push_back(fmt::format("{{{}, {}}}", i, configuration_at(i, configuration)));
    }
  }

  void add_subject(const BestRow& row) {
    const auto place = Place::of(code_.operation(), row.problem, row.device);
    if (!place) return;
    std::size_t rows = 0;
    std::size_t first = rows_.size();
    for (const auto& [sorted, written] : written_)
      if (is_same_subject(sorted_[sorted], row)) {
        first = std::min(first, written);
        ++rows;
      }
    subjects_.push_back(
        fmt::format("{{{}, {}, {}, {}}}", index_of(row.device), truth(row.shipped), first, rows));
    add_line(subject_logarithms_, place->logarithms(), real);
    add_line(subject_classes_, place->classes(), [&](const Value& one) { return value_text(one); });
  }

  void add_row(const BestRow& row, std::size_t implementation) {
    rows_.push_back(fmt::format("{{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}}}",
                                implementation, configuration_at(implementation, row.configuration),
                                "Cache::" + to_text(row.policy.cache), truth(row.shipped),
                                truth(row.imported), truth(is_doubtful(row)),
                                real(median_of(row.trial)),
                                real(row.trial.warm_timing ? row.trial.warm_timing->median_us : 0),
                                real(mean_time_us(row.trial)), real(row.default_median_us),
                                real(row.runner_up_median_us), number_literal(row.finished)));
  }

  bool is_known_wrong(std::size_t implementation, const BestRow& row) const {
    return known_wrong_.find(part_.family.implementations[implementation], row.configuration,
                             row.problem, row.device, Rung::exact) != nullptr;
  }

  // Leaves out rows that fit no present definition, or were later found to be wrong. Their problems
  // still count as measured, as in a store.
  void add_rows() {
    for (std::size_t i = 0; i < sorted_.size(); ++i) {
      const BestRow& row = sorted_[i];
      const auto implementation =
          implementation_of(row.implementation, row.epoch, row.configuration);
      if (!implementation || is_known_wrong(*implementation, row)) continue;
      written_[i] = rows_.size();
      add_row(row, *implementation);
    }
    for (std::size_t i = 0; i < sorted_.size(); ++i)
      if (i == 0 || !is_same_subject(sorted_[i - 1], sorted_[i])) add_subject(sorted_[i]);
  }

  // The row that answers for the problem and device of these rows; nothing if none does.
  struct Side {
    std::size_t row = 0;
    bool is_other_policy = false;
  };
  std::optional<Side> side(const std::vector<BestRow>& rows,
                           std::optional<CachePolicy> cache) const {
    const BestRow& first = rows.front();
    const Family* family = code_.family_for(first.problem);
    if (family == nullptr) return std::nullopt;
    LadderQuestion question{&family->operation, {}, first.problem, first.device, cache};
    for (const Implementation& one : family->implementations)
      question.implementations.push_back(&one);
    const auto answer = climb(question, rows);
    if (!answer || !answer->row || answer->rung > Rung::other_policy) return std::nullopt;
    return Side{static_cast<std::size_t>(answer->row->trial_id),
                answer->rung == Rung::other_policy};
  }

  // The ladder itself decides here which row answers.
  void add_exact() {
    std::map<std::vector<std::int64_t>, std::vector<BestRow>> groups;  // device, values
    for (const auto& [sorted, written] : written_) {
      BestRow row = sorted_[sorted];
      row.trial_id = static_cast<std::int64_t>(written);
      std::vector<std::int64_t> key = code_.values_of(row.problem);
      if (key.empty()) continue;
      key.insert(key.begin(), static_cast<std::int64_t>(index_of(row.device)));
      groups[key].push_back(std::move(row));
    }
    for (const auto& [key, rows] : groups) {
      std::vector<std::size_t> answers;
      std::vector<const char*> others;
      for (const auto& cache : kSides)
        if (const auto answer = side(rows, cache)) {
          answers.push_back(answer->row);
          others.push_back(truth(answer->is_other_policy));
        }
      if (answers.size() < kSides.size()) continue;
      exacts_.push_back(fmt::format("{{{}, {{{}}}, {{{}}}}}", key.front(), fmt::join(answers, ", "),
                                    fmt::join(others, ", ")));
      add_line(exact_values_, std::span(key).subspan(1), number_literal);
    }
  }

  // In the order of the store: by device, the best first.
  void add_portable() {
    std::vector<PortableRow> sorted = part_.portable;
    std::ranges::sort(sorted, {}, [this](const PortableRow& row) {
      return std::tuple(index_of(row.device), row.mean_ratio, row.implementation,
                        canonical_json(row.configuration.values));
    });
    for (const PortableRow& row : sorted)
      if (const auto implementation =
              implementation_of(row.implementation, row.epoch, row.configuration))
        portables_.push_back(fmt::format("{{{}, {}, {}, {}, {}}}", index_of(row.device),
                                         *implementation,
                                         configuration_at(*implementation, row.configuration),
                                         real(row.mean_ratio), number_literal(row.shared_bytes)));
  }

  void add_wrong() {
    for (const KnownWrong& found : that_might_answer(known_wrong_, part_.family.implementations,
                                                     part_.rows, part_.portable)) {
      const auto implementation = std::ranges::find(
          part_.family.implementations, found.implementation, &Implementation::full_name);
      const auto index =
          static_cast<std::size_t>(implementation - part_.family.implementations.begin());
      std::string configuration = "-1";
      if (found.configuration) {
        if (!has_its_parameters(*implementation, *found.configuration)) continue;
        configuration = std::to_string(configuration_at(index, *found.configuration));
      }
      const std::vector<std::int64_t> values = code_.values_of(found.problem);
      wrongs_.push_back(fmt::format("{{{}, {}, {}, {}}}", index, configuration,
                                    values.empty() ? "-1" : std::to_string(wrong_values_.size()),
                                    truth(runs_on_cpu(found.kind))));
      add_line(wrong_values_, values, number_literal);
    }
  }

  const HeaderPart& part_;
  const std::vector<Device>& devices_;
  OperationCode& code_;
  const KnownWrongs known_wrong_;
  std::vector<BestRow> sorted_;
  std::map<std::size_t, std::size_t> written_;  // index in sorted_ → in rows_

  std::vector<std::string> parameters_, implementations_, configurations_, general_, rows_,
      subjects_, subject_logarithms_, subject_classes_, exacts_, exact_values_, distances_,
      portables_, is_bound_, wrongs_, wrong_values_;
  std::map<std::string, std::size_t> known_configurations_;
  std::size_t configuration_length_ = 0;
  std::size_t class_count_ = 0;
};

}  // namespace

std::string tables_text(const HeaderPart& part, const std::vector<Device>& devices,
                        OperationCode& code) {
  return OperationTables(part, devices, code).text();
}

}  // namespace tilewright
