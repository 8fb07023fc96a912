import { expect, test } from "vitest";
import { scopeOf, sessionTokens } from "../../../src/platform/sessions/session-tokens.ts";

const SEED = { secret: "secret", deploymentKey: "key of the deployment" };

test("each token opens what it is for, and driving opens watching", async () => {
  const tokens = await sessionTokens(SEED);
  expect(new Set(Object.values(tokens)).size).toBe(3);
  expect(tokens).toEqual(await sessionTokens(SEED));
  const opens = async (token: string) =>
    Promise.all((["cdp", "view", "drive"] as const).map((wanted) => scopeOf(token, SEED, wanted)));
  expect(await opens(tokens.cdp)).toEqual(["cdp", undefined, undefined]);
  expect(await opens(tokens.view)).toEqual([undefined, "view", undefined]);
  expect(await opens(tokens.drive)).toEqual([undefined, "drive", "drive"]);
});

test("tokens of another secret, or cut ones, open nothing", async () => {
  const { view } = await sessionTokens(SEED);
  expect(await scopeOf(view, { ...SEED, secret: "another" }, "view")).toBeUndefined();
  expect(await scopeOf(view, { ...SEED, deploymentKey: undefined }, "view")).toBeUndefined();
  expect(await scopeOf(view.slice(1), SEED, "view")).toBeUndefined();
  expect(await scopeOf("", SEED, "view")).toBeUndefined();
});
