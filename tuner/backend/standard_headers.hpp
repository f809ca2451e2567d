#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/plan/compile_request.hpp"

namespace tilewright {

// The text of standard.h.
extern const std::string_view kStandardHeaders;

// Headers of the C library (stdint.h, cmath, …) for compilers that run without any, by name, and
// what a request's sources ask of them.
struct StandardHeaders {
  const std::map<std::string, std::string>& texts;
  // `#include <…>` lines of the headers that define names which the sources use, such as INFINITY
  // or uint32_t. Headers of which a source declares a name itself are left out.
  std::string prelude;
  // Headers of the C++ library that the sources include: "type_traits", sorted. `texts` has
  // none.
  std::vector<std::string> cpp;
};
StandardHeaders standard_headers(const CompileRequest& request);

}  // namespace tilewright
