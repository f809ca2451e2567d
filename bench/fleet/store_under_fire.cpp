// Eight sweeps and two readers use one database at the same time, each in its own process:
//   tilewright-store-under-fire [FOLDER [TRIALS]]
// Every trial is one transaction that is on disk before the call returns. The exit status is 1 if a
// trial is lost or incomplete, or if any process saw an error.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/mman.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <functional>
#include <iostream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "bench/micro/bench_data.hpp"
#include "db/store/store.hpp"
#include "db/tables/sqlite.hpp"
#include "tilewright/statistics.hpp"

namespace tilewright::bench {
namespace {

namespace fs = std::filesystem;

constexpr int kWriters = 8;
constexpr int kReaders = 2;
constexpr int kMostTrials = 100'000;

// What the processes report, in memory that they share.
struct Board {
  std::atomic<int> ready = 0;
  std::atomic<int> finished_writers = 0;
  std::atomic<int> errors = 0;
  std::atomic<std::int64_t> reads = 0;
  std::atomic<std::int64_t> trials_read = 0;
  float milliseconds[kWriters][kMostTrials] = {};
};

Board& shared_board() {
  void* memory =
      ::mmap(nullptr, sizeof(Board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::runtime_error("no shared memory");
  return *new (memory) Board;
}

double milliseconds_of(const std::function<void()>& call) {
  const auto start = std::chrono::steady_clock::now();
  call();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
      .count();
}

void write(const fs::path& file, Board& board, int writer, int trials) {
  Store store(file);
  const SweepRecord sweep =
      store.begin_sweep(sweep_of(1024 * (writer + 1)), {}, Store::Start::resume);
  for (int i = 0; i < trials; ++i)
    board.milliseconds[writer][i] =
        static_cast<float>(milliseconds_of([&] { store.add_trial(sweep.id, trial(i)); }));
  store.finish_sweep(sweep.id, "{}");
}

void read(const fs::path& file, Board& board, int trials) {
  const Store store(file, Store::Mode::read_only);
  while (board.finished_writers < kWriters) {
    if (store.best({}).size() > kWriters) ++board.errors;
    for (const SweepRecord& sweep : store.sweeps({})) {
      const auto found = store.trials(sweep.id);
      for (std::size_t i = 0; i < found.size(); ++i)
        if (found[i] != trial(static_cast<std::int64_t>(i))) ++board.errors;
      if (sweep.finished != 0 && found.size() != static_cast<std::size_t>(trials)) ++board.errors;
      board.trials_read += static_cast<std::int64_t>(found.size());
    }
    ++board.reads;
  }
}

// Runs in a process that is forked before any connection is open. Begins when all processes exist.
void start(Board& board, const std::function<void()>& body) {
  const pid_t child = ::fork();
  if (child < 0) throw std::runtime_error("no process");
  if (child > 0) return;
  ++board.ready;
  while (board.ready < kWriters + kReaders) std::this_thread::yield();
  try {
    body();
  } catch (const std::exception& error) {
    ++board.errors;
    std::cerr << error.what() << std::endl;
  }
  ::_exit(0);
}

void run_all(const fs::path& file, Board& board, int trials) {
  for (int i = 0; i < kWriters; ++i)
    start(board, [&, i] {
      try {
        write(file, board, i, trials);
      } catch (...) {
        ++board.finished_writers;  // else the readers would never end
        throw;
      }
      ++board.finished_writers;
    });
  for (int i = 0; i < kReaders; ++i) start(board, [&] { read(file, board, trials); });
  while (::wait(nullptr) > 0) {
  }
}

std::string processor() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);)
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  return "unknown processor";
}

std::string file_system_of(const fs::path& folder) {
  struct statfs status {};
  if (::statfs(folder.c_str(), &status) != 0) return "unknown file system";
  switch (static_cast<std::uint32_t>(status.f_type)) {
    case 0xEF53:
      return "ext4";
    case 0x58465342:
      return "xfs";
    case 0x9123683E:
      return "btrfs";
    case 0x01021994:
      return "tmpfs";
    case 0x794C7630:
      return "overlayfs";
    default:
      return fmt::format("file system {:#x}", status.f_type);
  }
}

// Whether all trials are there and no process saw an error.
bool report(const fs::path& file, const Board& board, int trials, double seconds) {
  Database database(file, Database::Mode::read_only, std::chrono::milliseconds(1000));
  const std::int64_t rows = database.integer("SELECT count(*) FROM trial");
  const std::string integrity = database.text("PRAGMA integrity_check");
  std::vector<double> waits;
  for (const auto& writer : board.milliseconds) waits.insert(waits.end(), writer, writer + trials);
  std::cout << fmt::format(
                   "{} writers of {} trials, {} readers: {} rows, {} errors, integrity {}\n",
                   kWriters, trials, kReaders, rows, board.errors.load(), integrity)
            << fmt::format("{:.1f} s, {:.0f} transactions a second\n", seconds,
                           static_cast<double>(rows) / seconds)
            << fmt::format("add_trial: median {:.1f} ms, 99 % below {:.0f} ms, longest {:.0f} ms\n",
                           median(waits), quantile(waits, 0.99), quantile(waits, 1))
            << fmt::format("readers: {} times everything, {} trials, each whole\n",
                           board.reads.load(), board.trials_read.load());
  return rows == std::int64_t{kWriters} * trials && board.errors == 0 && integrity == "ok";
}

int run(const std::vector<std::string>& words) {
  const fs::path parent = words.empty() ? fs::temp_directory_path() : fs::path(words[0]);
  const int trials = words.size() > 1 ? std::stoi(words[1]) : 1000;
  if (trials < 1 || trials > kMostTrials) throw std::invalid_argument("TRIALS is out of range");
  std::cout << fmt::format("{}, {} cores, {}, SQLite {}\n", processor(),
                           std::thread::hardware_concurrency(), file_system_of(parent),
                           sqlite_version())
            << std::flush;
  std::string name = (parent / "tilewright-under-fire-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
  const fs::path folder = name;
  { Store created(folder / "store.db"); }
  Board& board = shared_board();
  const double seconds =
      milliseconds_of([&] { run_all(folder / "store.db", board, trials); }) / 1000;
  const bool is_whole = report(folder / "store.db", board, trials, seconds);
  fs::remove_all(folder);
  return is_whole ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace
}  // namespace tilewright::bench

int main(int argc, char** argv) {
  try {
    return tilewright::bench::run({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    std::cerr << error.what() << std::endl;
    return EXIT_FAILURE;
  }
}
