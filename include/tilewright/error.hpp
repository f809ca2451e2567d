// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <stdexcept>
#include <string>

namespace tilewright {

// The caller's input cannot be used: an unknown name, a malformed file, a size that does not fit.
// what() is one sentence that names the file, key or value and says what is accepted. The program
// ends with status 2.
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// No answer is as strong as the caller requires. what() says what there is.
class NothingFound : public InputError {
 public:
  using InputError::InputError;
};

// The machine cannot do what was asked: no such device, no driver, no compiler, a database that
// cannot be read or written. The program ends with status 3.
class MachineError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The driver refused a launch, or an earlier launch on the device has faulted. A fault shows at the
// next call of the driver, even if another caller makes it. After it the GPU's context stays
// unusable. what() begins with the kernel.
class LaunchError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace tilewright
