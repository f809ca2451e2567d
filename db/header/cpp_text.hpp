#pragma once

#include <string>
#include <vector>

namespace tilewright {

// `text` as a C++ name. A keyword or a name that the header uses gets a '_'.
std::string cpp_name(const std::string& text);

// A static array in a class. An empty one gets an unused element.
std::string static_array(const std::string& type, const std::string& name,
                         const std::vector<std::string>& items);

}  // namespace tilewright
