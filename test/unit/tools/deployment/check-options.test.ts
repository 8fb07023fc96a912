import { expect, test } from "vitest";
import { checkOptions } from "../../../../src/tools/deployment/check-options.ts";

const NOTHING = { "dry-run": false, free: false, check: false, help: false };

test.each([
  { values: { url: "https://a.example" }, error: "--url needs --check." },
  { values: { echo: "x", "bad-certificate": "y" }, error: "--echo, --bad-certificate needs --check." },
  { values: { check: true, free: true }, error: "--check deploys nothing. Leave out --free." },
  {
    values: { check: true, "dry-run": true, location: "weur" },
    error: "--check deploys nothing. Leave out --dry-run, --location.",
  },
])("refuses $values, of which a part would have no effect", ({ values, error }) => {
  expect(() => checkOptions({ ...NOTHING, ...values })).toThrow(error);
});

test.each([
  {},
  { free: true, location: "weur", settings: "s" },
  { check: true, url: "https://a.example", echo: "x", settings: "s" },
])("takes %o", (values) => {
  expect(() => checkOptions({ ...NOTHING, ...values })).not.toThrow();
});
