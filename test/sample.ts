/** True under `npm run check`, where slow tests try a part of their inputs. `npm test` tries them all. */
export function isSample(): boolean {
  return process.env["TEST_SAMPLE"] === "1";
}

/** Returns all entries or, under `npm run check`, every `step`th of them. */
export function sampleOf<Entry>(entries: readonly Entry[], step: number): readonly Entry[] {
  return isSample() ? entries.filter((_, index) => index % step === 0) : entries;
}

/** Returns a number of runs or of repetitions: `all`, or `some` under `npm run check`. */
export function sampleCount(all: number, some: number): number {
  return isSample() ? some : all;
}
