// Compiles Boost.JSON, which is used header-only, in this one place.
#include <boost/json/src.hpp>
