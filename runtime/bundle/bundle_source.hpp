#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "db/ladder/ladder.hpp"
#include "runtime/bundle/bundle_file.hpp"
#include "runtime/launch/kernels.hpp"

namespace tilewright {

// The kernels of a bundle: those for the problems that it holds, and those for other problems that
// some of its code can run.
class BundleSource final : public Kernel::Source,
                           public std::enable_shared_from_this<BundleSource> {
 public:
  // Throws InputError as read_bundle() does, and if the bundle's definitions are not understood.
  explicit BundleSource(const std::filesystem::path& file);

  const BundleContents& contents() const { return contents_; }

  std::optional<KernelAttempt> next(const KernelRequest& request, const DeviceReport& device,
                                    std::span<const FailedAttempt> failed) override;

  // The kernel that was made for this very problem, whatever its rung. Nothing if the bundle has
  // none (then `why` says so), if it has failed, or if it takes inputs by value and the request
  // needs them in memory.
  std::optional<KernelAttempt> held(const KernelRequest& request, const Device& device,
                                    std::span<const FailedAttempt> failed, std::string& why) const;
  // The ladder's answer from those of the bundle's rows that it has code for. Nothing if it has no
  // such code; then `why` says so.
  std::optional<KernelAttempt> other(const KernelRequest& request, const Device& device,
                                     std::span<const FailedAttempt> failed, std::string& why) const;

  // The code for exactly these launches, because definitions may have changed since the bundle was
  // made.
  std::optional<RecipeCode> code_of(const Recipe& recipe) const;

 private:
  // The key of the build for this problem. Nothing if it was not compiled, or if it takes inputs by
  // value and the request needs them in memory.
  std::optional<std::string> build_of(const ChosenKernel& chosen, const KernelRequest& request,
                                      const Problem& problem, const Configuration& configuration,
                                      const Device& device) const;

  const std::string name_;
  const BundleContents contents_;
  const Library definitions_;
};

}  // namespace tilewright
