#include "bindings/c/status.hpp"

#include <new>

#include "tilewright/error.hpp"
#include "tilewright/version.hpp"

namespace tilewright::bindings {
namespace {

std::string& error_text() {
  thread_local std::string text;
  return text;
}

}  // namespace

tw_status failed(tw_status status, const char* text) noexcept {
  try {
    error_text() = text;
  } catch (...) {
    error_text().clear();  // no memory even for the message
  }
  return status;
}

tw_status status_of_exception() noexcept {
  try {
    throw;
  } catch (const NothingFound& error) {
    return failed(TW_NOTHING, error.what());
  } catch (const InputError& error) {
    return failed(TW_INPUT_ERROR, error.what());
  } catch (const MachineError& error) {
    return failed(TW_MACHINE_ERROR, error.what());
  } catch (const LaunchError& error) {
    return failed(TW_LAUNCH_ERROR, error.what());
  } catch (const std::bad_alloc&) {
    return failed(TW_MACHINE_ERROR, "out of memory");
  } catch (const std::exception& error) {
    return failed(TW_INTERNAL_ERROR, error.what());
  } catch (...) {
    return failed(TW_INTERNAL_ERROR, "an exception of an unknown type");
  }
}

}  // namespace tilewright::bindings

const char* tw_error_text(void) {
  return tilewright::bindings::error_text().c_str();
}

const char* tw_version(void) {
  return tilewright::kVersion;
}
