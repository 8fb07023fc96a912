import type { OpenBrowser } from "./open-browser.ts";

/** The caller's code as a function of what is predefined for it. */
declare function runCode(
  given: OpenBrowser & { console: Record<string, (...values: unknown[]) => void> },
): Promise<unknown>;
export default runCode;
