#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <vector>

#include "tilewright/catalog.hpp"
#include "tilewright/device_selector.hpp"
#include "tilewright/kernel.hpp"
#include "tilewright/policy.hpp"
#include "tilewright/settings.hpp"
#include "tilewright/tilewright.h"

// What C passes, as C++ takes it.
namespace tilewright::bindings {

// Reads "M=512 N=512 transpose_b=yes", also "M=N=K=512"; NULL: none. Throws InputError for a word
// that is not NAME=VALUE and for a name that is given twice.
Settings settings_of(const char* text);

// The place of `text` among the names; NULL: the first. Throws an InputError that begins with
// `what`.
std::size_t place_of(const char* text, const char* what,
                     std::initializer_list<std::string_view> names);

// Reads "robust", "cold" or "warm"; NULL: none. Throws InputError.
std::optional<CachePolicy> cache_of(const char* text);

// Reads "any", "device" or "exact"; NULL: any. Throws InputError.
Require require_of(const char* text);

// Reads "any" or "memory"; NULL: any. Throws InputError.
Inputs inputs_of(const char* text);

// Reads "cuda:0", "cuda", "host" or "auto"; NULL: auto. Throws InputError.
DeviceSelector selector_of(const char* text);

// Throws an InputError that begins with `what` unless the number is one of the type's enumerators,
// which are 0 to `last`.
void check_enumerator(std::int32_t number, std::int32_t last, const char* what, const char* type);

// The request with all fields of this version. Throws an InputError that names the function if the
// request or its operation is NULL, or its size is wrong.
tw_request checked_request(const tw_request* request, const char* function);

// Throws InputError if the request sets a field that the function does not take.
void refuse(const char* function, const char* field, const char* value);

// Throws an InputError that names the operand by its place, counted from 1.
std::vector<Operand> operands_of(const tw_operand* operands, std::size_t count);

// `scratch` may be null. Throws InputError if it is too small for the kernel.
Scratch scratch_of(const Kernel& kernel, const tw_scratch* scratch);

}  // namespace tilewright::bindings
