/** Commands of the browser for the shell, in the order in which they are given, and what each writes. */
export const VERBS: readonly { command: string; stdout: string | RegExp }[] = [
  { command: "get title", stdout: /\S/ },
  { command: "get count '#flags option'", stdout: /^\d+$/ },
  { command: "get attr '#buoy' id", stdout: "buoy" },
  { command: "get html h1", stdout: /\S/ },
  { command: "is visible '#lamp'", stdout: "true" },
  { command: "is enabled '#lamp'", stdout: "true" },
  { command: "check '#lamp'", stdout: "Checked" },
  { command: "is checked '#lamp'", stdout: "true" },
  { command: "uncheck '#lamp'", stdout: "Unchecked" },
  { command: "select '#buoy' green", stdout: "Selected" },
  { command: "get value '#buoy'", stdout: "green" },
  { command: "hover '#hover'", stdout: "Hovered" },
  { command: "get text '#hover'", stdout: "Hovered" },
  { command: "scroll down 200", stdout: "Scrolled down 200" },
  { command: "scrollintoview '#day'", stdout: "Scrolled into view" },
  { command: "wait 50", stdout: "Done" },
  { command: "wait '#lamp'", stdout: "Done" },
  { command: "wait --load networkidle", stdout: "Done" },
  { command: "find role heading", stdout: /\S/ },
  { command: "press Escape", stdout: "Pressed" },
  { command: "eval '1 + 1'", stdout: "2" },
  { command: "eval 'document.title'", stdout: /\S/ },
  { command: "cookies set berth 18", stdout: "Cookie set" },
  { command: "cookies", stdout: /berth=18/ },
  { command: "cookies clear", stdout: "Cookies cleared" },
  { command: "tab new", stdout: /^Tab 1/ },
  { command: "tab", stdout: /\* \[1\]/ },
  { command: "tab 0", stdout: /controls/ },
  { command: "tab close 1", stdout: "Tab closed" },
  { command: "screenshot shot.png", stdout: "Screenshot saved to shot.png" },
  { command: "pdf page.pdf", stdout: "PDF saved to page.pdf" },
  { command: "reload", stdout: /controls/ },
  { command: "get title --json", stdout: /^\{"success":true,"data":"/ },
  { command: "--help", stdout: /^agent-browser <verb>/ },
];
/** The first command of the second script, to which the first one leaves its tabs. */
const SECOND = "tab";

export interface VerbAnswer {
  stdout: string;
  stderr: string;
  exitCode: number;
}

const BEGINS = "--- begins";
const PROBLEMS = "--- problems";

/**
 * Opens a page and gives all commands, in two runs of the shell: starting a run takes most of its time.
 * @returns what each command wrote, without white space around it.
 */
export async function giveVerbs(
  bash: (script: string) => Promise<{ stdout: string; stderr: string }>,
  url: string,
): Promise<Map<string, VerbAnswer>> {
  const commands = VERBS.map(({ command }) => command);
  const scripts = [commands.slice(0, commands.indexOf(SECOND)), commands.slice(commands.indexOf(SECOND))];
  const answers: VerbAnswer[] = [];
  for (const [at, verbs] of scripts.entries()) {
    const lines = verbs.map(
      (verb) =>
        `echo '${BEGINS}'; agent-browser ${verb} 2> problems; code=$?; echo; echo "${PROBLEMS} $code"; cat problems`,
    );
    const { stdout } = await bash([...(at === 0 ? [`agent-browser open ${url}`] : []), ...lines].join("\n"));
    answers.push(...stdout.split(`${BEGINS}\n`).slice(1).map(readAnswer));
  }
  return new Map(answers.map((answer, at) => [commands[at] ?? "", answer]));
}

function readAnswer(text: string): VerbAnswer {
  const [, stdout = "", code, stderr = ""] = /^([^]*)\n--- problems (\d+)\n([^]*)$/.exec(text) ?? [];
  return { stdout: stdout.trim(), stderr: stderr.trim(), exitCode: Number(code) };
}
