// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <iosfwd>
#include <nlohmann/json_fwd.hpp>

#include "tools/work/portfolio_view.hpp"

namespace tilewright::tools {

// Each configuration with the problems that it serves and their losses, then those left.
void print_portfolio(std::ostream& out, const Operation& operation, const PortfolioView& view,
                     const ChosenPortfolio& chosen);

// The same; losses are fractions, 0.03 for 3 %.
nlohmann::json json_of(const Operation& operation, const PortfolioView& view,
                       const ChosenPortfolio& chosen);

}  // namespace tilewright::tools
