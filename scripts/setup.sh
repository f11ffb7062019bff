# Sourced by the commands beside it. Makes .venv once, from the locked dependencies; after that a start costs milliseconds.
#
# prepare run|dev    installs what is needed to play (run) or also to test (dev), unless a stamp says it is there.
# Reads ROOT (the checkout). Sets PYTHON (the interpreter inside .venv).
# VERSIONS is a file with the versions to install, by default those of the lock.
# TOOL_SANDBOX_PYTHON names the Python to build .venv with; otherwise the first suitable one found is taken.

VENV="$ROOT/.venv"
LOCK="$ROOT/.venv.lock"
PYTHON="$VENV/bin/python"
VERSIONS="$ROOT/requirements.lock"

# Whoever forbids Python to keep its bytecode would wait seconds more for every start; here it stays in the checkout.
unset PYTHONDONTWRITEBYTECODE

say() { printf 'tool_sandbox set-up: %s\n' "$*" >&2; }
fail() { say "$*"; exit 1; }

# Everything an installation depends on, the place included: a moved checkout is installed again.
fingerprint() { { printf '%s\n' "$ROOT"; cat "$ROOT/pyproject.toml" "$ROOT/requirements.lock"; } | cksum; }

is_ready() { [ -x "$PYTHON" ] && [ "$(cat "$VENV/.installed-$1" 2>/dev/null)" = "$2" ]; }

find_python() {
    for candidate in ${TOOL_SANDBOX_PYTHON:+"$TOOL_SANDBOX_PYTHON"} python3 python3.14 python3.13 python3.12 python3.11 python; do
        if "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; then
            command -v "$candidate"
            return 0
        fi
    done
    return 1
}

has_uv() { uv --version >/dev/null 2>&1; }

make_venv() {
    [ -x "$PYTHON" ] && "$PYTHON" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1 && return 0
    say "making $VENV"
    if found=$(find_python); then
        if has_uv && uv venv --quiet --clear --python "$found" "$VENV"; then return 0; fi
        "$found" -m venv --clear "$VENV" ||
            fail "$found cannot make a virtual environment (on Debian and Ubuntu: apt install python3-venv)"
    else
        has_uv && uv venv --quiet --clear --python '>=3.11' "$VENV" && return 0
        fail "needs Python 3.11 or newer and found none; install one, or name it: TOOL_SANDBOX_PYTHON=/path/to/python"
    fi
}

install() {
    say "installing (once; a minute or two)"
    if has_uv; then
        uv pip install --quiet --python "$PYTHON" --constraint "$VERSIONS" --editable "$1" && return 0
        say "uv could not install; trying pip"
    fi
    "$PYTHON" -m pip --version >/dev/null 2>&1 || "$PYTHON" -m ensurepip >/dev/null 2>&1 || fail "$PYTHON has no pip"
    "$PYTHON" -m pip install -qq --no-compile --disable-pip-version-check \
        --constraint "$VERSIONS" --editable "$1" || fail "installation failed, see above"
}

# One set-up at a time. A lock whose owner is gone, or never said who it is, is taken over.
acquire_lock() {
    waited=0
    vanished=0
    while ! mkdir "$LOCK" 2>/dev/null; do
        if [ ! -d "$LOCK" ]; then
            # Given back at this very moment, or impossible to make.
            { [ -w "$ROOT" ] && [ "$vanished" -lt 50 ]; } || fail "cannot write to $ROOT"
            vanished=$((vanished + 1))
            continue
        fi
        owner=$(cat "$LOCK/pid" 2>/dev/null || true)
        if { [ -n "$owner" ] && ! kill -0 "$owner" 2>/dev/null; } || { [ -z "$owner" ] && [ "$waited" -ge 5 ]; }; then
            if mv "$LOCK" "$LOCK.$$" 2>/dev/null; then rm -rf "$LOCK.$$"; fi
            continue
        fi
        [ "$waited" -gt 0 ] || say "another set-up is running; waiting"
        waited=$((waited + 1))
        sleep 1
    done
    trap 'rm -rf "$LOCK"' EXIT
    trap 'exit 130' INT TERM HUP
    printf '%s\n' "$$" >"$LOCK/pid"
}

release_lock() {
    rm -rf "$LOCK"
    trap - EXIT INT TERM HUP
}

prepare() {
    wanted="$(fingerprint)"
    is_ready "$1" "$wanted" && return 0
    acquire_lock
    if ! is_ready "$1" "$wanted"; then
        rm -f "$VENV/.installed-run" "$VENV/.installed-dev"
        make_venv
        case "$1" in
            run) install "$ROOT" ;;
            dev) install "$ROOT[dev]" ;;
        esac
        # Only a finished installation gets its stamps; one for development also serves to play.
        for stamp in run "$1"; do printf '%s\n' "$wanted" >"$VENV/.installed-$stamp"; done
        say "ready"
    fi
    release_lock
}
