#include "onn/chip/drift_settings.hpp"

#include "onn/chip/drift_settings_rows.hpp"

namespace optinc {

void validate_sensitivity(const SensitivitySettings& s) { validate_rows(s); }

void validate_drift(const DriftSettings& s) {
  validate_rows(s);
  validate_rows(s.sensitivity);
}

}  // namespace optinc
