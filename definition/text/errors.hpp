#pragma once

#include <fmt/format.h>

#include <utility>

#include "tilewright/error.hpp"

namespace tilewright {

// An InputError with a sentence that is formatted.
template <class... Parts>
InputError bad_input(fmt::format_string<Parts...> sentence, Parts&&... parts) {
  return InputError(fmt::format(sentence, std::forward<Parts>(parts)...));
}

// The same as a MachineError.
template <class... Parts>
MachineError broken_machine(fmt::format_string<Parts...> sentence, Parts&&... parts) {
  return MachineError(fmt::format(sentence, std::forward<Parts>(parts)...));
}

}  // namespace tilewright
