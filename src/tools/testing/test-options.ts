import { parseArgs } from "node:util";
import { requireWordsPassedOn } from "../setup/words-passed-on.ts";

export const TEST_USAGE = `npm test [-- options]

  --all     also the long tests: further sizes, formats, pages, clients and views of what other tests prove
  --help    show this`;

export interface TestOptions {
  all: boolean;
  help: boolean;
}

/** @throws Error that says what is wrong with the command line. */
export function readTestOptions(words: string[], env: NodeJS.ProcessEnv): TestOptions {
  requireWordsPassedOn(env, { command: "npm test --", names: ["all"] });
  try {
    const flag = { type: "boolean", default: false } as const;
    const { all, help } = parseArgs({ args: words, options: { all: flag, help: { ...flag, short: "h" } } }).values;
    return { all, help };
  } catch (error) {
    throw new Error(`${(error as Error).message}\n\n${TEST_USAGE}`, { cause: error });
  }
}
