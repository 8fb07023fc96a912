import { describe, expect, test } from "vitest";
import { downloadsOf } from "../../../src/ui/jobs/detail/downloads.ts";
import type { Job } from "../../../src/ui/jobs/job-types.ts";
import type { WatchedTarget } from "../../../src/ui/monitors/monitor-types.ts";
import { withRuleChange } from "../../../src/ui/monitors/rule-changes.ts";

describe("a change of the noise rules of one target", () => {
  const change = {
    from: { excludeTags: ".ad\n.clock", includeTags: "#price" },
    to: { excludeTags: ".ad\n .new", includeTags: "" },
  };
  const changed = (target: object): object | undefined => withRuleChange(target as WatchedTarget, change).scrapeOptions;

  test("gives this target the rules as they were edited", () => {
    const scrapeOptions = { excludeTags: [".ad", ".clock"], includeTags: ["#price"], maxAge: 1 };
    expect(changed({ type: "scrape", scrapeOptions })).toEqual({ excludeTags: [".ad", ".new"], maxAge: 1 });
  });

  test("leaves the other rules of every other target", () => {
    const scrapeOptions = { excludeTags: [".clock", ".menu"], includeTags: ["main"] };
    expect(changed({ type: "crawl", scrapeOptions })).toEqual({
      excludeTags: [".menu", ".new"],
      includeTags: ["main"],
    });
    expect(changed({ type: "scrape" })).toEqual({ excludeTags: [".new"] });
    expect(changed({ type: "search", queries: ["cod"] })).toBeUndefined();
  });
});

describe("the downloads of a job", () => {
  const kinds = (body: object | null, job: Partial<Job> = {}, isRunning = false): string[] =>
    downloadsOf(
      { job: job as Job, request: body === null ? null : { method: "POST", path: "", body: { ...body } } },
      isRunning,
    ).map(({ kind, label }) => (kind === label.toLowerCase() ? kind : `${kind}: ${label}`));

  test("have Markdown files where the pages have Markdown", () => {
    const all = ["jsonl", "zip: Markdown", "csv"];
    for (const body of [null, {}, { formats: ["html", { type: "markdown" }] }]) expect(kinds(body)).toEqual(all);
    expect(kinds({ formats: ["html"] })).toEqual(["jsonl", "csv"]);
    expect(kinds({ scrapeOptions: { formats: [{ type: "links" }] } })).toEqual(["jsonl", "csv"]);
  });

  test("have the archive after the end", () => {
    expect(kinds({ archive: true })).toContain("wacz");
    expect(kinds({ archive: true }, {}, true)).not.toContain("wacz");
  });

  test("with zero data retention say that the pages are deleted after them, when the job has ended", () => {
    const job = { zeroDataRetention: true } as const;
    expect(kinds(null, job)).toEqual(["jsonl", "csv"]);
    const titleOf = (isRunning: boolean) => downloadsOf({ job: job as Job, request: null }, isRunning)[0]?.title;
    expect(titleOf(false)).toMatch(
      /then deletes the pages; with a webhook, not before its last event is delivered or given up$/,
    );
    expect(titleOf(true)).not.toContain("delete");
  });
});
