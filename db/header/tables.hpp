#pragma once

#include <string>
#include <vector>

#include "db/header/operation_code.hpp"

namespace tilewright {

// The measured rows of one operation as constexpr tables, members of the class that the header's
// ladder reads. `devices` are all devices of the header.
std::string tables_text(const HeaderPart& part, const std::vector<Device>& devices,
                        OperationCode& code);

}  // namespace tilewright
