#include "tuner/worker/cubin_cache.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <set>
#include <thread>
#include <vector>

#include "temporary_folder.hpp"

namespace tilewright {
namespace {

namespace fs = std::filesystem;

CompileRequest make_request() {
  CompileRequest request;
  request.source = "source";
  request.source_name = "k.cu";
  request.headers = {{"a.cuh", "A"}};
  request.options = {"-DX=1", "-DY=2"};
  request.architecture = "sm_90";
  request.entries = {"k"};
  return request;
}

CompileResult make_result(std::size_t code_size = 3) {
  CompileResult result;
  result.code.assign(code_size, 42);
  result.code_hash = "abc";
  result.log = "log";
  result.milliseconds = 100;
  result.entries["k"] = {"k", {32, 0, 0, 0, -1, -1, -1}};
  return result;
}

// A key as cache_key() makes them.
std::string key_with(char digit) {
  return std::string(32, digit);
}

std::vector<fs::path> files_in(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder)) files.push_back(entry.path());
  return files;
}

TEST(CacheKey, EveryFieldCounts) {
  const CompileRequest base = make_request();
  std::vector<CompileRequest> others(16, base);
  others[0].source += ' ';
  others[1].source_name = "j.cu";
  others[2].headers["a.cuh"] = "B";
  others[3].headers["b.cuh"] = "";
  others[4].options = {"-DX=1-DY=2"};  // fields must not run together
  others[5].options = {"-DY=2", "-DX=1"};
  others[6].architecture = "sm_90a";
  others[7].entries = {"j"};
  others[8].entries = {"k", ""};
  others[9].options.clear();
  others[10].headers = {{"a.cuhA", ""}};
  for (std::size_t i = 11; i < 16; ++i) others[i].units = {base};
  others[12].units[0].options = {"-DX=1"};
  others[13].units[0].unit = "low";
  others[14].unit = "low";
  others[15].units.push_back(base);
  std::set<std::string> keys = {cache_key(base, "NVRTC 13.0"), cache_key(base, "NVRTC 13.1")};
  for (const CompileRequest& other : others) keys.insert(cache_key(other, "NVRTC 13.0"));
  EXPECT_EQ(keys.size(), others.size() + 2);
  EXPECT_EQ(cache_key(base, "NVRTC 13.0"), cache_key(make_request(), "NVRTC 13.0"));
  EXPECT_EQ(cache_key(base, "NVRTC 13.0").size(), 32U);
}

// The cache of earlier versions stays of use. The key is what version 0.1 made.
TEST(CacheKey, OfOneUnitIsAsItWas) {
  EXPECT_EQ(cache_key(make_request(), "NVRTC 13.0"), "a6c0a7b3802a91d95a0bb48a506da87e");
}

// The headers that <…> finds count only where a source may include them.
TEST(CacheKey, HeadersCountForSourcesThatIncludeThem) {
  const CompileRequest plain = make_request();
  EXPECT_EQ(cache_key(plain, "NVRTC 13.0", "a"), cache_key(plain, "NVRTC 13.0", "b"));
  CompileRequest including = plain;
  including.headers["a.cuh"] = "#include <cuda_fp16.h>\n";
  EXPECT_NE(cache_key(including, "NVRTC 13.0", "a"), cache_key(including, "NVRTC 13.0", "b"));
  CompileRequest with_unit = plain;
  with_unit.units = {including};
  EXPECT_NE(cache_key(with_unit, "NVRTC 13.0", "a"), cache_key(with_unit, "NVRTC 13.0", "b"));
}

TEST(CubinCache, WhatAnEarlierVersionDidNotFindIsCompiledAgain) {
  const TemporaryFolder folder;
  CubinCache cache(folder.path());
  CompileResult result = make_result();
  result.log = "note: no kernel has the symbol 'k'; there is _Z1kPf (extern \"C\" missing?)\n";
  cache.store("key", result);
  EXPECT_FALSE(cache.find("key"));
}

TEST(CubinCache, GivesBackWhatWasStored) {
  const TemporaryFolder folder;
  CubinCache cache(folder.path() / "deep" / "er");
  EXPECT_FALSE(cache.find("key"));
  cache.store("key", make_result());
  const auto found = cache.find("key");
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->ok());
  EXPECT_EQ(found->code, make_result().code);
  EXPECT_EQ(found->log, "log");
  EXPECT_EQ(found->entries.at("k").resources.registers, 32);
  EXPECT_EQ(found->milliseconds, 0);
  EXPECT_FALSE(cache.find("other"));
  EXPECT_EQ(files_in(folder.path() / "deep" / "er").size(), 1U);
}

TEST(CubinCache, KeepsRejectionsButNotWhatMayBeTheMachines) {
  const TemporaryFolder folder;
  CubinCache cache(folder.path());
  CompileResult result = make_result();
  result.outcome = Outcome::compile_failed;
  cache.store("rejected", result);
  ASSERT_TRUE(cache.find("rejected"));
  EXPECT_EQ(cache.find("rejected")->outcome, Outcome::compile_failed);
  for (const Outcome outcome : kMaybeOfMachine) {
    result.outcome = outcome;
    cache.store("of the machine", result);
    EXPECT_FALSE(cache.find("of the machine")) << to_text(outcome);
  }
}

TEST(CubinCache, DeletesDamagedEntries) {
  const TemporaryFolder folder;
  CubinCache cache(folder.path());
  cache.store("key", make_result());
  const fs::path file = files_in(folder.path()).at(0);
  const auto size = fs::file_size(file);

  for (const std::uintmax_t kept : {size - 1, size / 2, std::uintmax_t{40}, std::uintmax_t{0}}) {
    SCOPED_TRACE(kept);
    cache.store("key", make_result());
    fs::resize_file(file, kept);
    EXPECT_FALSE(cache.find("key"));
    EXPECT_FALSE(fs::exists(file));
  }
  cache.store("key", make_result());
  std::fstream(file, std::ios::in | std::ios::out | std::ios::binary)
      .seekp(static_cast<std::streamoff>(size) - 20)
      .put('\xee');
  EXPECT_FALSE(cache.find("key"));
  EXPECT_FALSE(fs::exists(file));
}

TEST(CubinCache, WhatIsNotAFileIsNoEntry) {
  const TemporaryFolder folder;
  CubinCache cache(folder.path());
  cache.store("key", make_result());
  const fs::path file = files_in(folder.path()).at(0);
  const auto expect_none = [&] {
    EXPECT_FALSE(cache.find("key"));
    cache.store("key", make_result());  // must not throw or wait
    fs::remove_all(file);
  };
  fs::remove(file);
  fs::create_directories(file / "below");
  expect_none();
  fs::create_symlink("/dev/zero", file);
  expect_none();
  ASSERT_EQ(mkfifo(file.c_str(), 0600), 0);
  expect_none();
  std::ofstream(file) << "tilewright compiled code, format 3\n";
  fs::resize_file(file, std::uintmax_t{1} << 40);
  expect_none();
}

TEST(CubinCache, ThrowsOutTheLongestUnused) {
  const TemporaryFolder folder;
  constexpr std::int64_t kLimit = 100'000;
  {
    CubinCache cache(folder.path(), kLimit);
    for (const char key : {'a', 'b', 'c'}) cache.store(key_with(key), make_result(60'000));
  }
  const auto now = fs::file_time_type::clock::now();
  for (const fs::path& file : files_in(folder.path()))
    fs::last_write_time(file, now - std::chrono::hours(5));
  CubinCache cache(folder.path(), kLimit);
  EXPECT_TRUE(cache.find(key_with('b')));  // makes it the youngest
  cache.store(key_with('d'), make_result(10));
  EXPECT_TRUE(cache.find(key_with('b')));
  EXPECT_TRUE(cache.find(key_with('d')));
  EXPECT_FALSE(cache.find(key_with('a')));
  EXPECT_FALSE(cache.find(key_with('c')));
}

TEST(CubinCache, RemovesAbandonedTemporaryFiles) {
  const TemporaryFolder folder;
  const fs::path old_file = folder.path() / (key_with('a') + ".code.0123456789abcdef.tmp");
  const fs::path of_version_2 = folder.path() / (key_with('a') + ".4711.7f00c0ffee.tmp");
  const fs::path new_file = folder.path() / (key_with('b') + ".code.0123456789abcdef.tmp");
  for (const fs::path& file : {old_file, of_version_2, new_file}) std::ofstream(file) << "x";
  for (const fs::path& file : {old_file, of_version_2})
    fs::last_write_time(file, fs::file_time_type::clock::now() - std::chrono::hours(2));
  CubinCache(folder.path()).store("key", make_result());
  EXPECT_FALSE(fs::exists(old_file));
  EXPECT_FALSE(fs::exists(of_version_2));
  EXPECT_TRUE(fs::exists(new_file));
}

TEST(CubinCache, DeletesOnlyWhatHasANameOfItsOwn) {
  const TemporaryFolder folder;
  const std::string key = key_with('a');
  const std::vector<std::string> others = {"thesis.tmp",
                                           "old.code",
                                           key,
                                           "x" + key + ".tmp",
                                           key + ".tmp",
                                           key + ".code.tmp",
                                           key + ".code.1.tmp",
                                           key + ".code.0123456789abcdeg.tmp",
                                           key + ".code.0123456789abcdef.tmp~",
                                           key + ".code.code",
                                           key + ".1.tmp",
                                           key + ".1.x.tmp",
                                           key + ".1..tmp",
                                           key + ".1a.2.tmp",
                                           key + "..2.tmp",
                                           key + "1.2.tmp",
                                           "x" + key + ".1.2.tmp",
                                           "notes/" + key + ".code",
                                           key_with('A') + ".code"};
  fs::create_directories(folder.path() / (key + ".code"));  // a folder, and empty
  fs::create_directories(folder.path() / "notes");
  for (const std::string& name : others) std::ofstream(folder.path() / name) << "my work";
  for (const auto& entry : fs::recursive_directory_iterator(folder.path()))
    fs::last_write_time(entry.path(), fs::file_time_type::clock::now() - std::chrono::hours(2));
  CubinCache(folder.path(), 0).store(key_with('b'), make_result());
  for (const std::string& name : others) EXPECT_TRUE(fs::exists(folder.path() / name)) << name;
  EXPECT_TRUE(fs::exists(folder.path() / (key + ".code")));
}

TEST(CubinCache, AnEntryTakesThePlaceOfALink) {
  const TemporaryFolder folder;
  const fs::path precious = folder.path() / "precious";
  std::ofstream(precious) << "mine";
  CubinCache cache(folder.path() / "cache");
  fs::create_directory(folder.path() / "cache");
  const fs::path entry = folder.path() / "cache" / (key_with('a') + ".code");
  fs::create_symlink(precious, entry);
  cache.store(key_with('a'), make_result());
  EXPECT_TRUE(cache.find(key_with('a')));
  EXPECT_FALSE(fs::is_symlink(entry));
  EXPECT_EQ(fs::file_size(precious), 4U);
}

TEST(CubinCache, NoFolderIsNoCache) {
  CubinCache cache("");
  cache.store("key", make_result());
  EXPECT_FALSE(cache.find("key"));
}

TEST(CubinCache, AFolderThatCannotBeIsNoCache) {
  const TemporaryFolder folder;
  std::ofstream(folder.path() / "file") << "x";
  CubinCache cache(folder.path() / "file" / "below");
  cache.store("key", make_result());
  EXPECT_FALSE(cache.find("key"));
}

TEST(CubinCache, ManyThreadsShareAnEntry) {
  const TemporaryFolder folder;
  CubinCache cache(folder.path());
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      for (int j = 0; j < 50; ++j) {
        cache.store("key", make_result(10'000));
        const auto found = cache.find("key");
        EXPECT_TRUE(found);  // rename leaves no moment without an entry
      }
    });
  threads.clear();
  EXPECT_EQ(files_in(folder.path()).size(), 1U);
}

}  // namespace
}  // namespace tilewright
