#include <fmt/format.h>

#include "tilewright/error.hpp"
#include "tools/input/command.hpp"
#include "tools/run/job_runner.hpp"

namespace tilewright::tools {
namespace {

struct JobRunGiven : GivenWords {
  JobMemberGiven member;

  void declare(Options& all) {
    all.text(member.sweep.measuring.device,
             {"device", "DEVICES",
              "Where to measure, as `tilewright devices` lists it; by default cuda:0, or host "
              "where there is no GPU. Each of several takes the next problem when it is free: all "
              "(the GPUs), cuda:0,2 or UUIDs."});
    all.text(member.local,
             {"local", "FOLDER",
              "Where this process keeps its trials until a problem is finished, on a disk of this "
              "machine; by default a folder below TMPDIR, else /tmp."});
    member.sweep.declare_run(all);
  }
};

int run_job_run(const JobRunGiven& given) {
  if (given.words.empty()) throw InputError("name the folder that `tilewright job create` made");
  if (given.words.size() > 1)
    throw InputError(fmt::format("'{}': the job's plan names what is swept", given.words[1]));
  JobMemberGiven member = given.member;
  member.folder = given.words.front();
  return run_job(member);
}

}  // namespace

Command job_run_command() {
  return make_command(
      {"job run", Purpose::many_machines,
       "Take part in a job: sweep its problems one by one until none is left or Ctrl-C.",
       "FOLDER [options]",
       "  tilewright job run /shared/gemm_job --device all\n\n"
       "any number of processes on any machines may do so (docs/fleet.md)\n"},
      run_job_run);
}

}  // namespace tilewright::tools
