#include "tuner/worker/answers.hpp"

#include <algorithm>
#include <array>

#include "definition/text/errors.hpp"

namespace tilewright {
namespace {

// Longer than what compilers may say (tuner/toolchain), and far below what a cell of a database may
// hold.
constexpr std::size_t kLongestText = std::size_t{64} << 20;

// What a device process cannot say of a kernel: it does not compile, and what it measures is no
// failure.
constexpr std::array kNotOfDevices = {Outcome::measured, Outcome::pruned, Outcome::duplicate,
                                      Outcome::compile_failed, Outcome::compile_timed_out};

constexpr std::array kOfCompilers = {Outcome::measured, Outcome::compile_failed,
                                     Outcome::compile_timed_out, Outcome::unsupported,
                                     Outcome::machine_failed};

void require_text(const char* field, const std::string& text) {
  if (text.size() > kLongestText)
    throw bad_input("'{}' has {} bytes; the most is {}", field, text.size(), kLongestText);
}

void require_outcome(Outcome outcome, bool is_possible) {
  if (!is_possible)
    throw bad_input("'outcome' is {}, which is not for this process to say", to_text(outcome));
}

}  // namespace

void require_possible(const Failure& failure) {
  require_outcome(failure.outcome,
                  std::ranges::find(kNotOfDevices, failure.outcome) == kNotOfDevices.end());
  require_text("message", failure.message);
}

void require_possible(const CompileResult& result) {
  require_outcome(result.outcome,
                  std::ranges::find(kOfCompilers, result.outcome) != kOfCompilers.end());
  require_text("log", result.log);
  require_finite("milliseconds", result.milliseconds);
  for (const auto& [name, entry] : result.entries) require_possible(entry.resources);
}

void require_possible(const std::vector<SimpleAnswer>& answers) {
  for (const SimpleAnswer& answer : answers) {
    require_in_range("altered", answer.altered, 0, kMostOfADevice);
    require_in_range("told", answer.told, 0, kMostOfADevice);
  }
}

void require_asked(const Timing& timing, const SampleRequest& request) {
  const int most = std::max({request.minimum_samples, request.maximum_samples, 1});
  if (timing.samples_us.size() > static_cast<std::size_t>(most))
    throw bad_input("'samples_us' has {} samples; {} were asked for", timing.samples_us.size(),
                    most);
  require_samples(timing);
}

void throw_reported(const nlohmann::json& answer) {
  if (answer.contains("input_error"))
    throw InputError(checked_field<std::string>(answer, "input_error"));
  throw DeviceLost(checked_field<std::string>(answer, "machine_error"));
}

}  // namespace tilewright
