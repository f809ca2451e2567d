#include "db/catalog/state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "db/catalog/size_memo.hpp"
#include "db/records/answer_rows.hpp"
#include "db/records/device_name.hpp"
#include "db/records/staleness.hpp"
#include "definition/problem.hpp"
#include "definition/text/errors.hpp"
#include "definition/text/suggest.hpp"
#include "tilewright/catalog.hpp"
#include "tilewright/version.hpp"

namespace tilewright {

namespace {

// A later change within the same tick of the file system's clock would go unnoticed.
bool is_settled(const FileState& state) {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const auto age =
      std::chrono::duration_cast<std::chrono::nanoseconds>(now).count() - state.changed_ns;
  return age > 100'000'000;
}

std::chrono::seconds age_of(const Answer& answer) {
  if (answer.measured_at == 0) return std::chrono::seconds{0};
  return std::chrono::seconds(std::max<std::int64_t>(seconds_since_1970() - answer.measured_at, 0));
}

// Replaces an answer that is too weak by Rung::none.
void hold_against(Require require, Answer& answer) {
  if (accepts(require, answer.rung)) return;
  Answer miss;
  miss.problem = std::move(answer.problem);
  miss.rung = Rung::none;
  miss.reason = std::move(answer.reason);
  miss.passed_over = std::move(answer.passed_over);
  if (miss.reason.empty())
    miss.reason = fmt::format("there is only the result of rung '{}'", to_text(answer.rung));
  answer = std::move(miss);
}

void add_devices(const std::vector<BestRow>& rows, std::vector<Device>& devices) {
  for (const BestRow& row : rows) add_device(devices, row.device);
}

}  // namespace

Catalog::State::State(CatalogOptions options, LibraryVersion version)
    : definitions_(Library::load(options.kernels, options.manifests, options.libraries)),
      present_(definitions_),
      overrides_(std::move(options.overrides)),
      patience_(options.patience),
      rows_(std::move(options.database), options.patience, std::move(options.shipped)) {
  if (version) present_.know_libraries(std::move(version));
}

bool Catalog::State::QuestionOrder::operator()(const Question& one, const Question& other) const {
  const auto order = [](const Question& asked) {
    static const auto& kNone = *new const Environment;
    const Environment& software = asked.environment ? *asked.environment : kNone;
    return std::tuple_cat(
        std::tie(asked.operation, asked.problem, asked.device, asked.cache, asked.require,
                 software.driver, software.runtime, software.compiler, software.power_limit_w),
        std::tuple(asked.environment.has_value()));
  };
  return order(one) < order(other);
}

Answer Catalog::State::look_up(const Question& question) {
  Answer answer = remembered_or_found(question);
  answer.age = age_of(answer);
  return answer;
}

Catalog::State::Climbed Catalog::State::climb_for(const Question& question, Limits limits) {
  std::string known_wrong;
  if (auto climbed = climb_within(question, std::move(limits), known_wrong))
    return *std::move(climbed);
  if (!known_wrong.empty()) throw NothingFound(known_wrong);
  throw InputError(why_no_default(question));
}

Answer Catalog::State::answer_for(const Question& question, const Climbed& climbed) {
  Answer answer = answer_of(climbed.answer, climbed.problem);
  if (climbed.answer.row && question.environment) {
    Environment present = *question.environment;
    if (climbed.answer.row->device != question.device) present.power_limit_w.reset();
    add_stale(answer, why_stale(*climbed.answer.row, present));
  }
  answer.age = age_of(answer);
  hold_against(question.require, answer);
  return answer;
}

Answer Catalog::State::remembered_or_found(const Question& question) {
  const auto state = rows_.file().empty() ? FileState{} : state_of(rows_.file());
  {
    const std::lock_guard lock(memo_mutex_);
    if (state != memo_state_) memo_.clear();
    memo_state_ = state;
    if (const auto known = memo_.find(question); known != memo_.end()) {
      if (known->second.asked) known->second.asked->note();
      return known->second.answer;
    }
  }
  try {
    const Climbed climbed = climb_for(question);
    Answer answer = answer_for(question, climbed);
    if (climbed.is_lasting && state && is_settled(*state)) {
      const std::lock_guard lock(memo_mutex_);
      if (state == memo_state_) memo_.emplace(question, Remembered{answer, climbed.asked});
    }
    return answer;
  } catch (const NothingFound& miss) {
    return miss_for(question, miss.what());
  }
}

AskedProblem Catalog::State::asked(const Question& question) const {
  return asked_problem(definitions_, question.operation, question.problem,
                       question.device.value_or(Device{}));
}

Answer Catalog::State::miss_for(const Question& question, const std::string& why) const {
  Answer miss;
  miss.problem = asked(question).problem;
  miss.rung = Rung::none;
  miss.reason = why;
  return miss;
}

std::string Catalog::State::why_no_default(const Question& question) const {
  const auto [chosen, problem] = asked(question);
  if (question.device && chosen.implementations.size() == 1)
    if (auto why = why_not_on(*chosen.implementations.front(), *question.device); !why.empty())
      return why;
  const std::string text = problem_text(*chosen.operation, problem);
  return fmt::format("no default of {} fits {}", question.operation,
                     text.empty() ? "its default problem" : text);
}

std::shared_ptr<const KnownWrongs> Catalog::State::known_wrong(const Operation& operation) {
  LadderQuestion question;
  question.operation = &operation;
  question.present = &present_;
  return rows_.known_wrong(question);
}

std::optional<Catalog::State::Climbed> Catalog::State::climb_within(const Question& question,
                                                                    Limits limits,
                                                                    std::string& known_wrong) {
  auto [chosen, problem] = this->asked(question);
  LadderQuestion asked{chosen.operation, chosen.implementations, std::move(problem),
                       question.device,  question.cache,         overrides_};
  asked.excluded = std::move(limits.excluded);
  asked.can_serve = std::move(limits.can_serve);
  asked.is_ready = std::move(limits.is_ready);
  asked.require = question.require;
  asked.present = &present_;
  if (question.environment) asked.power_limit_w = question.environment->power_limit_w;
  LadderResult result = climb(asked, rows_);
  known_wrong = std::move(result.known_wrong);
  if (!result.answer) return std::nullopt;
  LadderAnswer& answer = *result.answer;
  if (!answer.reason.empty() && !result.why_not_shipped.empty())
    answer.reason += "; " + result.why_not_shipped;
  const bool has_database = !rows_.file().empty();
  std::shared_ptr<Asked> noted;
  if (has_database && asked.excluded.empty()) noted = note_wanted(asked, answer.rung);
  return Climbed{std::move(answer), std::move(asked.problem), std::move(chosen),
                 result.why_not_read.empty() || !has_database, std::move(noted)};
}

std::shared_ptr<Catalog::State::Asked> Catalog::State::note_wanted(const LadderQuestion& question,
                                                                   Rung rung) {
  if (!question.device || rung <= Rung::exact) return nullptr;
  const std::lock_guard lock(wanted_mutex_);
  Noted& noted =
      wanted_[{question.problem,
               *question.device,
               {cache_of(question), runs_on_cpu(question.device->kind) ? "call" : "graph"}}];
  noted.rung = rung;
  noted.asked->note();
  return noted.asked;
}

std::size_t Catalog::State::store_wanted(const std::filesystem::path& file, std::string& why) {
  const std::lock_guard lock(wanted_mutex_);
  std::vector<Wanted> wanted;
  for (const auto& [subject, noted] : wanted_)
    if (const std::int64_t hits = noted.asked->hits; hits > 0)
      wanted.push_back({subject, hits, static_cast<std::int64_t>(noted.rung), noted.asked->last});
  if (wanted.empty()) return 0;
  try {
    const std::filesystem::path& place = file.empty() ? rows_.file() : file;
    Store(place, Store::Mode::read_write, patience_).add_wanted(wanted);
  } catch (const MachineError& error) {
    why = error.what();
    return 0;
  }
  for (const Wanted& stored : wanted)  // others may have asked meanwhile
    wanted_.at(stored.subject).asked->hits -= stored.hits;
  return wanted.size();
}

Fingerprint Catalog::State::fingerprint() {
  ShippedResults& shipped = rows_.shipped_results();
  shipped.require_readable();
  std::vector<BestRow> rows;
  for (const auto& [operation, family] : definitions_.families())
    std::ranges::move(shipped.rows_of(operation), std::back_inserter(rows));
  Fingerprint parts = {{"tilewright", kVersion},
                       {"definitions", hash_of_manifests(definitions_)},
                       {"sources", hash_of_sources(definitions_)},
                       {"libraries", hash_of_libraries(definitions_, present_)},
                       {"overrides", hash_of_overrides(overrides_)},
                       {"shipped results", hash_of_rows(rows)}};
  if (!rows_.file().empty())
    parts.push_back(
        {"database", hash_of_results(Store(rows_.file(), Store::Mode::read_only, patience_),
                                     present_.defining())});
  return parts;
}

std::vector<Device> Catalog::State::devices(const std::string& operation) {
  const std::string name = choose_operation(definitions_, operation).operation->name;
  std::vector<Device> devices;
  add_devices(rows_.all_stored(name), devices);
  add_devices(rows_.shipped_results().rows_of(name), devices);
  return devices;
}

Device Catalog::State::device(const std::string& operation, const std::string& name) {
  const std::string known = choose_operation(definitions_, operation).operation->name;
  std::vector<Device> devices;
  for (const auto& rows : {rows_.all_stored(known), rows_.shipped_results().rows_of(known)}) {
    add_devices(rows, devices);
    const std::vector<Device> found = named_devices(devices, name);
    if (found.size() == 1) return found.front();
    if (found.size() > 1)
      throw bad_input(
          "device '{}' may be any of {}, which all have results of {}: give a whole name, or a "
          "part that is in no other",
          name, names_of(found), known);
  }
  // Results of another operation describe it; the answers are then those of a near device.
  if (const auto found = named_devices(rows_.shipped_results().devices(), name); found.size() == 1)
    return found.front();
  throw bad_input("device '{}': {}", name,
                  devices.empty()
                      ? fmt::format("no device has results of {}", known)
                      : fmt::format("give one with results of {}, or a part of its name: {}", known,
                                    names_of(devices)));
}

void Catalog::State::require_dimensions(const std::string& operation,
                                        const std::vector<std::string>& names) const {
  const Operation& chosen = *choose_operation(definitions_, operation).operation;
  for (const std::string& name : names) {
    if (find_named(chosen.dimensions, name) == nullptr)
      throw bad_input("'{}' is not a dimension of {}", name, chosen.name);
  }
}

class Handle::State {
 public:
  const std::shared_ptr<Catalog::State> catalog;
  const Question question;
  const std::vector<std::string> dimensions;
  SizeMemo<Answer> memo = {};
};

Catalog::Catalog(CatalogOptions options) : state_(std::make_shared<State>(std::move(options))) {}
Catalog::Catalog(Catalog&&) noexcept = default;
Catalog& Catalog::operator=(Catalog&&) noexcept = default;
Catalog::~Catalog() = default;

Answer Catalog::look_up(const Question& question) const {
  return state_->look_up(question);
}

Handle Catalog::resolve(Question question, std::vector<std::string> dimensions) const {
  state_->require_dimensions(question.operation, dimensions);
  return Handle(std::unique_ptr<Handle::State>(
      new Handle::State{state_, std::move(question), std::move(dimensions)}));
}

std::size_t Catalog::store_wanted(std::string& why) const {
  return state_->store_wanted({}, why);
}

std::size_t Catalog::store_wanted(const std::filesystem::path& file, std::string& why) const {
  return state_->store_wanted(file, why);
}

std::string Catalog::fingerprint() const {
  return hash_of(state_->fingerprint());
}

std::vector<Device> Catalog::devices(const std::string& operation) const {
  return state_->devices(operation);
}

Device Catalog::device(const std::string& operation, const std::string& name) const {
  return state_->device(operation, name);
}

Handle::Handle(std::unique_ptr<State> state) : state_(std::move(state)) {}
Handle::Handle(Handle&&) noexcept = default;
Handle& Handle::operator=(Handle&&) noexcept = default;
Handle::~Handle() = default;

const Answer& Handle::best(std::span<const std::int64_t> sizes) const {
  if (const Answer* known = state_->memo.find(sizes)) return *known;
  const std::vector<std::string>& dimensions = state_->dimensions;
  if (sizes.size() != dimensions.size())
    throw std::invalid_argument(fmt::format("a handle of {} dimensions was asked about {}",
                                            dimensions.size(), sizes.size()));
  Question question = state_->question;
  for (std::size_t i = 0; i < sizes.size(); ++i) question.problem[dimensions[i]] = sizes[i];
  return state_->memo.add(sizes, state_->catalog->look_up(question));
}

void Handle::forget() {
  state_->memo.forget();
}

}  // namespace tilewright
