import { BROWSER_FLAGS, BROWSER_PREFERENCES, DISABLED_FEATURES, SHELL_FEATURES, SHELL_FLAGS } from "./browser-flags.ts";
import { isHeadlessShell } from "./installed-browser.ts";

/** The launcher's second line, which distinguishes it from a browser. */
export const LAUNCHER_MARK = "# Written by seed-browser";

/**
 * The shell script that replaces the local browser binding's executable. It
 * - adds our flags to the binding's (the last `--disable-features` takes effect, so ours are appended to the binding's), leaves out
 *   its first page (`--no-startup-window`), and puts our preferences into a new profile;
 * - lets the browser put its temporary files into the run's folder, which the next start removes after a crash;
 * - lets the service go first where the processor is short;
 * - waits for the browser, and ends with its exit code;
 * - ends the browser, with all its processes and its profile, within two seconds after the end of the script or
 *   of the program that started it. Browsers run in a process group of their own, which no signal to the
 *   starter's group reaches.
 * @param path the browser's executable.
 * @param hasSandbox whether the browser can use its own sandbox on this machine.
 * @param version the browser's version.
 */
export function browserLauncher(path: string, hasSandbox: boolean, version = ""): string {
  const flags = [
    ...(hasSandbox ? [] : ["--no-sandbox"]),
    ...BROWSER_FLAGS,
    ...(isHeadlessShell(path) ? SHELL_FLAGS : []),
  ];
  return [
    "#!/bin/sh",
    LAUNCHER_MARK,
    // Another version is looked at again.
    `# ${version}`,
    ...addFlags(),
    ...(isHeadlessShell(path) ? enableFeatures() : []),
    ...preparePreferences(),
    ...chooseTemporaryFolder(),
    "starter=$PPID",
    ...giveWay(),
    `$limit nice -n ${NICENESS} ${quote(path)} ${flags.join(" ")} "$@" &`,
    "browser=$!",
    `trap 'kill -s TERM "$browser" 2> /dev/null' TERM INT HUP`,
    ...watchStarter(),
    "code=0",
    "while :; do",
    '  wait "$browser"',
    "  code=$?",
    "  # A signal interrupts the wait.",
    '  kill -0 "$browser" 2> /dev/null || break',
    "done",
    'kill "$watcher" 2> /dev/null',
    'exit "$code"',
    "",
  ].join("\n");
}

const addFlags = (): string[] => [
  "for flag do",
  "  shift",
  "  case $flag in",
  `    --disable-features=*) set -- "$@" "$flag,${DISABLED_FEATURES.join(",")}" ;;`,
  "    about:blank) ;;",
  '    *) set -- "$@" "$flag" ;;',
  "  esac",
  "  case $flag in",
  '    --user-data-dir=*) profile="${flag#--user-data-dir=}" ;;',
  "  esac",
  "done",
];

/** The last of several flags of this name takes effect. */
const enableFeatures = (): string[] => [
  "features=",
  "for flag do",
  '  case $flag in --enable-features=*) features="${flag#--enable-features=}," ;; esac',
  "done",
  `set -- "$@" "--enable-features=\${features}${SHELL_FEATURES}"`,
];

const preparePreferences = (): string[] => [
  'if [ -n "${profile:-}" ] && [ ! -e "$profile/Default/Preferences" ]; then',
  `  mkdir -p "$profile/Default" && printf %s ${quote(JSON.stringify(BROWSER_PREFERENCES))} > "$profile/Default/Preferences"`,
  "fi",
];

/** Names of sockets have at most 107 bytes (104 on macOS), and Chromium adds 45 to the folder's. */
const MOST_FOLDER_BYTES = 55;

const chooseTemporaryFolder = (): string[] => [
  "# The binding starts the browser without the variables of the run.",
  "case ${profile:-} in */miniflare-*/browser-rendering/profile-*)",
  '  folder="${profile%/miniflare-*}"',
  `  if [ "\${#folder}" -le ${MOST_FOLDER_BYTES} ]; then export TMPDIR="$folder"; fi ;;`,
  "esac",
];

/** Half of the processor's time of an equal process is left to a browser. */
const NICENESS = 3;
/** Three browsers, each a session of its own, have together as much of the processor as the service. */
const SESSION_NICENESS = 5;

const giveWay = (): string[] => [
  "# Linux shares the processor among sessions first, then among the processes of each.",
  "{",
  '  read -r _ _ _ _ _ session _ < "/proc/$$/stat"',
  `  [ "$session" = "$$" ] && echo ${SESSION_NICENESS} > "/proc/$$/autogroup"`,
  "} 2> /dev/null",
  "# As root, a browser would put itself before all other processes.",
  "limit='setpriv --inh-caps=-sys_nice --bounding-set=-sys_nice'",
  "$limit true 2> /dev/null || limit=",
];

/** Reads the parent's process id every second: a starter that has ended may remain as a zombie, which still accepts signals. */
const watchStarter = (): string[] => [
  "# Sets parent and group of this script's process.",
  "look() {",
  "  parent= group=",
  '  if [ -r "/proc/$$/stat" ]; then',
  '    read -r _ _ _ parent group _ < "/proc/$$/stat"',
  "  elif [ ! -e /proc/self ]; then",
  '    parent=$(ps -o ppid= -p "$$" | tr -d " ") group=$(ps -o pgid= -p "$$" | tr -d " ")',
  "  fi",
  "} 2> /dev/null",
  "look",
  "own_group=$group",
  "(",
  '  while look; [ "$parent" = "$starter" ]; do sleep 1; done',
  '  kill -s KILL "$browser"',
  "  sleep 1",
  '  case ${profile:-} in */browser-rendering/profile-*) rm -rf "$profile" ;; esac',
  "  # The group is the script's own, so it holds the browser's processes and nothing else.",
  '  [ "$own_group" = "$$" ] && kill -s KILL -- "-$$"',
  ") < /dev/null > /dev/null 2>&1 &",
  "watcher=$!",
];

const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
