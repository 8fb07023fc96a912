import type { CommandOutput } from "../../core/sessions/workspace.ts";
import { CAPTURE_VERBS } from "./capture-verbs.ts";
import { FIND_VERBS } from "./find-verb.ts";
import { INPUT_VERBS } from "./input-verbs.ts";
import { NAVIGATION_VERBS } from "./navigation-verbs.ts";
import { READING_VERBS } from "./reading-verbs.ts";
import type { Hand, Verbs } from "./verb.ts";

const VERBS: Verbs = { ...NAVIGATION_VERBS, ...INPUT_VERBS, ...READING_VERBS, ...FIND_VERBS, ...CAPTURE_VERBS };

const HELP = `agent-browser <verb> [words]
  open <url> | back | forward | reload | tab [list|new [url]|close [n]|<n>] | close
  snapshot [-i] [-c] [-d <depth>]        elements with references such as @e1; -i only those to act on
  click|dblclick|hover|focus|check|uncheck <element>
  fill <element> <text> | type <element> <text> | press <key> | select <element> <option…>
  scroll <up|down|left|right> [px] | scrollintoview <element> | drag <from> <to> | upload <element> <file…>
  get text|html|value|attr|count|box <element> | get url | get title
  is visible|enabled|checked <element>
  wait <element>|<ms>|--text <text>|--url <pattern>|--load <state>|--fn <script>
  find role|text|label|placeholder|alt|title|testid <what> [click|fill|type|check|hover|press|select] [text] [--name <name>]
  screenshot [file] [--full] | pdf <file> | eval <script> | cookies [get|set <name> <value>|clear] | set viewport <w> <h>
An element is @e1 of the last snapshot, a CSS selector, text=…, or an XPath.
`;

/**
 * Carries out one command line of `agent-browser`. `connect` is called for what needs the browser.
 * With `--json` the answer is one JSON object.
 */
export async function runVerb(connect: () => Promise<Hand>, args: readonly string[]): Promise<CommandOutput> {
  const isJson = args.includes("--json");
  const [name, ...words] = args.filter((arg) => arg !== "--json");
  if (name === undefined || name === "help" || name === "--help" || name === "-h") return success(HELP, false);
  const verb = Object.hasOwn(VERBS, name) ? VERBS[name] : undefined;
  if (verb === undefined) return failure(`Unknown verb: ${name}. See agent-browser --help`, isJson);
  try {
    return success(`${await verb(await connect(), words)}\n`, isJson);
  } catch (error) {
    return failure(messageOf(error), isJson);
  }
}

function success(text: string, isJson: boolean): CommandOutput {
  const stdout = isJson ? `${JSON.stringify({ success: true, data: text.trimEnd() })}\n` : text;
  return { stdout, stderr: "", exitCode: 0 };
}

function failure(message: string, isJson: boolean): CommandOutput {
  if (isJson) return { stdout: `${JSON.stringify({ success: false, error: message })}\n`, stderr: "", exitCode: 1 };
  return { stdout: "", stderr: `agent-browser: ${message}\n`, exitCode: 1 };
}

/** Of the driver's errors the first lines say what happened; the rest is its log. */
function messageOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.split("\n").slice(0, 3).join("\n").trim();
}
