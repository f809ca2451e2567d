// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#include "db/subjects.hpp"

#include <fmt/format.h>

#include "db/identity.hpp"
#include "db/rows.hpp"

namespace tilewright {
namespace {

std::string subject_columns() {
  return fmt::format("{}, {}, {}", problem_columns("p"), device_columns("d"), policy_columns("y"));
}

Subject read_subject(Columns& columns) {
  Subject subject;
  subject.problem = read_problem(columns);
  subject.device = read_device(columns);
  subject.policy = read_policy(columns);
  return subject;
}

}  // namespace

std::vector<Subject> read_subjects(Database& database, const std::string& operation,
                                   const std::string& kind) {
  return read_row(database, [&] {
    Statement select(
        database,
        fmt::format("SELECT {} FROM (SELECT DISTINCT problem, device, policy FROM best) b "
                    "JOIN problem p ON p.id = b.problem JOIN device d ON d.id = b.device "
                    "JOIN policy y ON y.id = b.policy "
                    "WHERE p.operation = ? AND d.kind = ? ORDER BY p.settings, d.kind, d.name, "
                    "d.compute_capability, d.partition, "
                    "d.sm_count, d.l2_bytes, d.id, y.cache DESC, y.submission",
                    subject_columns()),
        {operation, kind});
    std::vector<Subject> subjects;
    while (select.step()) {
      Columns columns(select);
      subjects.push_back(read_subject(columns));
    }
    return subjects;
  });
}

void add_wanted_row(Database& database, const Wanted& wanted) {
  Statement(database,
            "INSERT INTO wanted (problem, device, policy, hits, rung, last_asked) "
            "VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (problem, device, policy) DO UPDATE SET "
            "hits = hits + excluded.hits, rung = excluded.rung, "
            "last_asked = max(last_asked, excluded.last_asked)",
            {intern(database, wanted.subject.problem), intern(database, wanted.subject.device),
             intern(database, wanted.subject.policy), wanted.hits, std::int64_t{wanted.rung},
             wanted.last_asked})
      .run();
}

std::vector<Wanted> read_wanted(Database& database, const std::string& operation) {
  return read_row(database, [&] {
    Statement select(
        database,
        fmt::format("SELECT {}, w.hits, w.rung, w.last_asked FROM wanted w "
                    "JOIN problem p ON p.id = w.problem JOIN device d ON d.id = w.device "
                    "JOIN policy y ON y.id = w.policy WHERE (?1 = '' OR p.operation = ?1) "
                    "AND NOT EXISTS (SELECT 1 FROM sweep s WHERE s.problem = w.problem "
                    "AND s.device = w.device AND s.policy = w.policy "
                    "AND s.finished >= w.last_asked) "
                    "ORDER BY w.hits DESC, p.operation, p.settings",
                    subject_columns()),
        {operation});
    std::vector<Wanted> wanted;
    while (select.step()) {
      Columns columns(select);
      Wanted one;
      one.subject = read_subject(columns);
      one.hits = columns.integer();
      one.rung = static_cast<int>(columns.integer());
      one.last_asked = columns.integer();
      wanted.push_back(one);
    }
    return wanted;
  });
}

}  // namespace tilewright
