import { BaseSequencer, type TestSpecification } from "vitest/node";

/**
 * Files that take a minute, most of it waiting for services that start, die and come back, or for a person's presses. They run first: at the end
 * of a run, the other lanes would have nothing left to do.
 */
const LONG_FILES = [
  "start/newcomer.test.ts",
  "ui/tasks.test.ts",
  "crawl/soak.test.ts",
  "scrape/site-troubles.test.ts",
  "sessions/session-limits.test.ts",
  "sessions/session-execute.test.ts",
  "start/watchdog.test.ts",
  "start/start.test.ts",
  "sessions/session-clients.test.ts",
  "start/start-crash.test.ts",
  "crawl/crawl.test.ts",
  "crawl/crawl-maze.test.ts",
  "clients/firecrawl-cli.test.ts",
  "ui/playground.test.ts",
  "ui/hostile-views.test.ts",
  "ui/newcomer.test.ts",
  "start/deploy.test.ts",
  "ui/views.test.ts",
  "crawl/crawl-crash.test.ts",
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
