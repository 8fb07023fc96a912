import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "../../..");

test("logs and traces are sampled, and the platform writes no line of its own for each invocation", () => {
  const sections = readFileSync(join(ROOT, "wrangler.toml"), "utf8").split(/^(?=\[)/m);
  const sectionOf = (name: string): string => sections.find((text) => text.startsWith(`[observability.${name}]`)) ?? "";
  expect(sectionOf("logs")).toContain("head_sampling_rate = 0.1\ninvocation_logs = false");
  expect(sectionOf("traces")).toContain("head_sampling_rate = 0.1");
});
