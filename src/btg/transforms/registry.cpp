#include "btg/transforms/registry.hpp"

#include "btg/base/error.hpp"
#include "btg/transforms/affine.hpp"
#include "btg/transforms/arcsinh.hpp"
#include "btg/transforms/boxcox.hpp"
#include "btg/transforms/identity.hpp"
#include "btg/transforms/logit.hpp"
#include "btg/transforms/sinharcsinh.hpp"
#include "btg/transforms/softplus.hpp"
#include "btg/transforms/yeojohnson.hpp"

namespace btg {

namespace {

template <class T>
const Transform* transform_singleton() {
  static const T transform;
  return &transform;
}

}  // namespace

const std::vector<const Transform*>& transform_registry() {
  static const std::vector<const Transform*> registry{
      transform_singleton<Identity>(),     // y
      transform_singleton<Affine>(),       // a + b y
      transform_singleton<Arcsinh>(),      // asinh((y - c) / d)
      transform_singleton<SinhArcsinh>(),  // sinh(b asinh(y) - a)
      transform_singleton<BoxCox>(),       // (y^lambda - 1) / lambda
      transform_singleton<Softplus>(),     // log(exp(y / s) - 1)
      transform_singleton<YeoJohnson>(),   // Box-Cox of 1 + |y|, mirrored
      transform_singleton<Logit>(),        // log(y / (1 - y))
  };
  return registry;
}

const Transform& find_transform(const std::string& name) {
  std::string valid;
  for (const Transform* transform : transform_registry()) {
    if (transform->name() == name) return *transform;
    valid += (valid.empty() ? "\"" : ", \"") + transform->name() + "\"";
  }
  throw Error("transform", "Unknown transform \"" + name + "\". Use one of " + valid + ".");
}

Composition compose(const std::vector<std::string>& names) {
  std::vector<const Transform*> transforms;
  for (const std::string& name : names) transforms.push_back(&find_transform(name));
  return Composition(transforms);
}

}  // namespace btg
