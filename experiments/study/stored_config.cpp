#include "experiments/study/stored_config.hpp"

#include <fmt/format.h>

#include "experiments/files/hdf5/provenance.hpp"
#include "experiments/files/hdf5/stored_values.hpp"
#include "experiments/study/study_keys.hpp"
#include "physics/core/check.hpp"

namespace optinc {

void write_provenance(const File& file, const StudyConfig& config, std::string_view title,
                      std::string_view command) {
  sign_file(file, title, command);
  const Group group = file.root();
  const Attributes root = group.attributes();
  root.set("run_id", run_id(config));
  root.set("seed", static_cast<std::int64_t>(config.run.seed));
  root.set("config_toml", identity_toml(config));
}

StudyConfig stored_config(const File& file) {
  require_schema(file);
  const Group root = file.root();
  const bool in_pytorch =
      root.attributes().has("compiler") && root.attributes().text("compiler").starts_with("PyTorch");
  validate(!in_pytorch,
           "{}: a training in PyTorch, whose settings are not a study's. Read it with optinc-results "
           "show, table or figures.",
           root.where());
  const std::string text = root.attributes().text("config_toml"),
                    where = root.where() + ", attribute config_toml";
  return parse_stored_config(text, where, root.attributes().integer("schema_version"));
}

void write_section(const Attributes& attributes, const StudyConfig& config, std::string_view section) {
  bool known = false;
  for (const FieldEntry& entry : config_entries(config)) {
    if (entry.section != section) continue;
    known = true;
    if (entry.info.file) continue;
    set_field(attributes, entry.info, entry.value);
  }
  validate(known, "section [{}] is unknown (it has no key in the field tables). Write one of `optinc explain`.",
           section);
}

}  // namespace optinc
