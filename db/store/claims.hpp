#pragma once

#include <cstdint>
#include <string>

#include "db/tables/sqlite.hpp"
#include "tilewright/error.hpp"

namespace tilewright {

// Another connection measures the sweep. what() says which process, and where.
class SweepInUse : public MachineError {
 public:
  using MachineError::MachineError;
};

// What one connection says of itself when it claims an unfinished sweep, so that no two measure the
// same one. A claim ends with the sweep, with its connection, or with its process. Where the
// process cannot be seen, on another host or in another container, it ends 15 minutes after the
// sweep's last trial. After a restart of its host it ends at once.
class Claimant {
 public:
  Claimant();
  ~Claimant();
  Claimant(const Claimant&) = delete;
  Claimant& operator=(const Claimant&) = delete;

  // Throws SweepInUse if another connection has a claim that still holds. All calls REQUIRE a
  // Transaction.
  void require_free(Database& database, std::int64_t sweep) const;
  void take(Database& database, std::int64_t sweep) const;
  // Throws like require_free(). Does nothing else if the sweep is not claimed.
  void renew(Database& database, std::int64_t sweep) const;

 private:
  std::string token_;
};

}  // namespace tilewright
