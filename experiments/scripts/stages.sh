# Sourced by experiments/quickstart and tests/run: announces each stage of a script, hides what a stage prints
# in a log until it fails, and says which stage failed and where its log lies.
# The caller stands in the repository root and has set -euo pipefail.

logs=build/logs
stage_name="start"
stage_log=""
stage_start=$SECONDS
script_name=${script_name:-$(basename "$0")}
export CMAKE_BUILD_PARALLEL_LEVEL="${CMAKE_BUILD_PARALLEL_LEVEL:-$(nproc)}"

stage() {  # stage NAME: announces it
  stage_name=$1
  stage_log=""
  stage_start=$SECONDS
  printf '== %s\n' "$stage_name" >&2
}

stage_took() { printf '   %d s\n' $((SECONDS - stage_start)) >&2; }

fail() {  # fail STATUS: names the stage and its log, and stops
  if [[ -n $stage_log ]]; then
    printf '\n%s: FAILED at "%s" (exit %d). The whole log: %s\n' "$script_name" "$stage_name" "$1" "$stage_log" >&2
  else
    printf '\n%s: FAILED at "%s" (exit %d). Its own message is above.\n' "$script_name" "$stage_name" "$1" >&2
  fi
  exit "$1"
}

quietly() {  # quietly LOG COMMAND...: into build/logs/LOG.log; a failure shows the log's last lines and stops
  stage_log=$logs/$1.log
  shift
  mkdir -p "$logs"
  local status=0
  "$@" >"$stage_log" 2>&1 || status=$?
  if ((status)); then
    # A compiler's first error lies far above the log's end
    grep -nE -m 5 '(^|[^a-z_])(error|Error):|CMake Error' "$stage_log" >&2 || true
    printf -- '--- the last lines of %s:\n' "$stage_log" >&2
    tail -n 40 "$stage_log" >&2
    fail "$status"
  fi
  stage_took
}

openly() {  # openly COMMAND...: its output stays on the terminal, progress included
  stage_log=""
  local status=0
  "$@" || status=$?
  ((status == 0)) || fail "$status"
  stage_took
}
