// How Boost.Math is used: in double precision throughout (its default promotes to
// long double, ten times slower), and with infinities returned, not thrown.
#pragma once

#include <boost/math/policies/policy.hpp>

namespace btg {

using MathPolicy = boost::math::policies::policy<
    boost::math::policies::promote_double<false>,
    boost::math::policies::overflow_error<boost::math::policies::ignore_error>>;

}  // namespace btg
