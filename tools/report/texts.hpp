#pragma once

#include <string_view>

namespace tilewright {

// The parts of the report's page, as text.
extern const std::string_view kReportPage;
extern const std::string_view kReportStyle;
extern const std::string_view kReportData;
extern const std::string_view kReportElements;
extern const std::string_view kReportPlots;
extern const std::string_view kReportTrials;
extern const std::string_view kReportParallel;
extern const std::string_view kReportParameters;
extern const std::string_view kReportSweep;
extern const std::string_view kReportComparison;
extern const std::string_view kReportControls;
extern const std::string_view kReportMain;

}  // namespace tilewright
