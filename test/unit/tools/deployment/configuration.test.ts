import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { withoutPaidParts } from "../../../../src/tools/deployment/free-plan.ts";
import { makeUpSecrets } from "../../../../src/tools/deployment/made-secrets.ts";
import { configProblems, namesOf, type WorkerConfig } from "../../../../src/tools/deployment/read-config.ts";
import { PROJECT_ROOT } from "../../../../src/tools/service/wrangler.ts";

const CONFIG: WorkerConfig = {
  name: "w",
  d1_databases: [{ binding: "DB", database_name: "d" }],
  r2_buckets: [{ binding: "BUCKET", bucket_name: "b" }],
  queues: {
    producers: [
      { binding: "TASKS", queue: "tasks" },
      { binding: "LETTERS", queue: "dead-letters" },
    ],
    consumers: [{ queue: "tasks", dead_letter_queue: "dead-letters" }, { queue: "dead-letters" }],
  },
  durable_objects: { bindings: [{ name: "GATE", class_name: "Gate" }] },
  triggers: { crons: ["17 * * * *"] },
};
const exportedClasses = new Set(["Gate"]);

describe("the configuration", () => {
  test("names what is to be made, queues of dead letters first", () => {
    expect(namesOf(CONFIG)).toEqual({ worker: "w", database: "d", bucket: "b", queues: ["dead-letters", "tasks"] });
    expect(() => namesOf({ ...CONFIG, r2_buckets: [{ binding: "BUCKET" }] })).toThrow("r2_buckets.bucket_name");
  });

  test("is in order when it holds together", () => {
    expect(configProblems(CONFIG, { exportedClasses })).toEqual([]);
  });

  const { producers = [], consumers = [] } = CONFIG.queues;
  test.each([
    {
      why: "dead letters that nobody looks at",
      queues: { producers, consumers: consumers.slice(0, 1) },
      says: "Nobody looks at dead-letters",
    },
    { why: "a queue without dead letters", queues: { producers, consumers: [{ queue: "tasks" }] }, says: "deleted" },
    { why: "a queue that has no binding", queues: { producers: [], consumers }, says: "no producer binding" },
  ])("tells of $why", ({ queues, says }) => {
    expect(configProblems({ ...CONFIG, queues }, { exportedClasses }).join(" ")).toContain(says);
  });

  test("tells of an object that the Worker does not export", () => {
    expect(configProblems(CONFIG, { exportedClasses: new Set() }).join(" ")).toContain("does not export");
  });
});

test("for the free plan, limits and the worker loader go, and the rest stays as it is", () => {
  const toml = readFileSync(join(PROJECT_ROOT, "wrangler.toml"), "utf8");
  const free = withoutPaidParts(toml);
  expect(free).not.toMatch(/cpu_ms|subrequests|worker_loaders/);
  const left = new Set(free.split("\n"));
  const gone = toml.split("\n").filter((line) => !left.has(line));
  expect(gone).toEqual([
    "[limits]",
    "cpu_ms = 300_000",
    "subrequests = 1_000_000",
    "[[worker_loaders]]",
    'binding = "LOADER"',
  ]);
});

describe("secrets that are made up", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "secrets-"));
  });
  afterEach(() => rmSync(folder, { recursive: true }));
  const path = () => join(folder, "deploy", "secrets.json");

  test("are the same when they are asked for again, and this user's alone", async () => {
    const names = ["API_KEY", "WEBHOOK_SECRET"];
    const made = await makeUpSecrets(path(), names);
    expect(made["API_KEY"]).toMatch(/^fc-[0-9a-f]{32}$/);
    expect(made["WEBHOOK_SECRET"]).toMatch(/^[0-9a-f]{64}$/);
    expect(await makeUpSecrets(path(), [...names, "ADMIN_KEY"])).toMatchObject(made);
    expect(statSync(path()).mode & 0o777).toBe(0o600);
  });

  test("are not taken from a damaged file", async () => {
    await makeUpSecrets(path(), ["API_KEY"]);
    writeFileSync(path(), "{");
    await expect(makeUpSecrets(path(), ["API_KEY"])).rejects.toThrow("Delete it");
  });
});
