#include "tools/octopipe/jitter_flags.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "compiler/base/quantity_text.h"
#include "compiler/base/status_macros.h"
#include "compiler/import/decimal.h"
#include "compiler/schedule/stage_table.h"
#include "tools/octopipe/integer_flag.h"

namespace octopipe {
namespace {

constexpr int64_t kWhole = 1'000'000;
constexpr int kMostSamples = 1'000'000;

// "5%", "2.5" in 1/1,000,000: from 0 to 100 %.
std::optional<int64_t> ParsePercent(absl::string_view text) {
  absl::ConsumeSuffix(&text, "%");
  const std::optional<int64_t> ppm = ScaledDecimal(text, 4);
  if (!ppm || *ppm < 0 || *ppm > kWhole) return std::nullopt;
  return ppm;
}

std::string PpmText(int64_t ppm) {
  std::string text = absl::StrFormat("%d.%04d", ppm / 10'000, ppm % 10'000);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text + " %";
}

// "+1.2 %", how much longer `ns` is than `exact_ns`.
std::string ChangeText(Nanos ns, Nanos exact_ns) {
  const std::string text = PercentText(ns - exact_ns, exact_ns);
  if (text == "-0.0 %") return "+0.0 %";
  return text.front() == '-' ? text : "+" + text;
}

}  // namespace

void AddJitterFlags(CLI::App& command, JitterFlags* flags) {
  const char* group = "Jitter";
  CLI::Option* jitter =
      command
          .add_option_function<std::string>(
              "--jitter",
              [flags](const std::string& text) {
                flags->jitter_ppm = ParsePercent(text);
              },
              "Let each item and message take longer or shorter at random, by "
              "this standard deviation, nearly normal, and show how the "
              "makespan spreads")
          ->type_name("PERCENT")
          ->check([](const std::string& text) {
            return ParsePercent(text)
                       ? std::string()
                       : absl::StrCat(
                             "expected 0 to 100 percent, such as 5%, "
                             "2.5%; got '",
                             text, "'");
          })
          ->group(group);
  InRange(command.add_option("--samples", flags->samples,
                             "Steps to simulate; default 1000"),
          1, kMostSamples)
      ->needs(jitter)
      ->group(group);
  command.add_option("--seed", flags->seed, "Seed of the jitter; default 0")
      ->type_name("N")
      ->needs(jitter)
      ->group(group);
}

absl::StatusOr<std::optional<JitterReport>> SamplePlan(
    const Artifact& artifact, const JitterFlags& flags) {
  if (!flags.jitter_ppm) return std::nullopt;
  const int threads =
      std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  JitterReport report;
  report.options = {*flags.jitter_ppm, flags.samples, flags.seed, threads};
  const StageTable table = BuildStageTable(
      artifact.problem, artifact.plan.partition, artifact.plan.placement);
  OCTOPIPE_ASSIGN_OR_RETURN(
      report.spread,
      SampleMakespans(table, artifact.plan.order, report.options));
  return report;
}

std::string JitterText(const JitterReport& report) {
  const MakespanSpread& spread = report.spread;
  std::string text =
      absl::StrCat("jitter of ", PpmText(report.options.jitter_ppm), ", ",
                   CountText(report.options.samples),
                   report.options.samples == 1 ? " sample" : " samples",
                   ", seed ", report.options.seed, "; makespan:\n\n");
  for (const auto& [label, ns] :
       {std::pair("mean", spread.mean_ns), std::pair("median", spread.p50_ns),
        std::pair("95 %", spread.p95_ns), std::pair("99 %", spread.p99_ns),
        std::pair("least", spread.min_ns), std::pair("most", spread.max_ns)}) {
    absl::StrAppend(&text,
                    absl::StrFormat("  %-11s  %s, %s\n", label, NanosText(ns),
                                    ChangeText(ns, spread.exact_ns)));
  }
  return text;
}

}  // namespace octopipe
