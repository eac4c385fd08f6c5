#include "allot/figure/series_style.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

namespace allot::figure {
namespace {

// The last ones are for names without a fixed style.
enum Hue { blue, red, green, wine, brown, sky, grey, ink, violet, teal, pink, first_spare };
enum Dashes : std::size_t { solid, dashed, dotted, dash_dot, long_dashes, dash_dot_dot };
enum Marker : std::size_t { circle, square, triangle, diamond, wedge, cross };

// Contrast with the paper is at least 3:1; the style sheet has the colours of the paper.
constexpr std::array<Colour, 12> kPalette{{
    {"#005a9e", "#5c9ded"},
    {"#e0480c", "#ff8b3d"},
    {"#1f9e77", "#7fe0b0"},
    {"#93125c", "#e77fb3"},
    {"#7a4e00", "#b98a2e"},
    {"#3d97e0", "#a9ddfb"},
    {"#606060", "#9a9a9a"},
    {"#161616", "#f4f4f4"},
    {"#7e3ff2", "#a883ff"},
    {"#008b94", "#3fc8d0"},
    {"#d02fa0", "#f070d8"},
    {"#5f7300", "#b5cc3a"},
}};

constexpr std::array<std::string_view, 6> kDashes{"",        "7 3",  "2 2.5",
                                                  "9 3 2 3", "11 4", "7 2.5 2 2.5 2 2.5"};

constexpr std::array<std::string_view, 6> kMarkers{
    "M-4 0A4 4 0 1 1 4 0A4 4 0 1 1-4 0Z",
    "M-3.6-3.6H3.6V3.6H-3.6Z",
    "M0-4.8L4.6 3.4H-4.6Z",
    "M0-5.2L5.2 0L0 5.2L-5.2 0Z",
    "M0 4.8L4.6-3.4H-4.6Z",
    "M-1.7-4.8H1.7V-1.7H4.8V1.7H1.7V4.8H-1.7V1.7H-4.8V-1.7H-1.7Z"};

constexpr std::size_t kShapes = kDashes.size() * kMarkers.size();

struct Known {
  std::string_view name;
  SeriesStyle style;
};

constexpr std::array<Known, 31> kKnown{{
    {"uniform", {grey, dotted, circle}},
    {"kg", {red, dashed, square}},
    {"opt-kg", {blue, solid, circle}},
    {"budget-kg", {green, solid, square}},
    {"even-kg", {green, dashed, wedge}},
    {"kg-eig", {brown, solid, triangle}},
    {"probe", {violet, solid, triangle}},
    {"pessimistic-kg", {sky, dash_dot_dot, wedge}},
    {"lu", {brown, dash_dot, diamond}},
    {"nlu", {green, long_dashes, triangle}},
    {"gittins", {wine, dash_dot, square}},
    {"dp", {ink, solid, diamond}},
    {"cvar", {violet, dashed, wedge}},
    {"eig", {teal, long_dashes, diamond}},
    {"scout", {pink, solid, square}},
    {"least-labelled", {grey, dash_dot_dot, triangle}},
    {"kos", {wine, dotted, cross}},
    {"label-price", {violet, dash_dot_dot, cross}},
    {"bound", {ink, dashed, cross}},
    {"opt-kg refitted", {teal, long_dashes, wedge}},
    {"opt-kg first ties", {sky, dash_dot, diamond}},
    {"opt-kg workers ignored", {brown, dash_dot_dot, triangle}},
    {"deterministic kg", {red, long_dashes, diamond}},
    {"usual prior", {red, dashed, square}},
    {"true prior", {blue, solid, circle}},
    {"paper", {ink, solid, diamond}},
    {"tail", {red, long_dashes, triangle}},
    {"first of four", {teal, solid, circle}},
    {"second of four", {brown, dashed, square}},
    {"third of four", {pink, dash_dot, triangle}},
    {"fourth of four", {sky, dotted, diamond}},
}};

std::optional<SeriesStyle> known_style(std::string_view name) {
  const auto found = std::ranges::find(kKnown, name, &Known::name);
  return found == kKnown.end() ? std::nullopt : std::optional(found->style);
}

/// FNV-1a, a hash that is the same on every machine.
std::uint64_t hash(std::string_view text) {
  std::uint64_t value = 0xcbf29ce484222325;
  for (const char c : text) value = (value ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return value ^ (value >> 32U);
}

/// The n-th candidate style of a name. The part before a colon decides the colour, so that cvar:0.3
/// and cvar:0.7 look related.
SeriesStyle candidate(std::string_view name, std::uint64_t n) {
  const std::string_view family = name.substr(0, name.find(':'));
  const auto known = known_style(family);
  const std::uint64_t shape = (hash(name) + n) % kShapes;
  return {known ? known->colour
                : first_spare + hash(family) / kShapes % (kPalette.size() - first_spare),
          shape % kDashes.size(), shape / kDashes.size()};
}

/// True if the styles cannot be told apart without colour.
bool same_shape(const SeriesStyle& style, const SeriesStyle& other) {
  return style.dashes == other.dashes && style.marker == other.marker;
}

/// True if the styles cannot be told apart without colour, or without markers.
bool alike(const SeriesStyle& style, const SeriesStyle& other) {
  return same_shape(style, other) || (style.dashes == other.dashes && style.colour == other.colour);
}

/// A style that differs from those taken as well as possible.
SeriesStyle free_style(std::string_view name, const std::vector<SeriesStyle>& taken) {
  for (const auto clash : {alike, same_shape}) {
    for (std::uint64_t n = 0; n < kShapes; ++n) {
      const SeriesStyle style = candidate(name, n);
      if (std::ranges::none_of(taken,
                               [&](const SeriesStyle& other) { return clash(other, style); }))
        return style;
    }
  }
  return candidate(name, 0);
}

}  // namespace

std::vector<SeriesStyle> series_styles(std::span<const std::string> names) {
  std::vector<SeriesStyle> taken;
  for (const std::string& name : names) {
    if (const auto style = known_style(name)) taken.push_back(*style);
  }
  std::vector<SeriesStyle> result;
  for (const std::string& name : names) {
    const auto known = known_style(name);
    result.push_back(known ? *known : free_style(name, taken));
    if (!known) taken.push_back(result.back());
  }
  return result;
}

std::span<const Colour> palette() { return kPalette; }

std::string_view dash_pattern(const SeriesStyle& style) { return kDashes[style.dashes]; }

std::string_view marker_outline(const SeriesStyle& style) { return kMarkers[style.marker]; }

}  // namespace allot::figure
