import type { BrowserContext, Page } from "@cloudflare/playwright";
import type { BrowserState } from "../../core/sessions/workspace.ts";

/** The browser, page and state that a verb works on. */
export interface Hand {
  page: Page;
  context: BrowserContext;
  state: BrowserState;
  /** The open tabs, oldest first. */
  tabs(): Promise<Page[]>;
  /** Makes another tab the one that is worked in. */
  activate(page: Page): Promise<void>;
  /** Files of the session's own file system. */
  readFile(path: string): Promise<Uint8Array>;
  writeFile(path: string, content: Uint8Array): Promise<void>;
}

/** Does its work and says what is printed. */
export type Verb = (hand: Hand, args: readonly string[]) => Promise<string>;
export type Verbs = Record<string, Verb>;
