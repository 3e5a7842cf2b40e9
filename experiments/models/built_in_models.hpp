#pragma once

#include <initializer_list>

#include "experiments/study/study_model.hpp"

namespace optinc {

/// What the models of OptINC are, each in the file of its trial.
StudyModel chip_study_model();
StudyModel waveform_study_model();
StudyModel tolerance_study_model();
StudyModel cascade_study_model();
StudyModel drift_study_model();
StudyModel comb_study_model();
StudyModel mesh_study_model();
StudyModel mesh_drift_study_model();
StudyModel learning_study_model();

/// Keys that every model of chips with a network reads (StudyModel::reads), and `more`.
std::vector<std::string_view> chip_keys(std::initializer_list<std::string_view> more);

}  // namespace optinc
