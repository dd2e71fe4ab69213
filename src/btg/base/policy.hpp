// Boost.Math policy: double precision throughout, because the default promotes to long double,
// which is ten times slower. Overflow returns infinity instead of throwing.
#pragma once

#include <boost/math/policies/policy.hpp>

namespace btg {

using MathPolicy = boost::math::policies::policy<
    boost::math::policies::promote_double<false>,
    boost::math::policies::overflow_error<boost::math::policies::ignore_error>>;

}  // namespace btg
