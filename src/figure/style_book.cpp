#include "figure/style_book.hpp"

#include <algorithm>

namespace allot::figure {
namespace {

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

}  // namespace

StyleBook::StyleBook(const PanelFigure& figure) {
  std::vector<std::string> all;
  for (const Panel& panel : figure.panels)
    std::visit([&](const auto& kind) { add_styles(kind, all); }, panel);
  for (const std::string& name : all) {
    if (std::ranges::find(names_, name) == names_.end()) names_.push_back(name);
  }
  styles_ = series_styles(names_);
}

const SeriesStyle& StyleBook::operator[](const std::string& name) const {
  return styles_[static_cast<std::size_t>(std::ranges::find(names_, name) - names_.begin())];
}

}  // namespace allot::figure
