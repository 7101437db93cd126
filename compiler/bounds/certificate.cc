#include "compiler/bounds/certificate.h"

#include "absl/strings/str_cat.h"

namespace octopipe {

void Raise(Nanos ns, const std::string& certificate, Bound& bound) {
  if (ns <= bound.ns) return;
  bound.ns = ns;
  bound.certificate = certificate;
}

std::string DevicesText(int devices) {
  return devices == 1 ? "1 device" : absl::StrCat(devices, " devices");
}

}  // namespace octopipe
