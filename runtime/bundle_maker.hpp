#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "db/catalog/state.hpp"
#include "runtime/bundle/bundle_file.hpp"
#include "runtime/code_source.hpp"
#include "tilewright/runtime.hpp"

namespace tilewright {

// Configurations of an operation for problems that a bundle does not hold.
struct BundleSpares {
  std::string operation;  // or an implementation, "gemm/blocked"
  Device device;
  std::vector<Problem> problems;      // to compile for: compiled-in values are those of one of them
  std::vector<BestRow> rows;          // their configurations are compiled; for the near rungs
  std::vector<PortableRow> portable;  // for the portable rung
};

// Looks kernels up, compiles them and puts them into a bundle. The devices need not be in this
// machine.
class BundleMaker {
 public:
  // Throws InputError as Runtime does. Ignores `bundles` of the options.
  explicit BundleMaker(const RuntimeOptions& options);

  // Compiles the best kernel for the question, which must name a device, and adds it if the bundle
  // does not have it. Of the environment only the power limit counts. Returns the answer that is in
  // the bundle now. Throws InputError as Catalog::look_up does, NothingFound if what fits is known
  // to be wrong, and MachineError if there is no compiler or the code does not compile.
  Answer add(const Question& question);

  // Adds each configuration of the rows, the default that a look-up would serve, and for other
  // sizes the first plain default that fits; what does not compile is left out. Each is compiled
  // once for all problems that share the code. Throws InputError for a problem of another
  // operation, and MachineError if there is no compiler. Returns the number of builds that are new.
  std::size_t add_spares(const BundleSpares& spares);

  // Adds few builds of general configurations, so that for each of the problems one of them is
  // expected to take at most a tenth longer than what a look-up without results would choose; and
  // for other sizes the first plain default that fits. Compiles on all cores.
  // What does not compile is left out. Throws and returns as add_spares().
  std::size_t add_general(const std::string& operation, const Device& device,
                          const std::vector<Problem>& problems);

  std::size_t size() const { return contents_.recipes.size(); }
  // Of what was added, and of what is known to be wrong of it.
  std::string bytes();

 private:
  // Code of a general configuration, by an example of what it is for.
  struct GeneralBuild;
  // The question with which a look-up without results begins.
  LadderQuestion question_of(const AskedProblem& asked, const Device& device);
  void add_spares_for(const BundleSpares& spares, const Problem& problem);
  void add_spare(const AskedProblem& asked, const Implementation& implementation,
                 const Configuration& configuration, const Device& device);
  // The default of the first implementation whose default may answer as it is.
  void add_plain(const AskedProblem& asked, const Device& device);
  std::vector<GeneralBuild> general_builds(const std::vector<AskedProblem>& problems,
                                           const Device& device);
  // Returns of each whether the bundle has the code now.
  std::vector<bool> add_builds(const std::vector<GeneralBuild>& builds,
                               const std::vector<AskedProblem>& problems, const Device& device);
  // Returns whether the bundle has the code now.
  bool add_code(const std::string& key, const ChosenKernel& chosen, CompileResult result);
  void add_build(const std::string& key, CompileResult result);  // throws as code_of()
  void add_definitions(const ChosenKernel& chosen);
  void add_routine(const Catalog::State::Climbed& climbed);
  void add_row(const BestRow& row);

  Catalog::State catalog_;
  CodeSource codes_;
  BundleContents contents_;
  std::map<std::string, std::string>
      code_hashes_;  // CompileResult::code_hash of its builds, by key
  std::set<std::string> operations_;
  std::set<std::filesystem::path> manifests_;
};

}  // namespace tilewright
