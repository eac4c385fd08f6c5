// The items of the demo: messages that people write to companies, and the question about them.
//
// They stand in messages.csv, which is part of the program: a text, the right answer by the rule
// that workers are given, and how it reads. Most are clear, some are tricky (a loud one that can
// wait, a polite one that cannot), and some are open: people who know the rule disagree.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace allot::demo {

enum class Reading : std::uint8_t { clear, tricky, open };
inline constexpr std::size_t kReadings = 3;

struct Message {
  std::string id;
  std::string text;
  /// Whether the writer needs an answer today.
  bool today;
  Reading reading;
};

/// In the order of the file; read once.
const std::vector<Message>& messages();
/// The place of that id.
std::optional<std::size_t> message_at(std::string_view id);

/// In the order of classes: what is said if the writer can wait, and if not.
inline constexpr std::array<const char*, 2> kClasses{"no", "yes"};
inline constexpr const char* kQuestion = "Does the writer need an answer today?";
/// For workers, in Markdown.
extern const char* const kInstructions;

}  // namespace allot::demo
