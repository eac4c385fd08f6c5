// Marks a function whose loops are worth compiling for wider vectors. The compiler makes one
// version per processor family, and the program picks one when it starts. Without fused operations
// (see CMakeLists.txt) all versions give the same bits.
#pragma once

#if defined(__x86_64__) && defined(__linux__) && !defined(ALLOT_SANITIZE)
#define ALLOT_EVERY_PROCESSOR __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define ALLOT_EVERY_PROCESSOR
#endif
