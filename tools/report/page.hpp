#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace tilewright::tools {

// The release of plotly.js that the page is written for. tools/setup.sh fetches it in this wheel of
// PyPI. The hash is that of its plotly.min.js, as browsers check it.
inline constexpr const char* kPlotlyVersion = "4.1.1";
inline constexpr const char* kPlotlyHash =
    "sha384-AFNp2MtSm5/oZbEs/J19F/Ah57MEiVsoed8nE3fq2Wnccdl1u/EkyJ9XKKU8rt7+";
inline constexpr const char* kPlotlyUrl = "https://cdn.plot.ly/plotly-4.1.1.min.js";

// The page's element with the library: its text inlined, or a link to it.
std::string inlined_library(const std::string& plotly);
std::string linked_library();

// The HTML page. The browser runs only its own scripts, which carry `nonce`: random characters
// that no writer of the data could know. It loads nothing but the linked library.
std::string report_page(const nlohmann::json& document, const std::string& library,
                        const std::string& nonce);

// 128 random bits, hexadecimal.
std::string new_nonce();

}  // namespace tilewright::tools

namespace tilewright {

// The parts of the report's page, as text.
extern const std::string_view kReportPage;
extern const std::string_view kReportStyle;
extern const std::string_view kReportScripts;

}  // namespace tilewright
