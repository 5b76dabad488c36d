# environment.sh - sourced by the tests that are shell scripts: unsets what the person who runs them
# has set for Lua, for lmp or for the terminal, so that it does not reach the programs under test. And
# play_case, with which a test of several cases ends.
unset LUA_INIT LUA_INIT_5_4 LUA_PATH LUA_PATH_5_4 LUA_CPATH LUA_CPATH_5_4
unset LMP_RUN LMP_COMMAND LMP_USER_INIT LMP_BREAKS LMP_THEME LMP_ASCII LMP_SAMPLE_SEED
unset NO_COLOR COLORFGBG EDITOR VISUAL COLUMNS LINES TMUX TMUX_PANE ENV BASH_ENV PROMPT_COMMAND
export XDG_CONFIG_HOME=/dev/null/none # not even root can make it
ulimit -c 0 # of programs that are killed here
# Ignored signals get their default again: nohup and jobs in the background ignore some, and a shell
# cannot undo that.
if [ -z "${LMP_SIGNALS:-}" ] && env --default-signal true 2>/dev/null; then
    LMP_SIGNALS=default exec env --default-signal "${self:-$PWD/$(basename "$0")}" "$@"
fi
# play_case NAME: plays the function case_NAME of the test; without a name lists them.
play_case() {
    declare -F "case_${1:-}" >/dev/null || { echo "cases:" && declare -F | sed -n 's/.* case_/  /p' && exit 2; }
    "case_$1"
    echo "ok: $1"
}
