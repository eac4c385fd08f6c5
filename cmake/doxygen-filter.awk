# Shows doxygen the comments as they are written here: the head of a file, and notes behind a declaration. Comparison
# operators that are defaulted need no words.
NR == 1 && /^\/\/ / { head = 1; print "/// @file"; print "///"; }
head && /^\/\// { sub(/^\/\//, "///"); print; next }
{ head = 0 }
/operator(==|<=>)\(const [A-Za-z]+&\) const = default;/ { print ""; next }
/[;,{] +\/\/ / && !/^ *\/\// { sub(/ +\/\/ /, "  ///< ") }
{ print }
