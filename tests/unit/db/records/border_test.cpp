#include "db/records/border.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "db/exchange/exchange.hpp"
#include "db/exchange/winners.hpp"
#include "definition/json/codec.hpp"
#include "tests/unit/db/samples.hpp"

namespace tilewright {
namespace {

using test::contains;
using test::finished;
using test::measured;
using test::message_of;
using test::sweep_key;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// One number of a document, by JSON pointer, and the value that somebody made up.
struct Forged {
  const char* place;
  nlohmann::json value;
};

class Border : public ::testing::Test {
 protected:
  Border() {
    Trial first = measured(8, 10);
    first.ended_s = 1;
    finished(store_, sweep_key(), {first, measured(8, 11, Stage::final)});
    sweeps_ = nlohmann::json::parse(export_json(store_, {}));
    winners_ = nlohmann::json::parse(export_winners(store_.best({})));
  }

  // What refuses the document with the forged number; it names the file and the field.
  static void expect_refused(nlohmann::json document, const Forged& forged, const auto& import) {
    const nlohmann::json::json_pointer place(forged.place);
    ASSERT_TRUE(document.contains(place)) << forged.place;
    document[place] = forged.value;
    const std::string message =
        message_of<InputError>([&] { import(document.dump(), "forged.json"); });
    EXPECT_TRUE(message.starts_with("'forged.json': ")) << forged.place << ": " << message;
    std::string field = place.back();
    if (field.size() == 1 && field != "K") field = place.parent_pointer().back();
    EXPECT_TRUE(contains(message, field)) << forged.place << ": " << message;
    EXPECT_FALSE(contains(message, "\n")) << message;
  }

  test::Folder folder_;
  std::filesystem::path file_ = folder_ / "b.db";
  Store store_{file_};
  nlohmann::json sweeps_;
  nlohmann::json winners_;
};

constexpr const char* kMedian = "/sweeps/0/trials/0/timing/median_us";

TEST_F(Border, RefusesSweepsWithNumbersThatNoMeasurementGives) {
  const std::int64_t most = std::numeric_limits<std::int64_t>::max();
  for (const Forged& forged :
       std::vector<Forged>{{kMedian, 0},
                           {kMedian, -10},
                           {kMedian, "nan"},
                           {kMedian, "inf"},
                           {kMedian, 1e300},
                           {kMedian, 5e-324},
                           {"/sweeps/0/trials/0/timing/minimum_us", 0},
                           {"/sweeps/0/trials/0/timing/minimum_us", 10.5},
                           {"/sweeps/0/trials/0/timing/lower_us", 10.5},
                           {"/sweeps/0/trials/0/timing/upper_us", 9.5},
                           {"/sweeps/0/trials/0/timing/interval_low_us", 10.5},
                           {"/sweeps/0/trials/0/timing/interval_high_us", 9.5},
                           {"/sweeps/0/trials/0/timing/sm_mhz", "inf"},
                           {"/sweeps/0/trials/0/timing/sm_mhz", -1},
                           {"/sweeps/0/trials/0/timing/calls_per_sample", -1},
                           {"/sweeps/0/trials/0/timing/rounds", 0},
                           {"/sweeps/0/trials/0/timing/rounds", 3},  // of two samples
                           {"/sweeps/0/trials/0/timing/samples_us/1", "inf"},
                           {"/sweeps/0/trials/0/timing/samples_us/1", 0},
                           {"/sweeps/0/trials/0/timing/samples_us", nlohmann::json::array()},
                           {"/sweeps/0/trials/0/compile_ms", "nan"},
                           {"/sweeps/0/trials/0/compile_ms", -1},
                           {"/sweeps/0/trials/0/ended_s", -0.5},
                           {"/sweeps/0/trials/0/ended_s", "inf"},
                           {"/sweeps/0/trials/0/ended_s", nullptr},
                           {"/sweeps/0/trials/0/resources/occupancy", "inf"},
                           {"/sweeps/0/trials/0/resources/registers", -2},
                           {"/sweeps/0/trials/0/resources/shared_bytes", most},
                           {"/sweeps/0/trials/0/verification/outputs_checked", -1},
                           {"/sweeps/0/trials/0/verification/worst_error", "-inf"},
                           {"/sweeps/0/started", most},
                           {"/sweeps/0/finished", -1},
                           {"/sweeps/0/finished", kLastMoment + 1},
                           {"/sweeps/0/key/operation", "conv1d"},
                           {"/sweeps/0/key/budget", most},
                           {"/sweeps/0/key/implementations/0/epoch", -1},
                           {"/sweeps/0/key/problem/values/K", most / 2},
                           {"/sweeps/0/key/problem/values/K", -most},
                           {"/sweeps/0/key/device/sm_count", -1},
                           {"/sweeps/0/key/device/max_grid/0", most}})
    expect_refused(sweeps_, forged, import_json);
}

TEST_F(Border, AcceptsWhatMeasurementsGive) {
  for (const Forged& forged :
       std::vector<Forged>{{"/sweeps/0/trials/0/verification/worst_error", "inf"},
                           {"/sweeps/0/trials/0/verification/worst_ratio", "nan"},
                           {"/sweeps/0/trials/0/resources/registers", -1},
                           {"/sweeps/0/trials/0/timing/sm_mhz", 0},
                           {"/sweeps/0/finished", kLastMoment},
                           {"/sweeps/0/key/problem/values/K", 0}}) {
    nlohmann::json document = sweeps_;
    document[nlohmann::json::json_pointer(forged.place)] = forged.value;
    EXPECT_EQ(import_json(document.dump(), "x").size(), 1U) << forged.place;
  }
}

TEST_F(Border, RefusesNumbersBeyond64Bits) {
  std::string text = sweeps_.dump();
  const std::string number = "\"compile_ms\":12.5";
  ASSERT_TRUE(contains(text, number));
  text.replace(text.find(number), number.size(), "\"compile_ms\":1e999");
  EXPECT_TRUE(contains(message_of<InputError>([&] { import_json(text, "forged.json"); }),
                       "'forged.json': the JSON has a number beyond those of 64 bits"));
}

TEST_F(Border, RefusesWinnersWithSuchNumbers) {
  for (const Forged& forged : std::vector<Forged>{
           {"/groups/0/winners/0/timing/median_us", 0},
           {"/groups/0/winners/0/timing/interval_low_us", 1e6},
           {"/groups/0/winners/0/timing/rounds", 0},
           {"/groups/0/winners/0/measured_at", kLastMoment + 1},
           {"/groups/0/winners/0/problem/K", std::numeric_limits<std::int64_t>::max()},
           {"/groups/0/device/l2_bytes", -1}})
    expect_refused(winners_, forged, import_winners);
}

TEST_F(Border, StoresNothingOfAnImportWithOneBadSweep) {
  const auto good = import_json(sweeps_.dump(), "x");
  for (const double time : {0.0, -1.0, kInf, kNan}) {
    auto sweeps = good;
    sweeps.push_back(good.front());
    sweeps.back().sweep.uuid = std::string(32, 'b');
    sweeps.back().trials.front().timing->median_us = time;
    Store other(folder_ / "other.db");
    const std::string message = message_of<InputError>([&] { other.import_sweeps(sweeps); });
    EXPECT_TRUE(contains(message, std::string(32, 'b') + ": 'median_us' is")) << message;
    EXPECT_TRUE(other.sweeps({}).empty());
  }
}

// Databases of earlier versions may hold what was imported before the border was there.
class StoredBadRows : public Border {
 protected:
  // The same sweep twice, but of another problem, then `change` to the rows of the first.
  void forge(const std::string& change) {
    finished(store_, sweep_key(512), {measured(8, 3), measured(16, 4)});
    Database(file_, Database::Mode::read_write, std::chrono::milliseconds(1000))
        .execute("DROP TRIGGER trial_is_append_only; " + change);
    store_.tell_of_bad_rows([this](const std::string& why) { told_.push_back(why); });
  }
  void expect_told(const std::string& part) const {
    ASSERT_FALSE(told_.empty());
    EXPECT_TRUE(contains(told_.front(), file_.string())) << told_.front();
    EXPECT_TRUE(contains(told_.front(), part)) << told_.front();
  }

  std::vector<std::string> told_;
};

TEST_F(StoredBadRows, TrialsAreLeftOutWithASentence) {
  forge("UPDATE trial SET median_us = 0 WHERE sweep = 1 AND stage = 'screen'");
  EXPECT_EQ(store_.trials(1).size(), 1U);
  expect_told("a trial of gemm/tiled with TILE_WIDTH=8: 'median_us' is 0");
  EXPECT_EQ(store_.trials(2).size(), 2U);
}

TEST_F(StoredBadRows, OthersAnswer) {
  for (const char* bad :
       {"median_us = 0", "median_us = -1", "median_us = 9e999", "samples_us = '[]'",
        "samples_us = '[\"nan\"]'", "samples_us = '[1, '", "rounds = 99", "interval_low_us = NULL",
        "outcome = 'melted', samples_us = NULL, median_us = NULL", "configuration = '{'"}) {
    const std::filesystem::path file = folder_ / "c.db";
    std::filesystem::remove(file);
    {
      Store store(file);
      finished(store, sweep_key(512), {measured(8, 3), measured(16, 4)});
      finished(store, sweep_key(1024), {measured(8, 3), measured(16, 4)});
    }
    Database(file, Database::Mode::read_write, std::chrono::milliseconds(1000))
        .execute("DROP TRIGGER trial_is_append_only; UPDATE trial SET " + std::string(bad) +
                 " WHERE id = 1");
    Store store(file);
    EXPECT_EQ(store.best({}).size(), 1U) << bad;
    const bool has_a_time = !contains(bad, "median_us");
    EXPECT_EQ(store.losses("gemm", test::h200()).problems.size(), has_a_time ? 2U : 1U) << bad;
    store.rebuild_best();
    EXPECT_EQ(store.best({}).size(), 2U) << bad;
    for (const BestRow& row : store.best({})) EXPECT_GE(row.trial.timing->median_us, 3) << bad;
    finished(store, sweep_key(512), {measured(4, 2)});
    EXPECT_EQ(store.best({.problem = test::cube(512)}).front().configuration, test::tile(4)) << bad;
  }
}

TEST_F(StoredBadRows, SweepsAndTheirAnswersAreLeftOut) {
  forge(
      "UPDATE sweep SET started = 9223372036854775807, finished = 9223372036854775807 "
      "WHERE id = 1");
  EXPECT_EQ(store_.sweeps({}).size(), 1U);
  expect_told("'started' is 9223372036854775807, not a moment from 0");
  EXPECT_EQ(store_.best({}).size(), 1U);
}

TEST_F(StoredBadRows, ASweepIsLeftOutWithABadImplementation) {
  forge("UPDATE sweep_implementation SET default_configuration = '{' WHERE sweep = 1");
  EXPECT_EQ(store_.sweeps({}).size(), 1U);
  expect_told("JSON");
}

TEST_F(StoredBadRows, AnEpochIsChecked) {
  forge("UPDATE implementation SET epoch = -1");
  EXPECT_TRUE(store_.sweeps({}).empty());
  expect_told("'epoch' is -1");
}

TEST_F(StoredBadRows, WhatWasLookedUpIsLeftOut) {
  const SweepKey other = sweep_key(77);
  const Wanted good{{other.problem, other.device, other.policy}, 3, 7, 1000};
  store_.add_wanted({good});
  store_.tell_of_bad_rows([this](const std::string& why) { told_.push_back(why); });
  for (const char* bad : {"rung = 42", "rung = -1", "rung = 4294967303", "hits = 0",
                          "hits = 9223372036854775807", "last_asked = -5"}) {
    told_.clear();
    const auto execute = [&](const std::string& sql) {
      Database(file_, Database::Mode::read_write, std::chrono::milliseconds(1000)).execute(sql);
    };
    execute("UPDATE wanted SET hits = 3, rung = 7, last_asked = 1000");
    ASSERT_EQ(store_.wanted().size(), 1U) << bad;
    execute("UPDATE wanted SET " + std::string(bad));
    EXPECT_TRUE(store_.wanted().empty()) << bad;
    const std::string field = bad;
    expect_told("a problem that was looked up: '" + field.substr(0, field.find(' ')) + "' is");
    store_.add_wanted({good});
    EXPECT_EQ(store_.wanted().size(), 1U) << bad << ": it can be asked for again";
  }
}

TEST_F(StoredBadRows, ProblemsAreLeftOut) {
  for (const char* settings : {"{\"K\":9223372036854775807}", "{", "[]", "{\"K\":1.5}"}) {
    Database(file_, Database::Mode::read_write, std::chrono::milliseconds(1000))
        .execute("UPDATE problem SET settings = '" + std::string(settings) + "' WHERE id = 1");
    EXPECT_TRUE(store_.best({}).empty()) << settings;
    EXPECT_TRUE(store_.sweeps({}).empty()) << settings;
    store_.rebuild_best();
    EXPECT_TRUE(store_.best({}).empty()) << settings;
  }
  finished(store_, sweep_key(512), {measured(8, 3)});
  EXPECT_EQ(store_.best({}).size(), 1U);
}

TEST_F(StoredBadRows, AListenerMayRefuse) {
  forge("UPDATE trial SET median_us = 0 WHERE sweep = 1");
  store_.tell_of_bad_rows([](const std::string& why) { throw InputError(why); });
  EXPECT_TRUE(contains(message_of<InputError>([&] { store_.trials(1); }), "'median_us' is 0"));
}

}  // namespace
}  // namespace tilewright
