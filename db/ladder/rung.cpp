// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#include "tilewright/catalog.hpp"

namespace tilewright {

std::string to_text(Rung rung) {
  switch (rung) {
    case Rung::override_given:
      return "override";
    case Rung::exact:
      return "exact";
    case Rung::other_policy:
      return "other policy";
    case Rung::near_problem:
      return "near problem";
    case Rung::near_device:
      return "near device";
    case Rung::portable:
      return "portable";
    case Rung::manifest_default:
      return "default";
    case Rung::none:
      return "none";
  }
  return "";
}

std::string to_text(Origin origin) {
  switch (origin) {
    case Origin::own:
      return "own";
    case Origin::imported:
      return "imported";
    case Origin::shipped:
      return "shipped";
  }
  return "";
}

bool accepts(Require require, Rung rung) {
  switch (require) {
    case Require::exact:
      return rung <= Rung::exact;
    case Require::device:
      return rung <= Rung::near_problem;
    case Require::any:
      return rung < Rung::none;
  }
  return false;
}

}  // namespace tilewright
