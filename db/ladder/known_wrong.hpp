#pragma once

#include <optional>
#include <string>
#include <vector>

#include "db/records/answer_rows.hpp"
#include "definition/definition.hpp"
#include "tilewright/catalog.hpp"

namespace tilewright {

// What must not answer, because it was found to be wrong. Immutable.
class KnownWrongs {
 public:
  explicit KnownWrongs(std::vector<KnownWrong> all);

  // By implementation and configuration.
  const std::vector<KnownWrong>& all() const { return all_; }

  // Why the configuration must not answer for the problem on this rung; null if nothing is known.
  // A measured answer gives way to what the same device found out for the same problem, a near one
  // to what any device of its kind did. On the portable and default rungs, where nobody measured
  // anything like the problem, what is wrong for one problem answers for none.
  const KnownWrong* find(const Implementation& implementation, const Configuration& configuration,
                         const Problem& problem, const std::optional<Device>& device,
                         Rung rung) const;

 private:
  std::vector<KnownWrong> all_;
};

// Those of the present implementations that a look-up with these rows would answer with otherwise.
std::vector<KnownWrong> that_might_answer(const KnownWrongs& known,
                                          const std::vector<Implementation>& implementations,
                                          const std::vector<BestRow>& rows,
                                          const std::vector<PortableRow>& portable);

// "scale/plain gave wrong answers for n=1000 on NVIDIA H200 (9 of 9 tried were wrong)"
std::string to_text(const KnownWrong& found);

}  // namespace tilewright
