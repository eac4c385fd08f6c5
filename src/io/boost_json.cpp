// The one place where Boost.JSON, of which only headers are used, is compiled.
#include <boost/json/src.hpp>
