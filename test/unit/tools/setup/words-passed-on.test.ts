import { expect, test } from "vitest";
import { requireWordsPassedOn } from "../../../../src/tools/setup/words-passed-on.ts";

const check = (env: Record<string, string>): void =>
  requireWordsPassedOn(env, { command: "npm run deploy --", names: ["dry-run", "free", "location"] });

test("an option that npm has taken is named, with the way to write it", () => {
  expect(() => check({ npm_config_dry_run: "true" })).toThrow("Write -- before it: npm run deploy -- --dry-run");
  expect(() => check({ npm_config_location: "weur" })).toThrow("npm run deploy -- --location weur");
});

test("npm's other settings are no matter", () => {
  expect(() => check({ npm_config_registry: "https://registry.example", npm_config_free: "" })).not.toThrow();
});
