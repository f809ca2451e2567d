#include "definition/fields.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <utility>

#include "definition/json/json.hpp"

namespace tilewright {
namespace {

struct Anything {
  template <class Value>
  operator Value() const;
};

// Whether a Device has at least as many members as there are indices.
template <std::size_t... indices>
constexpr bool has_members(std::index_sequence<indices...>) {
  return requires {
    Device{((void)indices, Anything())...};
  };
}

TEST(DeviceFields, TheListIsAsLongAsTheStruct) {
  constexpr std::size_t count = kDeviceFields.size();
  EXPECT_TRUE(has_members(std::make_index_sequence<count>()));
  EXPECT_FALSE(has_members(std::make_index_sequence<count + 1>()))
      << "a member of Device is not in kDeviceFields";
}

TEST(DeviceFields, EachIsAMemberOfItsOwn) {
  std::set<std::string> names;
  std::set<const void*> members;
  const Device device;
  for_each_field(device, [&](const DeviceField& field, const auto& value) {
    EXPECT_TRUE(names.insert(field.name).second) << field.name;
    EXPECT_TRUE(members.insert(&value).second) << field.name;
  });
  EXPECT_EQ(names.size(), kDeviceFields.size());
}

TEST(DeviceFields, JsonHasThemInOrder) {
  const Json json = to_json(Device());
  std::size_t at = 0;
  for (const auto& item : json.items()) EXPECT_EQ(item.key(), kDeviceFields.at(at++).name);
  EXPECT_EQ(at, kDeviceFields.size());
  EXPECT_EQ(from_json<Device>(json), Device());
}

}  // namespace
}  // namespace tilewright
