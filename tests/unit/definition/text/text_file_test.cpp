#include "definition/text/text_file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <thread>

#include "tests/support/folder_of_files.hpp"
#include "tilewright/error.hpp"

namespace tilewright {
namespace {

constexpr FileLimit kSmall = {"a small file", 1};
constexpr FileLimit kPiped = {"a small file", 1, FileLimit::Pipe::accepted};

class TextFileTest : public testing::Test {
 protected:
  static std::string refusal(const std::filesystem::path& file, const FileLimit& limit = kSmall) {
    try {
      read_text_file(file, limit);
      return "no error";
    } catch (const InputError& error) {
      const std::string message = error.what();
      EXPECT_TRUE(message.starts_with(file.string() + ": ")) << message;
      return message.substr(std::min(message.size(), file.string().size() + 2));
    }
  }

  std::filesystem::path make_pipe() const {
    const std::filesystem::path pipe = folder_.path() / "pipe";
    EXPECT_EQ(mkfifo(pipe.c_str(), 0600), 0);
    return pipe;
  }

  FolderOfFiles folder_;
};

TEST_F(TextFileTest, ReadsUpToTheLimit) {
  const std::string most(1 << 20, 'x');
  EXPECT_EQ(read_text_file(folder_.write("most", most), kSmall), most);
  EXPECT_EQ(read_text_file(folder_.write("none", ""), kSmall), "");
  EXPECT_EQ(refusal(folder_.write("more", most + 'x')),
            "is larger than 1 MiB, the most for a small file");
}

TEST_F(TextFileTest, RefusesAHugeFileWithoutReadingIt) {
  const std::filesystem::path sparse = folder_.write("sparse", "{");
  ASSERT_EQ(truncate(sparse.c_str(), off_t{1} << 40), 0);
  EXPECT_EQ(refusal(sparse), "is larger than 1 MiB, the most for a small file");
}

TEST_F(TextFileTest, RefusesWhatIsNotAFile) {
  EXPECT_EQ(refusal(folder_.path() / "absent"), "there is no such file");
  EXPECT_EQ(refusal(folder_.write("file", "") / "below"), "there is no such file");
  EXPECT_EQ(refusal(folder_.path()), "is a folder; give a file");
  EXPECT_EQ(refusal("/dev/zero"), "is not a regular file");
  EXPECT_EQ(refusal("/dev/zero", kPiped), "is neither a regular file nor a pipe");
  const std::filesystem::path pipe = make_pipe();
  EXPECT_EQ(refusal(pipe), "is not a regular file");
  EXPECT_EQ(refusal(pipe, kPiped), "is an empty pipe; start its writer first");
  EXPECT_EQ(refusal("/proc/self/mem"), "cannot be read: Input/output error");
}

TEST_F(TextFileTest, ReadsAPipeWhoseWriterIsSlow) {
  const std::filesystem::path pipe = make_pipe();
  const int keeps_it_open = open(pipe.c_str(), O_RDWR | O_CLOEXEC);
  std::thread writer([&] {
    const int out = open(pipe.c_str(), O_WRONLY | O_CLOEXEC);
    close(keeps_it_open);
    for (int i = 0; i < 5; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      EXPECT_EQ(write(out, "part ", 5), 5);
    }
    close(out);
  });
  EXPECT_EQ(read_text_file(pipe, kPiped), "part part part part part ");
  writer.join();
}

TEST_F(TextFileTest, StopsReadingAPipeThatNeverEnds) {
  const std::filesystem::path pipe = make_pipe();
  const int keeps_it_open = open(pipe.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK);
  std::jthread writer([&](const std::stop_token& stop) {
    const std::string part(4096, 'x');
    while (!stop.stop_requested())
      if (write(keeps_it_open, part.data(), part.size()) < 0) std::this_thread::yield();
  });
  EXPECT_EQ(refusal(pipe, kPiped), "is larger than 1 MiB, the most for a small file");
  writer.request_stop();
  writer.join();
  close(keeps_it_open);
}

TEST_F(TextFileTest, ReadsTheBeginningOfAFile) {
  std::array<std::uint8_t, 4> bytes{};
  EXPECT_EQ(read_beginning(folder_.write("long", "abcdefg"), bytes), 4U);
  EXPECT_EQ(bytes[3], 'd');
  EXPECT_EQ(read_beginning(folder_.write("short", "xy"), bytes), 2U);
  EXPECT_THROW(read_beginning(make_pipe(), bytes), InputError);
}

TEST_F(TextFileTest, WhatIsReplacedKeepsItsModeAndItsLink) {
  namespace fs = std::filesystem;
  const fs::path file = folder_.write("private", "old");
  const fs::path link = folder_.path() / "link";
  fs::create_symlink("private", link);
  for (const auto mode : {fs::perms::owner_read | fs::perms::owner_write,
                          fs::perms::owner_all | fs::perms::group_read}) {
    fs::permissions(file, mode);
    write_file(link, "new");
    EXPECT_EQ(fs::status(file).permissions(), mode);
  }
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_EQ(read_text_file(file, kPiped), "new");
  const fs::path fresh = folder_.path() / "fresh";
  const mode_t usual = umask(027);
  write_file(fresh, "new");
  umask(usual);
  EXPECT_EQ(fs::status(fresh).permissions(),
            fs::perms::owner_read | fs::perms::owner_write | fs::perms::group_read);
}

// Somebody else may have made links with the names of files that we write.
TEST_F(TextFileTest, TheNewFileHasANameThatCannotBeGuessed) {
  namespace fs = std::filesystem;
  const fs::path precious = folder_.write("precious", "precious");
  const fs::path planted = folder_.path() / ("out." + std::to_string(getpid()) + ".tmp");
  fs::create_symlink(precious, planted);
  for (const char* content : {"first", "second"}) write_file(folder_.path() / "out", content);
  EXPECT_EQ(read_text_file(precious, kPiped), "precious");
  EXPECT_TRUE(fs::is_symlink(planted));
  EXPECT_EQ(read_text_file(folder_.path() / "out", kPiped), "second");
  EXPECT_THROW(write_file(folder_.path() / "none" / "out", ""), MachineError);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_.path()), fs::directory_iterator()), 3);
}

TEST_F(TextFileTest, AFileOfOursTakesThePlaceOfALinkAndOfAPipe) {
  namespace fs = std::filesystem;
  const fs::path precious = folder_.write("precious", "precious");
  const fs::path link = folder_.path() / "link";
  fs::create_symlink(precious, link);
  for (const fs::path& file : {link, make_pipe()}) {
    replace_file(file, "ours");
    EXPECT_EQ(fs::symlink_status(file).type(), fs::file_type::regular);
    EXPECT_EQ(read_text_file(file, kSmall), "ours");
  }
  EXPECT_EQ(read_text_file(precious, kSmall), "precious");
  EXPECT_THROW(replace_file(folder_.path(), ""), MachineError);
}

}  // namespace
}  // namespace tilewright
