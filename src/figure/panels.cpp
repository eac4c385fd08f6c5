#include "allot/figure/panels.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "figure/panel_plot.hpp"
#include "figure/panel_text.hpp"
#include "figure/text.hpp"

namespace allot::figure {
namespace {

constexpr double kGap = 16, kEntryGap = 20, kLegendLine = 22;

struct Entry {
  std::string name, style;
};

/// One entry per name, in order of appearance. Bars and regions carry their own names.
std::vector<Entry> entries_of(const PanelFigure& figure) {
  std::vector<Entry> entries;
  for (const Panel& panel : figure.panels) {
    const auto* curves = std::get_if<CurvePanel>(&panel);
    if (!curves) continue;
    for (const Curve& curve : curves->curves) {
      if (curve.name.empty() || curve.points.empty()) continue;
      if (std::ranges::find(entries, curve.name, &Entry::name) == entries.end())
        entries.push_back({curve.name, curve.style});
    }
  }
  return entries;
}

/// Places of the entries of a legend, line by line.
struct Placed {
  Entry entry;
  double x, y;
};

std::vector<Placed> placed(const std::vector<Entry>& entries, double width, double top) {
  std::vector<Placed> result;
  double x = kMargin, y = top + kLegendLine / 2;
  const double name_width = width - 2 * kMargin - kSampleWidth - 6;
  for (Entry entry : entries) {
    entry.name = shortened(entry.name, kFontSize, name_width);
    const double room = kSampleWidth + 6 + text_width(entry.name, kFontSize);
    if (x > kMargin && x + room > width - kMargin) {
      x = kMargin;
      y += kLegendLine;
    }
    result.push_back({entry, x, y});
    x += room + kEntryGap;
  }
  return result;
}

std::string words(const PanelFigure& figure) {
  std::string text;
  for (const Panel& panel : figure.panels) text += (text.empty() ? "" : " ") + description(panel);
  return text;
}

}  // namespace

std::string svg_text(const PanelFigure& figure) {
  const std::size_t columns =
      std::max<std::size_t>(1, std::min(figure.columns, figure.panels.size()));
  const auto panels_across = static_cast<double>(columns);
  const double width = 2 * kMargin + panels_across * kPanelWidth + (panels_across - 1) * kGap;
  const Headings headings{figure.title, figure.subtitle, words(figure)};
  const StyleBook styles(figure);
  const double legend_top = headings_bottom(headings, width) + 8;
  const std::vector<Placed> legend = placed(entries_of(figure), width, legend_top);
  const double top = legend.empty() ? legend_top + 4 : legend.back().y + kLegendLine;
  const std::size_t rows = (figure.panels.size() + columns - 1) / columns;
  Svg svg = begin_figure(headings, top + static_cast<double>(rows) * (kPanelHeight + kGap), width);
  for (const Placed& placed : legend) {
    open_series(svg, styles[placed.entry.style], placed.entry.name);
    draw_sample(svg, styles[placed.entry.style], placed.x, placed.y);
    svg.close();
    write(svg, placed.x + kSampleWidth + 6, placed.y + 4, "start", "ink name", placed.entry.name);
  }
  for (std::size_t i = 0; i < figure.panels.size(); ++i) {
    draw_panel(svg, figure.panels[i], styles,
               kMargin + static_cast<double>(i % columns) * (kPanelWidth + kGap),
               top + static_cast<double>(i / columns) * (kPanelHeight + kGap));
  }
  svg.close();
  return svg.document();
}

Pieces pieces(const PanelFigure& figure) {
  const StyleBook styles(figure);
  Pieces result;
  for (const Entry& entry : entries_of(figure)) {
    Svg svg;
    svg.open("svg", {{"class", "allot-figure"},
                     {"aria-hidden", "true"},
                     {"width", length(kSampleWidth + 4)},
                     {"height", "14"},
                     {"viewBox", fmt::format("0 0 {} 14", length(kSampleWidth + 4))}});
    svg.open("g", {{"class", fmt::format("c{}", styles[entry.style].colour)}});
    draw_sample(svg, styles[entry.style], 2, 7);
    svg.close();
    svg.close();
    result.legend.push_back({entry.name, svg.document()});
  }
  for (const Panel& panel : figure.panels) {
    Svg svg;
    const std::string title = std::visit([](const auto& kind) { return kind.title; }, panel);
    open_root(svg, {title, "", description(panel)}, kPanelHeight, kPanelWidth);
    draw_panel(svg, panel, styles, 0, 0);
    svg.close();
    result.panel_svgs.push_back(svg.document());
  }
  return result;
}

std::string page_style() { return style_sheet(); }

}  // namespace allot::figure
