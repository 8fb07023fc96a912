import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { nearestName } from "../../core/text/nearest-name.ts";
import { PROJECT_ROOT } from "../service/wrangler.ts";
import { requireWordsPassedOn } from "./words-passed-on.ts";

export const START_USAGE = `npm start -- [address of a page] [options]

  --port 8787      port to serve on (environment: PORT)
  --key fc-…       value of the first API key: fc- and 32 hexadecimal digits (environment: API_KEY)
  --once           end after the scrape
  --persist DIR    folder for everything that is stored (default .wrangler/state)
  --help           show this

Without an address, the sample page that comes with the project is scraped.
Settings of the service are listed in .dev.vars.example; give them in the environment or in .dev.vars.`;

export interface StartOptions {
  /** The page to scrape; undefined for the sample page. */
  url: string | undefined;
  port: number;
  /** False when the port is only the usual one, and another will do where nobody needs to know it. */
  isPortChosen: boolean;
  /** The first key, from the command line; the environment's is a setting like the others. */
  key: string | undefined;
  once: boolean;
  persistDir: string;
  help: boolean;
}

const USUAL_PORT = "8787";

/** @throws Error that says what is wrong with the command line. */
export function readStartOptions(words: string[], env: NodeJS.ProcessEnv): StartOptions {
  requireWordsPassedOn(env, { command: "npm start --", names: ["port", "once", "persist"] });
  const { values, positionals } = parseWords(words);
  if (positionals.length > 1) throw new Error(`One address at a time; ${positionals.length} were given.`);
  const port = values.port ?? env["PORT"];
  return {
    url: positionals[0] === undefined ? undefined : readAddress(positionals[0]),
    port: readPort(port || USUAL_PORT),
    isPortChosen: Boolean(port),
    key: values.key,
    once: values.once ?? false,
    persistDir: values.persist === undefined ? resolve(PROJECT_ROOT, ".wrangler/state") : resolve(values.persist),
    help: values.help ?? false,
  };
}

const OPTIONS = {
  port: { type: "string" },
  key: { type: "string" },
  once: { type: "boolean" },
  persist: { type: "string" },
  help: { type: "boolean", short: "h" },
} as const;

function parseWords(words: string[]) {
  try {
    return parseArgs({ args: words, allowPositionals: true, options: OPTIONS });
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    const reason = code === "ERR_PARSE_ARGS_UNKNOWN_OPTION" ? unknownOption(words) : undefined;
    throw new Error(`${reason ?? (error as Error).message}\n\n${START_USAGE}`, { cause: error });
  }
}

function unknownOption(words: readonly string[]): string | undefined {
  const isKnown = (name: string): boolean => name in OPTIONS || name === "h";
  const names = words
    .filter((word) => /^--?[a-z]/i.test(word))
    .map((word) => word.replace(/^--?/, "").split("=")[0] ?? "");
  const unknown = names.find((name) => !isKnown(name));
  if (unknown === undefined) return undefined;
  const nearest = nearestName(unknown, Object.keys(OPTIONS));
  return `There is no option --${unknown}.${nearest === undefined ? "" : ` Did you mean --${nearest}?`}`;
}

function readPort(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port >= 1 && port <= 65_535) return port;
  throw new Error(`The port must be a number from 1 to 65535, not "${text}". Example: npm start -- --port 8788`);
}

function readAddress(text: string): string {
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `https://${text}`);
  if (url !== null && (url.protocol === "http:" || url.protocol === "https:")) return url.href;
  throw new Error(`"${text}" is no address of a web page. Example: npm start -- https://example.com`);
}
