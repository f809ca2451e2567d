#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "definition/definition.hpp"
#include "definition/expected_cycles.hpp"
#include "tilewright/device.hpp"
#include "tilewright/settings.hpp"

namespace tilewright {

// What a parameter is set to for a problem that nobody measured: its default where it is inactive,
// else what it follows, else its own value. Nothing if that is always its own value. Like `active`
// and `follows`, it uses earlier parameters with what they are set to.
std::optional<Expression> settled_value(const Parameter& parameter);

// The default, then for each seed the default with the seed's values. A parameter that the seed
// does not name has its settled_value(), and an inactive one its default. Leaves out a seed of
// which a value has no result.
std::vector<Configuration> worth_trying_first(const Implementation& implementation,
                                              const Problem& problem, const Device& device);

// The configurations of an implementation for problems that nobody measured, in a form in which a
// look-up can judge hundreds of them: general_configurations(), each parameter with its
// settled_value(). Immutable; safe to use from many threads.
class GeneralConfigurations {
 public:
  explicit GeneralConfigurations(const Implementation& implementation);
  GeneralConfigurations(const GeneralConfigurations&) = delete;
  GeneralConfigurations& operator=(const GeneralConfigurations&) = delete;

  // Of one thread, for one problem on a device. These and the configurations must outlive it.
  class Judge {
   public:
    Judge(const GeneralConfigurations& general, const Problem& problem, const Device& device);

    // 0 if a constraint without parameters rules all of them out.
    std::size_t count() const { return count_; }
    // As cycles_on().
    double cycles(std::size_t index);
    // Whether it satisfies the implementation's constraints.
    bool fits(std::size_t index);
    // Nothing if a settled_value() has no result.
    std::optional<Configuration> configuration(std::size_t index) const;

   private:
    bool holds(Program::Id constraint) const;
    void work_out(const Program::Steps& steps, std::size_t index);

    const GeneralConfigurations& general_;
    const Problem& problem_;
    const Device& device_;
    Program::Evaluation evaluation_;
    std::size_t count_ = 0;
  };

 private:
  std::vector<Parameter> parameters_;
  std::vector<std::optional<Expression>> settled_;  // by parameter
  std::vector<Configuration> all_;
  ParameterProgram names_;
  std::vector<std::int64_t> numbers_;  // by configuration and parameter
  std::vector<Program::Id> constraints_;
  std::vector<Program::Id> cost_;  // by formula; empty: there are none
  Program::Steps constraint_steps_, cost_steps_;
};

// Those of the implementation, prepared when its manifest was read or now.
std::shared_ptr<const GeneralConfigurations> general_of(const Implementation& implementation);

}  // namespace tilewright
