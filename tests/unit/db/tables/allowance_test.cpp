// What a reading connection may take of work and of memory.
#include <gtest/gtest.h>

#include "db/store/store.hpp"
#include "tests/unit/db/samples.hpp"
#include "tilewright/error.hpp"

namespace tilewright {
namespace {

using test::contains;
using test::message_of;

constexpr const char* kUsedUp = "takes more work to read than a file of its size can need";

class Allowance : public ::testing::Test {
 protected:
  Allowance() {
    Store store(file_);
    test::finished(store, test::sweep_key(), {test::measured(16, 20)});
  }
  // 1000 sweeps of one problem, whose settings have 100 000 characters: 100 MB in 1 MB.
  void repeat_a_long_problem() const {
    Database(file_, Database::Mode::read_write, {})
        .execute(
            "BEGIN; UPDATE problem SET settings = printf('{\"M\":\"%.*c\"}', 100000, 'x'); "
            "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 1000) "
            "INSERT INTO sweep (uuid, request_hash, operation, problem, device, policy, "
            "environment, filter, strategy, budget, seed, started, origin, report) "
            "SELECT printf('%032x', i), request_hash, operation, problem, device, policy, "
            "environment, filter, strategy, budget, seed, started, origin, report FROM sweep, n; "
            "COMMIT");
  }

  test::Folder folder_;
  std::filesystem::path file_ = folder_ / "a.db";
};

TEST_F(Allowance, OfAReaderEndsWhereRowsRepeatALongText) {
  repeat_a_long_problem();
  const Store store(file_, Store::Mode::read_only);
  const std::string message = message_of<MachineError>([&] { store.sweeps({}); });
  EXPECT_TRUE(contains(message, "a.db' is damaged") && contains(message, kUsedUp)) << message;
}

TEST_F(Allowance, OfAnotherQuestionBeginsAnew) {
  repeat_a_long_problem();
  const Store store(file_, Store::Mode::read_only);
  for (int i = 0; i < 3; ++i) {
    store.renew_allowance();
    EXPECT_EQ(store.newest_sweeps({Query{}}, 400).size(), 400U);
  }
  EXPECT_EQ(message_of<MachineError>([&] {
              for (int i = 0; i < 9; ++i) store.newest_sweeps({Query{}}, 400);
            }).find("database"),
            0U);
}

TEST_F(Allowance, OfAWriterHasNoEnd) {
  repeat_a_long_problem();
  EXPECT_EQ(Store(file_).sweeps({}).size(), 1001U);
}

TEST_F(Allowance, OfWorkEndsAnEndlessQuery) {
  Database database(file_, Database::Mode::read_only, {});
  database.trust_schema();
  EXPECT_TRUE(contains(message_of<MachineError>([&] {
                         database.integer(
                             "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + "
                             "1 FROM n) SELECT max(i) FROM n");
                       }),
                       kUsedUp));
}

// One can take longer than any allowance.
TEST_F(Allowance, HasNoPatternsBeforeTheSchemaIsKnown) {
  Database database(file_, Database::Mode::read_only, {});
  EXPECT_TRUE(contains(
      message_of<MachineError>([&] { database.integer("SELECT 'aaaa' LIKE '%a%b'"); }), "pattern"));
  database.trust_schema();
  EXPECT_EQ(database.integer("SELECT 'aaab' LIKE '%a%b'"), 1);
}

}  // namespace
}  // namespace tilewright
