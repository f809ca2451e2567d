#include "db/store/claims.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <mutex>
#include <optional>
#include <set>
#include <sstream>
#include <vector>

#include "db/records/sweep_records.hpp"
#include "db/tables/rows.hpp"

namespace tilewright {
namespace {

constexpr std::int64_t kSilenceOfADeadOneSeconds = std::int64_t{15} * 60;

// Tokens of the connections that this process has open.
struct OpenTokens {
  std::mutex mutex;
  std::set<std::string> tokens;
};

// Never destroyed, because a Store may be static and end later.
OpenTokens& open_tokens() {
  static OpenTokens& open = *new OpenTokens;
  return open;
}

template <class Use>
auto with_open_tokens(const Use& use) {
  const std::scoped_lock lock(open_tokens().mutex);
  return use(open_tokens().tokens);
}

// A row of `claim`. An equal `boot` and equal `processes` mean that a process number stands for the
// same process here and there.
struct Claim {
  std::int64_t sweep = 0;
  std::string token;
  std::string host;
  std::string boot;
  std::string processes;
  std::int64_t process = 0;
  std::int64_t process_start = 0;  // ticks since the host's start; 0: not known
  std::int64_t heartbeat = 0;
};

}  // namespace

TILEWRIGHT_LIST_FIELDS(always, Claim, sweep, token, host, boot, processes, process, process_start,
                       heartbeat);

namespace {

std::string first_line(const char* file) {
  std::ifstream stream(file);
  std::string line;
  std::getline(stream, line);
  return line;
}

// When the process started; nothing if /proc does not show it, 0 if it has ended.
std::optional<std::int64_t> start_of(std::int64_t process) {
  std::ifstream stream(fmt::format("/proc/{}/stat", process));
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  const std::size_t name_end = text.rfind(')');  // the name may contain anything
  if (name_end == std::string::npos) return std::nullopt;
  std::istringstream rest(text.substr(name_end + 1));
  const std::vector<std::string> fields{std::istream_iterator<std::string>(rest), {}};
  constexpr std::size_t kState = 0;
  constexpr std::size_t kStart = 19;
  if (fields.size() <= kStart) return std::nullopt;
  const bool has_ended = fields[kState] == "Z" || fields[kState] == "X";
  return has_ended ? 0 : std::strtoll(fields[kStart].c_str(), nullptr, 10);
}

// What this process says of itself.
Claim own_claim(std::int64_t sweep, const std::string& token) {
  Claim claim;
  claim.sweep = sweep;
  claim.token = token;
  std::array<char, HOST_NAME_MAX + 1> name{};
  if (gethostname(name.data(), name.size() - 1) == 0) claim.host = name.data();
  claim.boot = first_line("/proc/sys/kernel/random/boot_id");
  std::error_code unknown;
  claim.processes = std::filesystem::read_symlink("/proc/self/ns/pid", unknown).string();
  claim.process = getpid();
  claim.process_start = start_of(claim.process).value_or(0);
  claim.heartbeat = seconds_since_1970();
  return claim;
}

bool is_running(const Claim& claim) {
  if (const auto start = start_of(claim.process)) return *start == claim.process_start;
  return kill(static_cast<pid_t>(claim.process), 0) == 0 || errno == EPERM;
}

std::optional<Claim> claim_of(Database& database, std::int64_t sweep) {
  Statement select(
      database, "SELECT " + columns_sql<Claim>("c") + " FROM claim c WHERE c.sweep = ?", {sweep});
  if (!select.step()) return std::nullopt;
  Columns columns(select);
  return read_fields<Claim>(columns);
}

// Whether the connection that made the claim may still be measuring.
bool holds(const Claim& claim) {
  const Claim self = own_claim(claim.sweep, {});
  if (claim.boot == self.boot && claim.processes == self.processes) {
    const bool is_self = claim.process == self.process && claim.process_start == self.process_start;
    return is_self ? with_open_tokens([&](auto& open) { return open.contains(claim.token); })
                   : is_running(claim);
  }
  if (claim.host == self.host && claim.boot != self.boot) return false;  // restarted since
  const std::int64_t now = self.heartbeat;  // of this host; the other's clock may be ahead
  return claim.heartbeat > now - kSilenceOfADeadOneSeconds &&
         claim.heartbeat < now + kSilenceOfADeadOneSeconds;
}

}  // namespace

Claimant::Claimant() : token_(new_uuid()) {
  with_open_tokens([this](auto& open) { open.insert(token_); });
}

Claimant::~Claimant() {
  with_open_tokens([this](auto& open) { open.erase(token_); });
}

void Claimant::require_free(Database& database, std::int64_t sweep) const {
  const auto claim = claim_of(database, sweep);
  if (!claim || claim->token == token_ || !holds(*claim)) return;
  throw SweepInUse(
      fmt::format("the same sweep is measured by process {} of {}", claim->process, claim->host));
}

void Claimant::take(Database& database, std::int64_t sweep) const {
  database.run("DELETE FROM claim WHERE sweep = ?", {sweep});
  std::vector<Cell> cells;
  add_cells(cells, own_claim(sweep, token_));
  database.run(insert_sql("claim", columns_of<Claim>()), cells);
}

void Claimant::renew(Database& database, std::int64_t sweep) const {
  require_free(database, sweep);
  database.run("UPDATE claim SET heartbeat = ? WHERE sweep = ? AND token = ?",
               {seconds_since_1970(), sweep, token_});
}

}  // namespace tilewright
