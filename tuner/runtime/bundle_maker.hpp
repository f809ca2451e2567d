// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "db/catalog/state.hpp"
#include "tilewright/runtime.hpp"
#include "tuner/runtime/bundle_file.hpp"
#include "tuner/runtime/code_source.hpp"

namespace tilewright {

// Looks kernels up, compiles them and puts them into a bundle. The devices need not be here.
class BundleMaker {
 public:
  // Throws InputError as Runtime; `bundles` are not looked at.
  explicit BundleMaker(const RuntimeOptions& options);

  // The best kernel for the question, which must name a device, compiled for that. The answer that
  // is in the bundle now. Throws InputError as Catalog::look_up; MachineError: no compiler, code
  // that does not compile.
  Answer add(const Question& question);

  std::size_t size() const { return contents_.recipes.size(); }
  std::string bytes() const { return encode_bundle(contents_); }

 private:
  Catalog::State catalog_;
  CodeSource codes_;
  BundleContents contents_;
};

}  // namespace tilewright
