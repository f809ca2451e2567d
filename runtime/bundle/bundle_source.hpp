#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "db/ladder/ladder.hpp"
#include "db/ladder/present.hpp"
#include "runtime/bundle/bundle_file.hpp"
#include "runtime/launch/kernels.hpp"

namespace tilewright {

// Of a library that is searched in the usual places.
std::string usual_library_version(const std::string& routine);

// The kernels of a bundle: those for the problems that it holds, and those for other problems that
// some of its code can run.
class BundleSource final : public Kernel::Source,
                           public std::enable_shared_from_this<BundleSource> {
 public:
  // Throws InputError as read_bundle() does, and if the bundle's definitions are not understood.
  explicit BundleSource(const std::filesystem::path& file,
                        LibraryVersion version = usual_library_version);

  const BundleContents& contents() const { return contents_; }
  const Library& definitions() const { return definitions_; }

  std::optional<KernelAttempt> next(const KernelRequest& request, const DeviceReport& device,
                                    std::span<const FailedAttempt> failed) override;

  // The routine that was the best for this very problem, if its library is here. Else the kernel
  // that was made for the problem, whatever its rung. Nothing if the bundle has
  // none (then `why` says so), if it has failed, or if it takes inputs by value and the request
  // needs them in memory.
  std::optional<KernelAttempt> held(const KernelRequest& request, const DeviceReport& device,
                                    std::span<const FailedAttempt> failed, std::string& why) const;
  // The ladder's answer, if it is none weaker than `weakest`, from those of the bundle's rows and
  // general configurations that it has code for. Nothing if it has no such code; then `why` says
  // so.
  std::optional<KernelAttempt> other(const KernelRequest& request, const DeviceReport& device,
                                     std::span<const FailedAttempt> failed, Rung weakest,
                                     std::string& why) const;
  // This answer with the bundle's code. Nothing if it has none, or it has failed.
  std::optional<KernelAttempt> same(const KernelRequest& request, const Device& device,
                                    std::span<const FailedAttempt> failed,
                                    const Answer& answer) const;
  // Tells by an implementation's name and a configuration whether the bundle has its code. It must
  // not outlive the source, the request and the device.
  using HasCode = std::function<bool(const std::string&, const Configuration&)>;
  HasCode ready_for(const KernelRequest& request, const Device& device) const;

  // The code for exactly these launches, because definitions may have changed since the bundle was
  // made.
  std::optional<RecipeCode> code_of(const Recipe& recipe) const;

 private:
  // What a request means by the bundle's own definitions.
  struct Asked : AskedProblem {
    const KernelRequest& request;
    const Device& device;
  };
  // Throws InputError if they do not know it.
  Asked understood(const KernelRequest& request, const Device& device) const;
  // The key of the build for this problem. Nothing if it was not compiled, or if it takes inputs by
  // value and the request needs them in memory.
  std::optional<std::string> build_of(const Asked& asked, const Implementation& implementation,
                                      const Configuration& configuration) const;

  const std::string name_;
  const BundleContents contents_;
  const Library definitions_;
  PresentDefinitions present_;  // knows libraries, and no sources
  const bool has_routines_;
  const std::shared_ptr<const KnownWrongs> known_wrong_;
};

}  // namespace tilewright
