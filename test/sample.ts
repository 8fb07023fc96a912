/** True under `npm run check`, where slow tests try a part of their inputs. `npm test` tries them all. */
export function isSample(): boolean {
  return process.env["TEST_SAMPLE"] === "1";
}

/** True in the short form of `npm test`, for what a test does beside its proof. Tests that the short form leaves out have the tag `long`. */
export function isShort(): boolean {
  return process.env["TEST_SHORT"] === "1";
}

/** True with `LONG_TESTS=1`, by hand: tests of random and of growing inputs try more of them, and larger ones, than `npm test` does. */
export function isLong(): boolean {
  return process.env["LONG_TESTS"] === "1";
}

/** Returns all entries or, under `npm run check`, every `step`th of them. */
export function sampleOf<Entry>(entries: readonly Entry[], step: number): readonly Entry[] {
  return isSample() ? entries.filter((_, index) => index % step === 0) : entries;
}

/** Returns a number of runs or of repetitions: `all`, `some` under `npm run check` and in the short form, or `many` with `LONG_TESTS=1`. */
export function sampleCount(all: number, some: number, many = all): number {
  if (isSample()) return some;
  if (isLong()) return many;
  return isShort() ? some : all;
}

/** Entries of a table of tests, and the tags of these tests. */
export interface TaggedEntries<Entry> {
  tags: "long"[];
  entries: readonly Entry[];
}

/**
 * Divides a table of tests into the entries of the short form of `npm test` and those that are long. One of both may be empty.
 * @param isShort whether the short form has the entry.
 */
export function shortAndLong<Entry>(
  entries: readonly Entry[],
  isShort: (entry: Entry, index: number) => boolean,
): TaggedEntries<Entry>[] {
  return [
    { tags: [], entries: entries.filter(isShort) },
    { tags: ["long"], entries: entries.filter((entry, index) => !isShort(entry, index)) },
  ];
}
