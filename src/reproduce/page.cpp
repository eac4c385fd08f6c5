#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "figure/text.hpp"
#include "reproduce/workshop.hpp"

namespace allot::reproduce {
namespace {

using figure::escaped;

constexpr std::string_view kStyle = R"(
:root{color-scheme:light dark;--paper:#fff;--ink:#1c1c1c;--quiet:#5a5a5a;--line:#d8d8d8;--soft:#f5f5f3;--link:#005a9e;
--yes:#17663f;--no:#a3260b;--open:#7a4e00}
@media screen and (prefers-color-scheme:dark){:root{--paper:#15171a;--ink:#ededed;--quiet:#b0b3b8;--line:#3a3e44;
--soft:#1e2125;--link:#8fc1ff;--yes:#7fe0b0;--no:#ff9d7a;--open:#e6c06a}}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.5 "Helvetica Neue",Helvetica,Arial,"Liberation Sans",sans-serif}
.page{max-width:1180px;margin:0 auto;padding:16px}
h1{font-size:1.7em;line-height:1.2;margin:.6em 0 .3em}
h2{font-size:1.25em;margin:2.2em 0 .4em;padding-top:.6em;border-top:2px solid var(--line)}
h3{font-size:1.1em;margin:1.8em 0 .2em}
a{color:var(--link)}
code,pre{font-family:"DejaVu Sans Mono",Menlo,Consolas,monospace;font-size:.86em}
pre{background:var(--soft);padding:.6em .8em;white-space:pre-wrap;overflow-wrap:anywhere;margin:.5em 0}
.label{color:var(--quiet);font-weight:normal;font-size:.86em;overflow-wrap:anywhere}
.lead,.caption,.claims,.note{max-width:46em}
.caption{margin:.4em 0 .8em}
figure{margin:.8em 0}
.legend{list-style:none;display:flex;flex-wrap:wrap;gap:.2em 1.3em;margin:.4em 0;padding:0;font-size:.88em}
.legend li{display:flex;align-items:center;gap:.4em}
.panels{display:grid;gap:14px 20px;grid-template-columns:repeat(auto-fit,minmax(min(100%,330px),1fr))}
.panels svg{width:100%;height:auto;max-width:470px;display:block}
.scroll{overflow-x:auto}
table{border-collapse:collapse;font-size:.9em;margin:.5em 0}
th,td{text-align:left;padding:.25em .8em .25em 0;border-bottom:1px solid var(--line);vertical-align:top}
.numbers td{font-variant-numeric:tabular-nums}
.claims{list-style:none;padding:0;margin:.6em 0}
.claims li{padding:.45em 0 .45em .8em;border-left:4px solid var(--line);margin:.4em 0}
.claims li.holds{border-color:var(--yes)}.claims li.fails{border-color:var(--no)}.claims li.unclear{border-color:var(--open)}
.badge{display:inline-block;border:1.5px solid;border-radius:1em;padding:0 .6em;font-size:.8em;font-weight:bold;white-space:nowrap;margin-right:.3em}
.badge.holds{color:var(--yes)}.badge.fails{color:var(--no)}.badge.unclear{color:var(--open)}.badge.none{color:var(--quiet)}
.figures{display:block;color:var(--quiet);font-size:.9em}
.contents{list-style:none;padding:0;margin:.3em 0}
.contents li{margin:.3em 0}
.contents h3{margin:1em 0 .1em;font-size:1em}
.downloads{font-size:.88em;color:var(--quiet)}
.top{font-size:.85em}
@media print{body{font-size:10.5pt}.page{max-width:none;padding:0}.top,nav{display:none}figure,.claims li,table{break-inside:avoid}
h2,h3,.caption,figure>.figures,.legend{break-after:avoid}.panels{grid-template-columns:repeat(3,1fr);gap:8px}.panels svg{break-inside:avoid}a{color:inherit;text-decoration:none}}
)";

/// The class in the style sheet and the sign of a verdict, in the order of Verdict.
struct VerdictMark {
  const char* style;
  const char* sign;
};
constexpr std::array<VerdictMark, 4> kMarks{
    {{"holds", "✓"}, {"fails", "✗"}, {"unclear", "?"}, {"none", "–"}}};

const VerdictMark& mark_of(Verdict verdict) { return kMarks[static_cast<std::size_t>(verdict)]; }

std::string badge(Verdict verdict, const std::string& text) {
  return fmt::format("<span class=\"badge {}\">{} {}</span>", mark_of(verdict).style,
                     mark_of(verdict).sign, text);
}

/// "✓ 3 hold" and so on; the words are for readers who cannot see the sign.
std::string counted_badges(const Outcome& outcome) {
  if (outcome.state == State::no_data) return "<span class=\"badge none\">needs --data</span>";
  if (outcome.state == State::absent) return "<span class=\"badge none\">not made</span>";
  std::string text;
  for (const Verdict verdict : {Verdict::holds, Verdict::fails, Verdict::unclear}) {
    const auto count = std::ranges::count(outcome.claims, verdict, &Claim::verdict);
    if (count == 0) continue;
    const char* words = verdict == Verdict::unclear ? "unclear"
                        : verdict == Verdict::holds ? (count == 1 ? "holds" : "hold")
                        : count == 1                ? "does not hold"
                                                    : "do not hold";
    text += badge(verdict, fmt::format("{} {}", count, words));
  }
  return text;
}

std::string row(const char* tag, const std::vector<std::string>& cells) {
  std::string text = "<tr>";
  for (std::size_t i = 0; i < cells.size(); ++i)
    text += fmt::format("<{0}>{1}</{0}>", i == 0 ? "th" : tag, escaped(cells[i]));
  return text + "</tr>\n";
}

std::string table(const ShownTable& shown) {
  std::string text = "<div class=\"scroll\"><table class=\"numbers\">\n" + row("th", shown.header);
  for (const auto& cells : shown.rows) text += row("td", cells);
  return text + "</table></div>\n";
}

std::string table(const std::vector<Parameter>& parameters) {
  std::string text = "<div class=\"scroll\"><table>\n";
  for (const auto& [name, value] : parameters) text += row("td", {name, value});
  return text + "</table></div>\n";
}

std::string picture(const Picture& drawn) {
  const figure::Pieces parts = figure::pieces(drawn.figure);
  std::string text = "<figure>\n";
  if (!drawn.suffix.empty() || !drawn.figure.subtitle.empty()) {
    text += fmt::format("<p class=\"figures\">{}{}</p>\n",
                        drawn.suffix.empty() ? "" : escaped(drawn.figure.title) + "; ",
                        escaped(drawn.figure.subtitle));
  }
  if (!parts.legend.empty()) {
    text += "<ul class=\"legend\">\n";
    for (const auto& [name, sample] : parts.legend)
      text += fmt::format("<li>{}<span>{}</span></li>\n", sample, escaped(name));
    text += "</ul>\n";
  }
  text += "<div class=\"panels\">\n";
  for (const std::string& panel : parts.panel_svgs) text += panel;
  return text + "</div>\n</figure>\n";
}

std::string claims(const std::vector<Claim>& all) {
  std::string text = "<ul class=\"claims\">\n";
  for (const Claim& claim : all) {
    text += fmt::format("<li class=\"{}\">{} {}<span class=\"figures\">{}</span>",
                        mark_of(claim.verdict).style, badge(claim.verdict, verdict_text(claim)),
                        escaped(claim.text), escaped(claim.numbers));
    if (!claim.remark.empty())
      text += fmt::format("<span class=\"figures\">{}</span>", escaped(claim.remark));
    text += "</li>\n";
  }
  return text + "</ul>\n";
}

std::string downloads(const Outcome& outcome) {
  std::string links;
  for (const std::string& name : files_of(outcome))
    links += fmt::format("{}<a href=\"{}\">{}</a>", links.empty() ? "" : ", ", name, name);
  return fmt::format("<p class=\"downloads\">Files: {}</p>\n", links);
}

std::vector<Parameter> all_parameters(const Order& order, const Study& study) {
  std::vector<Parameter> all = study.parameters;
  if (!study.random) return all;
  if (!limits_its_runs(study)) all.push_back({"runs", std::to_string(order.settings.runs)});
  all.push_back({"seed", std::to_string(order.settings.seed)});
  return all;
}

std::string section(const Order& order, const Outcome& outcome) {
  const Study& study = *outcome.study;
  std::string text =
      fmt::format("<section id=\"{}\">\n<h3>{} <span class=\"label\">{}</span></h3>\n",
                  escaped(study.label), escaped(study.title), escaped(study.label));
  if (outcome.tables.empty()) {
    const std::string note =
        outcome.state == State::no_data
            ? fmt::format("{} This study needs the RTE labels, which were not given. {}",
                          badge(Verdict::skipped, verdict_text(Verdict::skipped)),
                          escaped(how_to_get_data()))
            : fmt::format("Not made. <code>allot reproduce {}</code> makes it.",
                          escaped(study.label));
    return text + fmt::format("<p class=\"note\">{}</p>\n</section>\n", note);
  }
  text += fmt::format("<p class=\"caption\">{}</p>\n", escaped(study.caption));
  if (study.pictures) {
    for (const Picture& drawn : study.pictures(outcome.tables)) text += picture(drawn);
  }
  if (study.shown_table) text += table(study.shown_table(outcome.tables));
  text += claims(outcome.claims) + table(all_parameters(order, study));
  if (std::string command = study.by_hand; !command.empty()) {
    if (study.random && command.find("--runs") == std::string::npos)
      command += fmt::format(" --runs {}", order.settings.runs);
    if (study.random) command += fmt::format(" --seed {}", order.settings.seed);
    text += fmt::format("<p class=\"downloads\">Numbers of it by hand:</p>\n<pre>{}</pre>\n",
                        escaped(command));
  }
  return text + downloads(outcome) +
         "<p class=\"top\"><a href=\"#contents\">Contents</a></p>\n</section>\n";
}

std::string introduction(const Order& order, std::span<const Outcome> outcomes) {
  const std::vector<Parameter> rules{
      {"runs", fmt::format("{} per random experiment", order.settings.runs)},
      {"seed", fmt::format("{}; the same seed gives the same numbers on any number of threads",
                           order.settings.seed)},
      {"ties",
       "indices within a relative 1e-12 of the best are tied; one of them is drawn at random "
       "unless stated otherwise"},
      {"bands", "one standard error of the mean on either side"},
      {"differences", "policies are compared run by run on the same items, workers and labels"},
      {"verdicts", fmt::format("holds or does not hold: the verdict would be the same with the "
                               "mean {:g} standard errors lower or higher; otherwise too few runs "
                               "to tell. Accuracies are level if they cannot differ by {}",
                               kStandardErrors, kLevel)},
      {"real data", order.settings.rte ? "RTE, given with --data" : "not given; see fig:rte"},
      {"version", "allot " + order.version}};
  return fmt::format(
             "<h1>The paper, reproduced</h1>\n<p class=\"lead\">Every figure and table of X. Chen, "
             "Q. Lin and D. Zhou, <em>Statistical Decision Making for Optimal Budget Allocation in "
             "Crowd Labeling</em> (JMLR 2015), reproduced by <code>allot reproduce</code>, in the "
             "order of the paper and under the labels of its source. {}.</p>\n",
             claims_text(outcomes)) +
         table(rules);
}

std::string contents(std::span<const Outcome> outcomes) {
  std::string text = "<nav class=\"contents\" id=\"contents\" aria-label=\"Contents\">\n";
  std::string at;
  for (const Outcome& outcome : outcomes) {
    const Study& study = *outcome.study;
    if (study.section != at) {
      if (!at.empty()) text += "</ul>\n";
      text += fmt::format("<h3>{}</h3>\n<ul class=\"contents\">\n", escaped(study.section));
      at = study.section;
    }
    text += fmt::format("<li><a href=\"#{}\">{}</a> <span class=\"label\">{}</span> {}</li>\n",
                        escaped(study.label), escaped(study.title), escaped(study.label),
                        counted_badges(outcome));
  }
  return text + "</ul>\n</nav>\n";
}

}  // namespace

std::string html_report(const Order& order, std::span<const Outcome> outcomes) {
  std::string text = fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>The paper, reproduced: allot reproduce</title>\n"
      "<style>{}{}</style>\n</head>\n<body>\n"
      "<div class=\"page\">\n<header>\n{}</header>\n{}<main>\n",
      kStyle, figure::page_style(), introduction(order, outcomes), contents(outcomes));
  std::string at;
  for (const Outcome& outcome : outcomes) {
    if (outcome.study->section != at) {
      at = outcome.study->section;
      text += fmt::format("<h2>{}</h2>\n", escaped(at));
    }
    text += section(order, outcome);
  }
  return text + "</main>\n</div>\n</body>\n</html>\n";
}

}  // namespace allot::reproduce
