#include "allot/figure/panels.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "figure/panel_plot.hpp"
#include "figure/text.hpp"

namespace allot::figure {
namespace {

constexpr double kPanelGap = 16, kEntryGap = 20, kLegendLine = 22;

void add_styles(const CurvePanel& panel, std::vector<std::string>& names) {
  for (const Curve& curve : panel.curves) names.push_back(curve.style);
}
void add_styles(const BarPanel& panel, std::vector<std::string>& names) {
  names.push_back(panel.style);
}
void add_styles(const CellPanel&, std::vector<std::string>&) {}
void add_styles(const RegionPanel& panel, std::vector<std::string>& names) {
  for (const Region& region : panel.regions) names.push_back(region.style);
}

StyleBook style_book(const PanelFigure& figure) {
  std::vector<std::string> all, names;
  for (const Panel& panel : figure.panels)
    std::visit([&](const auto& kind) { add_styles(kind, all); }, panel);
  for (const std::string& name : all) {
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  const std::vector<SeriesStyle> styles = series_styles(names);
  StyleBook book;
  for (std::size_t i = 0; i < names.size(); ++i) book.emplace(names[i], styles[i]);
  return book;
}

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

std::string in_words(const CurvePanel& panel) {
  std::string text = fmt::format("{} against {}.", panel.y_title, panel.x_title);
  for (const Curve& curve : panel.curves) {
    const auto points = points_to_draw(curve, panel.x_steps);
    if (!points.empty()) text += fmt::format(" {}: {}.", curve.name, ends_text(points));
  }
  return text;
}

std::string in_words(const BarPanel& panel) {
  std::string text = fmt::format("{} by {}:", panel.y_title, panel.x_title);
  for (const Bar& bar : panel.bars) text += fmt::format(" {};", at_text(bar.height, bar.x));
  return text;
}

std::string in_words(const CellPanel& panel) {
  const auto [low, high] = std::ranges::minmax(panel.cells, {}, &Cell::value);
  return fmt::format("{} by {}, from {}, {} to {}, {}.", panel.y_title, panel.x_title,
                     at_text(low.value, low.x), plain_number(low.y), at_text(high.value, high.x),
                     plain_number(high.y));
}

std::string in_words(const RegionPanel& panel) {
  std::string text = fmt::format("Regions of {} and {}:", panel.x_title, panel.y_title);
  for (const Region& region : panel.regions) text += fmt::format(" {};", region.name);
  return text;
}

/// The panel in words: its axes, and the ends of its curves or its extreme values.
std::string description(const Panel& panel) {
  return std::visit(
      [](const auto& kind) { return fmt::format("{}: {}", kind.title, in_words(kind)); }, panel);
}

std::string description(const PanelFigure& figure) {
  std::string text;
  for (const Panel& panel : figure.panels) text += (text.empty() ? "" : " ") + description(panel);
  return text;
}

}  // namespace

std::string svg_text(const PanelFigure& figure) {
  const std::size_t columns =
      std::max<std::size_t>(1, std::min(figure.columns, figure.panels.size()));
  const auto panels_across = static_cast<double>(columns);
  const double width = 2 * kMargin + panels_across * kPanelWidth + (panels_across - 1) * kPanelGap;
  const Headings headings{figure.title, figure.subtitle, description(figure)};
  const StyleBook styles = style_book(figure);
  const double legend_top = headings_bottom(headings, width) + 8;
  const std::vector<Placed> legend = placed(entries_of(figure), width, legend_top);
  const double top = legend.empty() ? legend_top + 4 : legend.back().y + kLegendLine;
  const std::size_t rows = (figure.panels.size() + columns - 1) / columns;
  Svg svg =
      begin_figure(headings, top + static_cast<double>(rows) * (kPanelHeight + kPanelGap), width);
  for (const Placed& placed : legend) {
    const SeriesStyle& style = styles.at(placed.entry.style);
    open_series(svg, style, placed.entry.name);
    draw_sample(svg, style, placed.x, placed.y);
    svg.close();
    write(svg, placed.x + kSampleWidth + 6, placed.y + 4, "start", "ink name", placed.entry.name);
  }
  for (std::size_t i = 0; i < figure.panels.size(); ++i) {
    draw_panel(svg, figure.panels[i], styles,
               kMargin + static_cast<double>(i % columns) * (kPanelWidth + kPanelGap),
               top + static_cast<double>(i / columns) * (kPanelHeight + kPanelGap));
  }
  svg.close();
  return svg.document();
}

Pieces pieces(const PanelFigure& figure) {
  const StyleBook styles = style_book(figure);
  Pieces result;
  for (const Entry& entry : entries_of(figure)) {
    Svg svg;
    svg.open("svg", {{"class", "allot-figure"},
                     {"aria-hidden", "true"},
                     {"width", length(kSampleWidth + 4)},
                     {"height", "14"},
                     {"viewBox", fmt::format("0 0 {} 14", length(kSampleWidth + 4))}});
    svg.open("g", {{"class", fmt::format("c{}", styles.at(entry.style).colour)}});
    draw_sample(svg, styles.at(entry.style), 2, 7);
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
