// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#include "runtime/launch/kernel_memo.hpp"

#include <set>

namespace tilewright {

std::optional<Kernel> KernelMemo::find(const std::string& asked) const {
  const std::lock_guard lock(mutex_);
  const auto known = kernels_.find(asked);
  return known == kernels_.end() ? std::nullopt : std::optional(Kernel(known->second));
}

Kernel KernelMemo::add(const std::string& asked, const std::string& whole,
                       const std::shared_ptr<Kernel::State>& made) {
  const std::lock_guard lock(mutex_);
  const std::shared_ptr<Kernel::State> stands = kernels_.try_emplace(whole, made).first->second;
  return Kernel(kernels_.try_emplace(asked, stands).first->second);
}

// Copies are made of those here alone, under the lock: one that has none now will get none. Code is
// unloaded when the lock has been given back.
std::size_t KernelMemo::trim() {
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
