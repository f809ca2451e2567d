#pragma once

#include <chrono>
#include <nlohmann/json_fwd.hpp>

#include "tuner/worker/deadline.hpp"

namespace tilewright {

// Messages between a program and its workers: a length of 4 bytes, little-endian, then CBOR.

enum class ReadStatus { message, end_of_file, timed_out, malformed };

// Waits for the whole message. Sets `message` only if it returns ReadStatus::message.
ReadStatus read_message(int fd, nlohmann::json& message, Deadline& deadline);

// False if the other end is closed or does not read the message in time. Raises no SIGPIPE.
bool write_message(int fd, const nlohmann::json& message, Deadline& deadline);

// Up to `limit`; zero: for ever.
ReadStatus read_message(int fd, nlohmann::json& message, std::chrono::milliseconds limit);
bool write_message(int fd, const nlohmann::json& message,
                   std::chrono::milliseconds limit = std::chrono::milliseconds(0));

}  // namespace tilewright
