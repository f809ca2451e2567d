// What commands say of results that were measured with another source.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/cli/copy_kernel.hpp"
#include "tests/cli/run_program.hpp"

namespace tilewright::test {
namespace {

namespace fs = std::filesystem;

constexpr const char* kText = "another source of copy/plain";

class ChangedSource : public ::testing::Test {
 protected:
  // A sweep of a manifest.
  void sweep(const fs::path& manifest) const {
    const Finished finished = run_tilewright(
        home_.path(), {"sweep", manifest, "n=64", "--budget", "2", "--device", "host", "--quiet"});
    ASSERT_EQ(finished.status, 0) << finished.err;
  }
  Finished best(const fs::path& manifest, std::vector<std::string> more = {}) const {
    more.insert(more.begin(), {"best", manifest, "n=64", "--device", "host"});
    return run_tilewright(home_.path(), more);
  }
  Finished recheck(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> words = {"recheck", manifest_, "--compile-only"};
    words.insert(words.end(), more.begin(), more.end());
    return run_tilewright(home_.path(), words);
  }
  void append_to_source(const std::string& text) const {
    write_text(source_, content_of(source_) + text);
  }
  static bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  }

  TemporaryFolder home_;
  const fs::path manifest_ = write_copy_kernel(home_ / "mine");
  const fs::path source_ = home_ / "mine/copy.cu";
};

TEST_F(ChangedSource, IsSaidAndRefusedUntilARecheckFindsTheSameCode) {
  sweep(manifest_);
  const std::vector<std::string> exact = {"--require", "exact"};
  EXPECT_EQ(best(manifest_, exact).status, 0);
  append_to_source("// the same code\n");
  const Finished stale = best(manifest_);
  EXPECT_EQ(stale.status, 0) << stale.err;
  EXPECT_TRUE(has(stale.out, kText)) << stale.out;
  const auto json = nlohmann::json::parse(best(manifest_, {"--format", "json"}).out);
  EXPECT_EQ(json.at("result").at("stale"), true);
  const Finished refused = best(manifest_, exact);
  EXPECT_EQ(refused.status, 1);
  EXPECT_EQ(refused.out, "");
  EXPECT_TRUE(has(refused.err, kText)) << refused.err;
  EXPECT_TRUE(has(refused.err, "recheck --compile-only")) << refused.err;
  EXPECT_TRUE(has(best(manifest_, {"--format", "defines"}).err, kText));
  const Finished show =
      run_tilewright(home_.path(), {"show", manifest_, "n=64", "--device", "host"});
  EXPECT_TRUE(has(show.err, kText)) << show.err;
  const auto sweeps =
      nlohmann::json::parse(run_tilewright(home_.path(), {"results", "--json"}).out);
  const Finished results = run_tilewright(
      home_.path(), {"results", manifest_, "--sweep", sweeps.at("sweeps").at(0).at("sweep")});
  EXPECT_TRUE(has(results.out, "the source of copy/plain has changed since")) << results.out;

  EXPECT_EQ(recheck().status, 0) << recheck().out;
  EXPECT_EQ(best(manifest_, exact).status, 0);
  EXPECT_FALSE(has(best(manifest_).out, "stale")) << best(manifest_).out;
  append_to_source("#error changed entirely\n");
  EXPECT_EQ(best(manifest_, exact).status, 1);
  EXPECT_EQ(recheck().status, 1);
  EXPECT_TRUE(has(best(manifest_).out, kText));
}

// Of two manifests with one operation's name.
TEST_F(ChangedSource, EachManifestFindsItsOwnResults) {
  sweep(manifest_);
  fs::create_directories(home_ / "other");
  for (const std::string name : {"copy.toml", "copy.cu"}) {
    std::string text = content_of(home_ / "mine" / name);
    for (std::size_t at = 0; (at = text.find("BLOCK", at)) != std::string::npos;)
      text.replace(at, 5, "LINES");
    write_text(home_ / "other" / name, text);
  }
  sweep(home_ / "other/copy.toml");
  for (const std::string folder : {"mine", "other"}) {
    const Finished finished =
        best(home_ / folder / "copy.toml", {"--require", "exact", "--format", "json"});
    ASSERT_EQ(finished.status, 0) << folder << finished.err;
    EXPECT_TRUE(nlohmann::json::parse(finished.out)
                    .at("configuration")
                    .contains(folder == "mine" ? "BLOCK" : "LINES"))
        << finished.out;
  }
  const Finished csv = run_tilewright(home_.path(), {"export", "copy", "--format", "csv"});
  EXPECT_EQ(std::ranges::count(csv.out, '\n'), 2) << csv.out;
}

TEST_F(ChangedSource, ShippedResultsAreStampedAgain) {
  sweep(manifest_);
  const fs::path shipped = home_ / "copy.json";
  ASSERT_EQ(
      run_tilewright(home_.path(), {"export", "copy", "--format", "winners", "--output", shipped})
          .status,
      0);
  fs::remove(database_in(home_.path()));
  const std::vector<std::string> there = {"--shipped", shipped};
  EXPECT_FALSE(has(best(manifest_, there).out, "stale"));
  EXPECT_EQ(recheck(there).status, 0);
  append_to_source("// the same code\n");
  EXPECT_TRUE(has(best(manifest_, there).out, kText));
  const std::string before = content_of(shipped);
  EXPECT_EQ(recheck(there).status, 0) << recheck(there).err;
  const std::string after = content_of(shipped);
  EXPECT_EQ(before.size(), after.size());
  const std::size_t hash = before.find("\"source_hash\"");
  EXPECT_EQ(before.substr(0, hash), after.substr(0, hash));
  EXPECT_FALSE(has(best(manifest_, there).out, "stale"));
  append_to_source("#error changed entirely\n");
  EXPECT_EQ(recheck(there).status, 1);
  EXPECT_EQ(content_of(shipped), after);
  EXPECT_EQ(run_tilewright(home_.path(), {"recheck", "--shipped", shipped}).status, 2);
}

}  // namespace
}  // namespace tilewright::test
