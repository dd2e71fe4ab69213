#include "btg/priors/registry.hpp"

#include <cmath>
#include <cstddef>

#include "btg/base/error.hpp"
#include "btg/priors/families.hpp"

namespace btg {

namespace {

template <class F>
std::shared_ptr<const Family> make_one(const std::vector<double>& a) {
  return std::make_shared<const F>(a[0]);
}

template <class F>
std::shared_ptr<const Family> make_two(const std::vector<double>& a) {
  return std::make_shared<const F>(a[0], a[1]);
}

template <class F>
std::shared_ptr<const Family> make_three(const std::vector<double>& a) {
  return std::make_shared<const F>(a[0], a[1], a[2]);
}

}  // namespace

const std::vector<FamilyEntry>& family_registry() {
  static const std::vector<FamilyEntry> families = {
      {"normal", {"mean", "sd"}, {false, true}, make_two<NormalFamily>},
      {"lognormal", {"meanlog", "sdlog"}, {false, true}, make_two<ExpOf<NormalFamily>>},
      {"uniform", {"lower", "upper"}, {false, false}, make_two<UniformFamily>},
      {"loguniform", {"log_lower", "log_upper"}, {false, false}, make_two<ExpOf<UniformFamily>>},
      {"half_normal", {"sd"}, {true}, make_one<HalfNormalFamily>},
      {"exponential", {"rate"}, {true}, make_one<ExponentialFamily>},
      {"gamma", {"shape", "rate"}, {true, true}, make_two<GammaFamily>},
      {"inverse_gamma", {"shape", "scale"}, {true, true}, make_two<InverseGammaFamily>},
      {"beta_prime", {"alpha", "beta"}, {true, true}, make_two<BetaPrimeFamily>},
      {"student_t", {"df", "location", "scale"}, {true, false, true}, make_three<StudentTFamily>},
      {"half_student_t", {"df", "scale"}, {true, true}, make_two<HalfStudentTFamily>},
  };
  return families;
}

std::shared_ptr<const Family> make_family(const PriorSpec& spec) {
  for (const FamilyEntry& entry : family_registry()) {
    if (entry.name != spec.family) continue;
    if (spec.arguments.size() != entry.arguments.size()) {
      throw Error("prior", "A \"" + spec.family + "\" prior takes " +
                               std::to_string(entry.arguments.size()) + " arguments.");
    }
    for (std::size_t i = 0; i < spec.arguments.size(); ++i) {
      if (!std::isfinite(spec.arguments[i]) || (entry.positive[i] && !(spec.arguments[i] > 0.0))) {
        throw Error("prior", "`" + entry.arguments[i] + "` of a \"" + spec.family +
                                 "\" prior must be finite" +
                                 (entry.positive[i] ? " and positive." : "."));
      }
    }
    const bool is_interval = entry.arguments.size() == 2 && !entry.positive[1];
    if (is_interval && !(spec.arguments[0] < spec.arguments[1])) {
      throw Error("prior", "`" + entry.arguments[0] + "` of a \"" + spec.family +
                               "\" prior must be less than `" + entry.arguments[1] + "`.");
    }
    return entry.make(spec.arguments);
  }
  throw Error("prior", "There is no prior family \"" + spec.family + "\".");
}

}  // namespace btg
