import { BaseSequencer, type TestSpecification } from "vitest/node";

/**
 * Files that take a minute in one form of the tests or in both, most of it waiting for services that start, die and come
 * back, or for a person's presses. They run first: at the end of a run, the other lane would have nothing left to do.
 */
const LONG_FILES = [
  "start/newcomer.test.ts",
  "ui/tasks.test.ts",
  "sessions/live-view.test.ts",
  "sessions/session-clients.test.ts",
  "start/start-crash.test.ts",
  "ui/playground.test.ts",
  "sessions/session-limits.test.ts",
  "start/deploy.test.ts",
  "ui/monitors.test.ts",
  "sessions/session-cdp.test.ts",
  "scrape/site-troubles.test.ts",
  "start/watchdog.test.ts",
  "sessions/session-execute.test.ts",
  "sessions/own-browsers.test.ts",
  "ui/hostile-views.test.ts",
  "crawl/shared-reader.test.ts",
  "ui/views.test.ts",
  "research/extract.test.ts",
  "start/start.test.ts",
  "ui/crawls.test.ts",
  "docs.test.ts",
  "start/logs.test.ts",
  "ui/jobs.test.ts",
  "crawl/soak.test.ts",
  "crawl/crawl.test.ts",
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
