// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <stdexcept>
#include <string>

namespace tilewright {

// What the caller gave cannot be used: an unknown name, a malformed file, a size that does not
// fit. what() is one sentence that names the file, key or value and what is accepted. The
// program ends with status 2.
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Nothing on record is as strong as the caller requires; what() says what there is.
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

// A launch that the driver refused, or that found the device lost to an earlier launch's fault. A
// fault shows at the next call of the driver, whose ever that is; a GPU's context stays unusable
// after it. what() begins with the kernel.
class LaunchError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace tilewright
