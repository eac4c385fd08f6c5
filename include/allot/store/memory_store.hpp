// Campaigns in memory: for tests, and for campaigns that need not survive the process.
//
// Same contract as the SQLite store (store.hpp), except that nothing reaches a disk. O(1) per
// record; all records stay in memory.
#pragma once

#include <memory>

#include "allot/store/store.hpp"

namespace allot::store {

/// Makes an empty store; its campaigns end with the object.
std::unique_ptr<Store> memory_store();

}  // namespace allot::store
