#include "runtime/launch/kernels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "tuner/machine/machine.hpp"

namespace tilewright {
namespace {

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
