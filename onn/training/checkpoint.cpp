#include "onn/training/checkpoint.hpp"

#include "physics/core/check.hpp"

namespace optinc {

const std::vector<double>& StateArrays::next(const std::string& name, std::size_t size) {
  validate(at_ < from_->size() && (*from_)[at_].name == name && (*from_)[at_].values.size() == size,
           "state of a training: array {} of {} values is not in its place (of another network or trainer). "
           "Train anew.",
           name, size);
  return (*from_)[at_++].values;
}

}  // namespace optinc
