// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "tilewright/kernel.hpp"

namespace tilewright {

// Kernels by what was asked for. Safe to use from many threads.
class KernelMemo {
 public:
  std::optional<Kernel> find(const std::string& asked) const;

  // What stands for the text, and for `whole`, which says the same and leaves nothing out: the
  // first that was added.
  Kernel add(const std::string& asked, const std::string& whole,
             const std::shared_ptr<Kernel::State>& made);

  // Forgets those of which there is no copy elsewhere. How many.
  std::size_t trim();

 private:
  mutable std::mutex mutex_;
  std::map<std::string, std::shared_ptr<Kernel::State>> kernels_;
};

}  // namespace tilewright
