#include "allot/index/label_price.hpp"

namespace allot::index {

Index label_price() { return gittins(1); }

}  // namespace allot::index
