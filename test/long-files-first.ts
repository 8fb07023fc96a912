import { BaseSequencer, type TestSpecification } from "vitest/node";

/**
 * Files that take a minute, most of it waiting for services that start, die and come back. They run first: at the end
 * of a run, the other lane would have nothing left to do.
 */
const LONG_FILES = [
  "newcomer.test.ts",
  "soak.test.ts",
  "watchdog.test.ts",
  "start.test.ts",
  "session-clients.test.ts",
  "start-crash.test.ts",
  "crawl.test.ts",
  "crawl-maze.test.ts",
  "deploy.test.ts",
  "crawl-crash.test.ts",
].map((name) => `/test/e2e/${name}`);

/** Runs the long files first, and the others in vitest's own order. */
export default class LongFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const place = ({ moduleId }: TestSpecification): number => {
      const index = LONG_FILES.findIndex((path) => moduleId.endsWith(path));
      return index === -1 ? LONG_FILES.length : index;
    };
    return sorted.toSorted((one, other) => place(one) - place(other));
  }
}
