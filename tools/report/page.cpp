#include "tools/report/report.hpp"

#include <fmt/format.h>

#include <map>
#include <random>

#include "definition/json/codec.hpp"
#include "definition/text/escape.hpp"
#include "tilewright/error.hpp"

namespace tilewright::tools {
namespace {

constexpr std::string_view kNonceMark = "@nonce@";

// A template with its marks "{{name}}" replaced. What replaces them is not searched for marks.
std::string filled(std::string_view text, const std::map<std::string, std::string>& parts) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t open = text.find("{{", at);
    const std::size_t close = text.find("}}", open);
    result += text.substr(at, open - at);
    if (close == std::string_view::npos) break;
    result += parts.at(std::string(text.substr(open + 2, close - open - 2)));
    at = close + 2;
  }
  return result;
}

// JSON in an element of HTML: without any '<' it can end neither the element nor begin another.
std::string embedded_json(const nlohmann::json& document) {
  std::string text;
  for (const char c : visible_json(json_text(document)))
    if (c == '<')
      text += "\\u003c";
    else
      text += c;
  return text;
}

// `script` allows exactly the page's own scripts. Plotly compiles WebGL code with Function().
std::string security_policy(const std::string& nonce) {
  return fmt::format(
      "default-src 'none'; script-src 'nonce-{}' 'unsafe-eval'; style-src 'unsafe-inline'; "
      "img-src data: blob:; base-uri 'none'; form-action 'none'",
      nonce);
}

}  // namespace

std::string inlined_library(const std::string& plotly) {
  if (plotly.find("</script") != std::string::npos || plotly.find("<!--") != std::string::npos)
    throw MachineError("plotly.min.js has text that would end its element in an HTML page");
  return fmt::format("<script nonce=\"{}\">{}</script>", kNonceMark, plotly);
}

std::string linked_library() {
  return fmt::format(
      "<script nonce=\"{}\" src=\"{}\" integrity=\"{}\" crossorigin=\"anonymous\"></script>",
      kNonceMark, kPlotlyUrl, kPlotlyHash);
}

std::string report_page(const nlohmann::json& document, const std::string& library,
                        const std::string& nonce) {
  std::string element = library;
  if (const std::size_t at = element.find(kNonceMark); at != std::string::npos)
    element.replace(at, kNonceMark.size(), nonce);
  return filled(kReportPage, {{"policy", security_policy(nonce)},
                              {"nonce", nonce},
                              {"style", std::string(kReportStyle)},
                              {"data", embedded_json(document)},
                              {"library", element},
                              {"scripts", fmt::format("'use strict';\n{}", kReportScripts)}});
}

std::string new_nonce() {
  std::random_device random;
  std::string nonce;
  for (int i = 0; i < 4; ++i) nonce += fmt::format("{:08x}", random());
  return nonce;
}

}  // namespace tilewright::tools
