#pragma once

#include <chrono>
#include <nlohmann/json_fwd.hpp>

namespace tilewright {

// Messages between a program and its workers: a length of 4 bytes, little-endian, then CBOR.

enum class ReadStatus { message, end_of_file, timed_out, malformed };

// Waits up to `limit` (zero: for ever) for the whole message. Sets `message` only if it returns
// ReadStatus::message.
ReadStatus read_message(int fd, nlohmann::json& message, std::chrono::milliseconds limit);

// False if the other end is closed or does not read the message within `limit` (zero: for ever).
// Raises no SIGPIPE.
bool write_message(int fd, const nlohmann::json& message,
                   std::chrono::milliseconds limit = std::chrono::milliseconds(0));

}  // namespace tilewright
