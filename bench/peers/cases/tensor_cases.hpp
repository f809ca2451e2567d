#pragma once

#include <vector>

#include "bench/peers/cases/cases.hpp"

namespace tilewright::bench {

// Products in the types that tensor cores compute. Names are tensor-TYPE-MxNxK, and -nt if B is
// stored as N × K.
std::vector<Case> tensor_cases();

}  // namespace tilewright::bench
