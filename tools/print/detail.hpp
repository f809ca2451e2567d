#pragma once

namespace tilewright::tools {

// How much to print; `full` is what --verbose asks for.
enum class Detail { brief, full };

}  // namespace tilewright::tools
