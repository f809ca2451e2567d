#pragma once

#include "tools/convert/json_place.hpp"
#include "tools/convert/python_value.hpp"
#include "tools/convert/t1_problem.hpp"

namespace tilewright::tools {

// One of KernelSpecification.Arguments. `values`: of parameters and ProblemSize, for its Size.
T1Argument t1_argument(const JsonPlace& place, const PythonValues& values);

}  // namespace tilewright::tools
