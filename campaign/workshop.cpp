#include "campaign/workshop.hpp"

namespace tilewright {

Workshop::Tools Workshop::tools(DeviceKind kind) {
  const std::lock_guard lock(tools_mutex_);
  if (!workers_) workers_ = options_.workers();
  if (!compilers_ || kind_ != kind) compilers_.emplace(*workers_, kind);
  kind_ = kind;
  return {*workers_, compilers_->shared_by(options_.campaigns, lines_++)};
}

}  // namespace tilewright
