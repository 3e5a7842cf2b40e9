# Of every persona: an empty folder, the tool and the package of a build (OPTINC_BUILD); an error ends the script.
set -euo pipefail
build=${OPTINC_BUILD:?Run tests/personas/run build/PRESET}
source_tree=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
export PATH=$build/bin:/usr/bin:/bin PYTHONPATH=$build/python:$source_tree/python/src OPTINC_TOOL=$build/bin/optinc PYTHONDONTWRITEBYTECODE=1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

needs() {  # what python3 must be able to import
  python3 -c "import $1" 2>/dev/null || { echo "$(basename "$0"): skipped, python3 cannot import $1" >&2; exit 77; }
}
needs xarray
