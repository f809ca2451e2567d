#pragma once

#include <cstdint>

#include "tilewright/device.hpp"
#include "tilewright/trial.hpp"

namespace tilewright {

// What comes from elsewhere (an import, a file of winners, a bundle, a row of the database) may
// have any numbers. Each require_possible() throws InputError for the first that no measurement can
// give; its sentence names the field, the value and what is accepted.

// Medians are compared by division, so a time has bounds that keep each ratio finite. Microseconds.
inline constexpr double kShortestTime = 1e-9;
inline constexpr double kLongestTime = 1e15;

// The last second of the year 9999, since 1970.
inline constexpr std::int64_t kLastMoment = 253'402'300'799;

// No dimension of any operation needs more, and it leaves room for sums.
inline constexpr std::int64_t kLargestSize = std::int64_t{1} << 60;

inline constexpr std::int64_t kMostWatts = 1'000'000;

// The most that a device can have of anything.
inline constexpr std::int64_t kMostOfADevice = std::int64_t{1} << 48;

bool is_possible_time(double microseconds);

// `field` is the name for the message.
void require_possible_time(const char* field, double microseconds);
void require_possible_moment(const char* field, std::int64_t seconds);  // since 1970
void require_in_range(const char* field, std::int64_t value, std::int64_t least, std::int64_t most);
// Finite, and at least `least`.
void require_finite(const char* field, double value, double least = 0);

// Whatever the operation is.
void require_possible(const Settings& problem);
void require_possible(const Device& device);
void require_possible(const Environment& environment);
void require_possible(const Resources& resources);
void require_possible(const Verification& verification);
// Without the samples, which a file of winners lacks.
void require_possible(const Timing& timing);
void require_samples(const Timing& timing);
// With the samples.
void require_possible(const Trial& trial);

}  // namespace tilewright
