#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "db/header/operation_code.hpp"

namespace tilewright {

// Writes the measured rows of one operation as constexpr tables, members of the class that the
// header's ladder reads.
class OperationTables {
 public:
  // `devices` are all devices of the header. All arguments must outlive this.
  OperationTables(const HeaderPart& part, const std::vector<Device>& devices, OperationCode& code);

  std::string text();

 private:
  void add_implementations();
  void add_rows();
  void add_row(const BestRow& row, std::size_t implementation);
  void add_subject(const BestRow& row);
  void add_exact();
  void add_portable();
  std::size_t configuration_at(std::size_t implementation, const Configuration& configuration);
  std::size_t index_of(const Device& device) const;
  // Nothing if no present definition has this configuration.
  std::optional<std::size_t> implementation_of(const std::string& name, std::int64_t epoch,
                                               const Configuration& configuration) const;
  // The row that answers for the problem and device of these rows; nothing if none does.
  struct Side {
    std::size_t row = 0;
    bool is_other_policy = false;
  };
  std::optional<Side> side(const std::vector<BestRow>& rows, CachePolicy cache) const;

  const HeaderPart& part_;
  const std::vector<Device>& devices_;
  OperationCode& code_;
  std::vector<BestRow> sorted_;
  std::map<std::size_t, std::size_t> written_;  // index in sorted_ → in rows_

  std::vector<std::string> parameters_, implementations_, configurations_, defaults_, rows_,
      subjects_, subject_logarithms_, subject_classes_, exacts_, exact_values_, distances_,
      portables_, is_bound_;
  std::map<std::string, std::size_t> known_configurations_;
  std::size_t configuration_length_ = 0;
  std::size_t distance_count_ = 0;
  std::size_t class_count_ = 0;
};

}  // namespace tilewright
