import type { FileContext } from "./file-contexts.ts";

let context: FileContext | undefined;

/** Sets what `inject` returns in this test file. */
export function provide(own: FileContext): void {
  context = own;
}

/**
 * Returns a part of this test file's context: the service of its lane, a team and a site of its own. What other files
 * have scraped, started or counted belongs to other teams and other hosts.
 */
export function inject<Name extends keyof FileContext>(name: Name): FileContext[Name] {
  if (context === undefined) throw new Error("test/e2e/setup.ts has provided no context");
  return context[name];
}
