// The items of the demo: messages that people write to companies, and the question about them.
//
// They are in messages.csv, which is compiled into the program: a text, the right answer by the
// workers' instructions, and a kind. Most are clear, some are tricky (a loud one that can wait, a
// polite one that cannot), and some are open: people who know the rule disagree.
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
  /// The writer needs an answer today.
  bool today;
  Reading reading;
};

/// All messages in the order of the file.
const std::vector<Message>& messages();
/// Index of the message with that id.
std::optional<std::size_t> message_at(std::string_view id);

/// The classes: the writer can wait, or cannot.
inline constexpr std::array<const char*, 2> kClasses{"no", "yes"};
inline constexpr const char* kQuestion = "Does the writer need an answer today?";
/// Instructions for workers, in Markdown.
extern const char* const kInstructions;

}  // namespace allot::demo
