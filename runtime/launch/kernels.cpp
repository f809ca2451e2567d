#include "runtime/launch/kernels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <sstream>
#include <system_error>

#include "definition/text/errors.hpp"
#include "tilewright/kernel.hpp"
#include "tuner/machine/machine.hpp"

namespace tilewright {

namespace {

// Throws the reasons of all failed attempts, in their order. Text that several share appears once.
[[noreturn]] void refuse(const std::vector<FailedAttempt>& failed) {
  std::string text;
  for (const FailedAttempt& one : failed) {
    const bool is_new = text.find(one.why) == std::string::npos;
    if (is_new) text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", one.label, one.why);
  }
  throw MachineError(text);
}

// Ignores where the values are read.
bool is_alike(KernelArgument one, const KernelArgument& other) {
  one.by_value = other.by_value;
  return one == other;
}

// The first line and, if a compiler's log follows, its first line about an error.
std::string in_short(const std::string& why) {
  std::istringstream lines(why);
  std::string text;
  std::getline(lines, text);
  for (std::string line; std::getline(lines, line);)
    if (line.find("error") != std::string::npos) return text.append(" ").append(line);
  return text;
}

// Appended, because a look-up by text waits for it.
std::string key_of(const KernelRequest& request, const DeviceReport& device) {
  const int cache = request.cache ? static_cast<int>(*request.cache) : -1;
  std::string key = canonical_json(request.problem);
  key.append(" ").append(request.operation).append(" ").append(device.id);
  for (const int part : {cache, static_cast<int>(request.require),
                         static_cast<int>(needs_memory_inputs(request, device.device))})
    key.append(" ").append(std::to_string(part));
  return key;
}

}  // namespace

Kernel::State::State(std::shared_ptr<Source> source, KernelRequest request, DeviceReport device)
    : device_(std::move(device)),
      request_(std::move(request)),
      source_(std::move(source)),
      first_(source_->next(request_, device_, {}).value()),
      meanwhile_(source_->meanwhile(request_, device_, first_)),
      arguments_(asked_arguments(first_.recipe)),
      in_use_(&first_.recipe) {}

std::int64_t Kernel::State::workspace_bytes() const {
  const std::int64_t first = first_.recipe.launches.workspace_bytes;
  return meanwhile_ ? std::max(first, meanwhile_->recipe.launches.workspace_bytes) : first;
}

void Kernel::State::require_no_more_than_announced(const Recipe& recipe) const {
  const std::int64_t announced = workspace_bytes();
  if (recipe.launches.workspace_bytes > announced)
    throw broken_machine("it needs {} bytes of workspace; {} have been announced to the caller",
                         recipe.launches.workspace_bytes, announced);
  const std::vector<KernelArgument> asked = asked_arguments(recipe);
  if (!std::ranges::equal(asked, arguments_, is_alike))  // possible with a bundle that others made
    throw MachineError("its arguments are not those that have been announced to the caller");
  if (runs_on_cpu(device_.device.kind)) return;  // reads values where they are
  for (std::size_t i = 0; i < asked.size(); ++i)
    if (asked[i].by_value && !arguments_[i].by_value)
      throw broken_machine("it needs '{}' by value, which the caller has not been told",
                           asked[i].name);
}

std::unique_ptr<Executable> Kernel::State::load(const KernelAttempt& attempt) const {
  const Recipe& recipe = attempt.recipe;
  require_no_more_than_announced(recipe);
  const RecipeCode code = attempt.find_code(recipe);
  ExecutablePlan plan;
  plan.code = *code.bytes;
  plan.symbols = code.symbols;
  plan.launches = recipe.launches;
  for (const RecipeArgument& argument : recipe.arguments)
    plan.sizes.push_back(argument.parameter_bytes());
  plan.device_index = device_.index;
  return backend_of(device_.device.kind).make_executable(plan);
}

void Kernel::State::load_best() {
  std::vector<FailedAttempt> failed;
  std::optional<KernelAttempt> next;
  const KernelAttempt* attempt = &first_;
  while (best_.executable == nullptr) {
    const Recipe& recipe = attempt->recipe;
    try {
      best_.executable = load(*attempt);
    } catch (const MachineError& error) {
      failed.push_back({recipe.answer, attempt->from, recipe.label, error.what()});
      next = source_->next(request_, device_, failed);
      if (!next) refuse(failed);
      attempt = &*next;
    }
  }
  if (next) stepped_down_to_ = std::move(next->recipe);
  best_.recipe = stepped_down_to_ ? &*stepped_down_to_ : &first_.recipe;
}

// If it does not load, the caller waits for the best one after all.
void Kernel::State::load_meanwhile() {
  try {
    other_.executable = load(*meanwhile_);
  } catch (const MachineError&) {
    return load_best();
  }
  other_.recipe = &meanwhile_->recipe;
  other_.shares_workspace = true;
  try {
    source_->later([kernel = weak_from_this()] {
      if (const std::shared_ptr<State> self = kernel.lock()) self->compile();
    });
  } catch (const std::system_error&) {  // without a thread what serves now goes on
  }
}

void Kernel::State::compile() {
  try {
    RecipeCode code = first_.find_code(first_.recipe);
    const std::lock_guard lock(preparing_);
    compiled_ = std::move(code);
    serving_.store(nullptr, std::memory_order_release);
  } catch (const std::exception&) {  // what serves now goes on
  }
}

// What serves now goes on if it does not load.
void Kernel::State::load_compiled() {
  RecipeCode code = *std::exchange(compiled_, std::nullopt);
  try {
    best_.executable = load({first_.recipe, [&](const Recipe&) { return code; }});
    best_.recipe = &first_.recipe;
    best_.shares_workspace = true;
  } catch (const std::exception&) {
  }
}

const Kernel::State::Ready& Kernel::State::serve(const Ready& ready) {
  in_use_.store(ready.recipe, std::memory_order_release);
  serving_.store(&ready, std::memory_order_release);
  return ready;
}

const Kernel::State::Ready& Kernel::State::prepared(void* stream) {
  if (const Ready* ready = serving_.load(std::memory_order_acquire)) return *ready;
  const std::lock_guard lock(preparing_);
  if (const Ready* ready = serving_.load(std::memory_order_acquire)) return *ready;
  if (other_.executable != nullptr) {
    if (!compiled_ || other_.executable->is_capturing(stream)) return other_;
    load_compiled();
  } else if (meanwhile_) {
    load_meanwhile();
  } else {
    load_best();
  }
  if (best_.executable == nullptr) return serve(other_);
  first_.find_code = nullptr;
  source_ = nullptr;
  return serve(best_);
}

Kernel::Kernel(std::shared_ptr<State> state) : state_(std::move(state)) {}

const Answer& Kernel::answer() const {
  return state_->recipe().answer;
}

const Device& Kernel::device() const {
  return state_->device();
}

const std::vector<KernelArgument>& Kernel::arguments() const {
  return state_->arguments();
}

std::int64_t Kernel::workspace_bytes() const {
  return state_->workspace_bytes();
}

void Kernel::prepare() const {
  state_->prepare();
}

PreparedInput Kernel::prepare_input(void* stream, const Operand& input) const {
  return PreparedInput(state_->prepare_input(stream, input));
}

void Kernel::launch(void* stream, std::span<const Operand> operands, Scratch scratch) const {
  state_->launch(stream, operands, scratch);
}

bool is_among(std::span<const FailedAttempt> failed, const Answer& answer) {
  return std::ranges::any_of(failed, [&](const FailedAttempt& one) {
    return one.answer.implementation == answer.implementation &&
           one.answer.configuration == answer.configuration;
  });
}

void say_what_failed(std::span<const FailedAttempt> failed, Answer& answer) {
  for (const FailedAttempt& one : failed) {
    if (!answer.passed_over.empty()) answer.passed_over += "; ";
    answer.passed_over += fmt::format("{} of rung '{}': {}", one.answer.implementation,
                                      to_text(one.answer.rung), in_short(one.why));
  }
}

bool needs_memory_inputs(const KernelRequest& request, const Device& device) {
  return request.inputs == Inputs::in_memory && !runs_on_cpu(device.kind);
}

Kernel Kernels::kernel(KernelRequest request) {
  const DeviceReport& device = local_device(request.device);
  const std::string asked = key_of(request, device);
  {
    const std::lock_guard lock(mutex_);
    if (const auto known = kernels_.find(asked); known != kernels_.end())
      return Kernel(known->second);
  }
  const auto made = std::make_shared<Kernel::State>(source_, request, device);
  request.problem = made->first_recipe().answer.problem.values;  // completed
  const std::string whole = key_of(request, device);
  // Found under both requests from now on. A kernel that is there already is returned.
  const std::lock_guard lock(mutex_);
  const std::shared_ptr<Kernel::State> stands = kernels_.try_emplace(whole, made).first->second;
  return Kernel(kernels_.try_emplace(asked, stands).first->second);
}

// Callers copy kernels only from the map and under the lock, so that a kernel without a copy gets
// none during this. A compile in the background may hold one for a while. The code is unloaded
// after the lock is released.
std::size_t Kernels::trim() {
  std::set<std::shared_ptr<Kernel::State>> unused;
  const std::lock_guard lock(mutex_);
  std::map<const Kernel::State*, long> texts;
  for (const auto& [text, kernel] : kernels_) ++texts[kernel.get()];
  for (const auto& [text, kernel] : kernels_)
    if (kernel.use_count() == texts.at(kernel.get())) unused.insert(kernel);
  std::erase_if(kernels_, [&](const auto& entry) { return unused.contains(entry.second); });
  return unused.size();
}

}  // namespace tilewright
