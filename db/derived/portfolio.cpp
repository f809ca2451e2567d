#include "db/derived/portfolio.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <map>
#include <utility>

namespace tilewright {
namespace {

constexpr std::size_t kMostWork = 30'000'000;  // sets that the exact search may examine
constexpr double kUnserved = -1;

class ProblemSet {
 public:
  explicit ProblemSet(std::size_t problems = 0) : words_((problems + 63) / 64) {}

  void add(std::size_t i) { words_[i / 64] |= std::uint64_t{1} << (i % 64); }
  bool has(std::size_t i) const { return (words_[i / 64] >> (i % 64) & 1) != 0; }
  void add(const ProblemSet& other) {
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] |= other.words_[i];
  }
  std::size_t size() const {
    std::size_t count = 0;
    for (const std::uint64_t word : words_) count += static_cast<std::size_t>(std::popcount(word));
    return count;
  }
  // How many of `other` are not in this one.
  std::size_t gains(const ProblemSet& other) const {
    std::size_t count = 0;
    for (std::size_t i = 0; i < words_.size(); ++i)
      count += static_cast<std::size_t>(std::popcount(other.words_[i] & ~words_[i]));
    return count;
  }
  bool holds(const ProblemSet& other) const { return gains(other) == 0; }
  auto operator<=>(const ProblemSet&) const = default;

 private:
  std::vector<std::uint64_t> words_;
};

// The distinct sets that no other set contains, each with its configuration of least loss.
struct Covers {
  std::vector<ProblemSet> sets;
  std::vector<std::size_t> configurations;
  ProblemSet all;
};

// The logarithms of the ratios that serve, by configuration and problem; kUnserved elsewhere.
using Logarithms = std::vector<std::vector<double>>;

Logarithms logarithms_of(const PortfolioWish& wish) {
  Logarithms rows(wish.times.size(), std::vector<double>(wish.problems, kUnserved));
  for (std::size_t i = 0; i < wish.times.size(); ++i)
    for (const TimedPair& pair : wish.times[i])
      if (pair.ratio <= 1 + wish.within)
        rows[i][pair.problem] = std::log(std::max(pair.ratio, 1.0));
  return rows;
}

Covers covers_of(const Logarithms& rows, std::size_t problems) {
  std::map<ProblemSet, std::pair<double, std::size_t>> distinct;  // loss, configuration
  for (std::size_t i = 0; i < rows.size(); ++i) {
    ProblemSet set(problems);
    double loss = 0;
    for (std::size_t p = 0; p < problems; ++p) {
      if (rows[i][p] < 0) continue;
      set.add(p);
      loss += rows[i][p];
    }
    if (set.size() == 0) continue;
    const auto [at, is_new] = distinct.try_emplace(set, loss, i);
    if (!is_new) at->second = std::min(at->second, {loss, i});
  }
  std::vector<std::pair<ProblemSet, std::size_t>> sorted;
  for (const auto& [set, best] : distinct) sorted.emplace_back(set, best.second);
  std::ranges::stable_sort(sorted, std::ranges::greater{},
                           [](const auto& one) { return one.first.size(); });
  Covers covers;
  covers.all = ProblemSet(problems);
  for (const auto& [set, configuration] : sorted) {
    const bool is_held = std::ranges::any_of(
        covers.sets, [&set = set](const ProblemSet& larger) { return larger.holds(set); });
    if (is_held) continue;
    covers.sets.push_back(set);
    covers.configurations.push_back(configuration);
    covers.all.add(set);
  }
  return covers;
}

// Chooses, again and again, the set that gains most, until everything is covered.
std::vector<std::size_t> cover_greedily(const Covers& covers, std::size_t problems) {
  std::vector<std::size_t> chosen;
  ProblemSet covered(problems);
  while (!covered.holds(covers.all)) {
    std::size_t best = 0;
    for (std::size_t i = 1; i < covers.sets.size(); ++i)
      if (covered.gains(covers.sets[i]) > covered.gains(covers.sets[best])) best = i;
    chosen.push_back(best);
    covered.add(covers.sets[best]);
  }
  return chosen;
}

// Branch and bound. One of the sets that cover the rarest uncovered problem must be chosen. A
// branch that needs as many sets as the best known cover is abandoned.
class ExactCover {
 public:
  ExactCover(const Covers& covers, std::size_t problems, std::vector<std::size_t> enough)
      : covers_(covers), problems_(problems), best_(std::move(enough)) {}

  void run() { descend(ProblemSet(problems_)); }
  const std::vector<std::size_t>& best() const { return best_; }
  bool is_proven() const { return work_ < kMostWork; }

 private:
  void descend(const ProblemSet& covered) {
    const std::size_t open = covered.gains(covers_.all);
    if (open == 0) {
      best_ = chosen_;  // fewer than before, else the branch would have been abandoned
      return;
    }
    if (work_ >= kMostWork) return;
    work_ += covers_.sets.size() * (1 + open);
    std::size_t most = 1;
    for (const ProblemSet& set : covers_.sets) most = std::max(most, covered.gains(set));
    if (chosen_.size() + (open + most - 1) / most >= best_.size()) return;
    for (const std::size_t i : sets_of_rarest(covered)) {
      ProblemSet more = covered;
      more.add(covers_.sets[i]);
      chosen_.push_back(i);
      descend(more);
      chosen_.pop_back();
    }
  }

  // The sets that gain most come first.
  std::vector<std::size_t> sets_of_rarest(const ProblemSet& covered) const {
    std::vector<std::size_t> rarest;
    for (std::size_t p = 0; p < problems_; ++p) {
      if (covered.has(p) || !covers_.all.has(p)) continue;
      std::vector<std::size_t> sets;
      for (std::size_t i = 0; i < covers_.sets.size(); ++i)
        if (covers_.sets[i].has(p)) sets.push_back(i);
      if (rarest.empty() || sets.size() < rarest.size()) rarest = std::move(sets);
    }
    std::ranges::stable_sort(rarest, std::ranges::greater{},
                             [&](std::size_t i) { return covered.gains(covers_.sets[i]); });
    return rarest;
  }

  const Covers& covers_;
  const std::size_t problems_;
  std::vector<std::size_t> best_;
  std::vector<std::size_t> chosen_;
  std::size_t work_ = 0;
};

struct Service {
  std::size_t served = 0;
  double loss = 0;  // sum of logarithms

  bool is_better_than(const Service& other) const {
    if (served != other.served) return served > other.served;
    return loss < other.loss - 1e-12;
  }
};

// The chosen configuration that serves the problem best; nothing if none does.
std::optional<std::size_t> server_of(const Logarithms& rows, const std::vector<std::size_t>& chosen,
                                     std::size_t problem) {
  std::optional<std::size_t> best;
  for (std::size_t k = 0; k < chosen.size(); ++k) {
    const double loss = rows[chosen[k]][problem];
    if (loss >= 0 && (!best || loss < rows[chosen[*best]][problem])) best = k;
  }
  return best;
}

Service service_of(const Logarithms& rows, const std::vector<std::size_t>& chosen,
                   std::size_t problems) {
  Service service;
  for (std::size_t p = 0; p < problems; ++p) {
    const auto server = server_of(rows, chosen, p);
    if (!server) continue;
    ++service.served;
    service.loss += rows[chosen[*server]][p];
  }
  return service;
}

void exchange(const Logarithms& rows, std::size_t problems, std::vector<std::size_t>& chosen) {
  Service best = service_of(rows, chosen, problems);
  bool has_changed = true;
  while (has_changed) {
    has_changed = false;
    for (std::size_t& place : chosen)
      for (std::size_t i = 0; i < rows.size(); ++i) {
        const std::size_t before = std::exchange(place, i);
        const Service now = service_of(rows, chosen, problems);
        if (now.is_better_than(best)) {
          best = now;
          has_changed = true;
        } else {
          place = before;
        }
      }
  }
}

ChosenPortfolio assigned(const Logarithms& rows, std::size_t problems,
                         std::vector<std::size_t> chosen) {
  std::vector<std::size_t> served(rows.size());
  for (std::size_t p = 0; p < problems; ++p)
    if (const auto server = server_of(rows, chosen, p)) ++served[chosen[*server]];
  std::erase_if(chosen, [&served](std::size_t i) { return served[i] == 0; });
  std::ranges::sort(chosen, [&served](std::size_t a, std::size_t b) {
    return served[a] != served[b] ? served[a] > served[b] : a < b;
  });
  ChosenPortfolio portfolio;
  portfolio.configurations = std::move(chosen);
  for (std::size_t p = 0; p < problems; ++p) {
    portfolio.serving.push_back(server_of(rows, portfolio.configurations, p));
    const auto& server = portfolio.serving.back();
    portfolio.ratios.push_back(server ? std::exp(rows[portfolio.configurations[*server]][p]) : 0);
  }
  return portfolio;
}

}  // namespace

std::size_t ChosenPortfolio::served() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(serving, [](const auto& server) { return server.has_value(); }));
}

ChosenPortfolio choose_portfolio(const PortfolioWish& wish) {
  const Logarithms rows = logarithms_of(wish);
  const Covers covers = covers_of(rows, wish.problems);
  ExactCover search(covers, wish.problems, cover_greedily(covers, wish.problems));
  search.run();
  std::vector<std::size_t> chosen = search.best();
  const std::size_t needed = chosen.size();
  if (chosen.size() > wish.at_most) {
    chosen = cover_greedily(covers, wish.problems);
    chosen.resize(std::min(chosen.size(), wish.at_most));
  }
  for (std::size_t& one : chosen) one = covers.configurations[one];
  exchange(rows, wish.problems, chosen);
  ChosenPortfolio portfolio = assigned(rows, wish.problems, std::move(chosen));
  portfolio.needed = needed;
  portfolio.is_fewest = search.is_proven();
  return portfolio;
}

}  // namespace tilewright
