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
#include "db/tables/identity.hpp"
#include "db/tables/rows.hpp"

namespace tilewright {
namespace {

constexpr std::int64_t kSilenceOfADeadOneSeconds = std::int64_t{15} * 60;

// Tokens of the connections that this process has open.
struct OpenTokens {
  std::mutex mutex;
  std::set<std::string> tokens;
};

// Calls `use` with the tokens, which are never destroyed, because a Store may be static and end
// later.
template <class Use>
auto with_open_tokens(const Use& use) {
  static OpenTokens& open = *new OpenTokens;
  const std::scoped_lock lock(open.mutex);
  return use(open.tokens);
}

// The columns of `claim` from `host` on. An equal `boot` and equal `processes` mean that a process
// number stands for the same process here and there.
struct OwnerProcess {
  std::string host;
  std::string boot;
  std::string processes;
  std::int64_t number = 0;
  std::int64_t start = 0;  // ticks since the host's start; 0: not known
};

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

OwnerProcess this_process() {
  OwnerProcess self;
  std::array<char, HOST_NAME_MAX + 1> name{};
  if (gethostname(name.data(), name.size() - 1) == 0) self.host = name.data();
  self.boot = first_line("/proc/sys/kernel/random/boot_id");
  std::error_code unknown;
  self.processes = std::filesystem::read_symlink("/proc/self/ns/pid", unknown).string();
  self.number = getpid();
  self.start = start_of(self.number).value_or(0);
  return self;
}

bool is_running(const OwnerProcess& process) {
  if (const auto start = start_of(process.number)) return *start == process.start;
  return kill(static_cast<pid_t>(process.number), 0) == 0 || errno == EPERM;
}

struct Claim {
  std::string token;
  OwnerProcess process;
  std::int64_t heartbeat = 0;
};

std::optional<Claim> claim_of(Database& database, std::int64_t sweep) {
  Statement select(database,
                   "SELECT token, host, boot, processes, process, process_start, heartbeat "
                   "FROM claim WHERE sweep = ?",
                   {sweep});
  if (!select.step()) return std::nullopt;
  Columns columns(select);
  Claim claim;
  OwnerProcess& owner = claim.process;
  read_cells(columns, claim.token, owner.host, owner.boot, owner.processes, owner.number,
             owner.start, claim.heartbeat);
  return claim;
}

// Whether the connection that made the claim may still be measuring.
bool holds(const Claim& claim) {
  const OwnerProcess self = this_process();
  const OwnerProcess& owner = claim.process;
  if (owner.boot == self.boot && owner.processes == self.processes) {
    const bool is_self = owner.number == self.number && owner.start == self.start;
    return is_self ? with_open_tokens([&](auto& open) { return open.contains(claim.token); })
                   : is_running(owner);
  }
  if (owner.host == self.host && owner.boot != self.boot) return false;  // restarted since
  const std::int64_t now = seconds_since_1970();  // of this host; the other's clock may be ahead
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
  throw SweepInUse(fmt::format("the same sweep is measured by process {} of {}",
                               claim->process.number, claim->process.host));
}

void Claimant::take(Database& database, std::int64_t sweep) const {
  const OwnerProcess self = this_process();
  Statement(database,
            "INSERT OR REPLACE INTO claim (sweep, token, host, boot, processes, process, "
            "process_start, heartbeat) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            {sweep, token_, self.host, self.boot, self.processes, self.number, self.start,
             seconds_since_1970()})
      .run();
}

void Claimant::renew(Database& database, std::int64_t sweep) const {
  require_free(database, sweep);
  Statement(database, "UPDATE claim SET heartbeat = ? WHERE sweep = ? AND token = ?",
            {seconds_since_1970(), sweep, token_})
      .run();
}

}  // namespace tilewright
