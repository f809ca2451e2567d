#pragma once

#include <string_view>

namespace tilewright {

// The headers that a reproducer contains, as text.
extern const std::string_view kNarrowFloat;
extern const std::string_view kFillElements;
extern const std::string_view kCompareElements;
extern const std::string_view kReproducerInputs;
extern const std::string_view kReproducerHarness;
extern const std::string_view kReproducerCheck;
extern const std::string_view kReproducerGrid;
extern const std::string_view kReproducerTensorMap;
extern const std::string_view kReproducerTexture;

}  // namespace tilewright
