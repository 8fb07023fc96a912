import { expect, inject, test } from "vitest";
import type { ProfileState } from "../../../src/core/sessions/profile.ts";
import { loadPage } from "./browser-helpers.ts";

const site = inject("siteUrl");
/** The same server under another host, for which the profile has nothing. */
const foreign = site.replace("127.0.0.1", "localhost");

const profile: ProfileState = {
  version: 1,
  cookies: [{ name: "session", value: "berth-17", domain: "127.0.0.1", path: "/", httpOnly: true, secure: false }],
  origins: [{ origin: site, localStorage: [["tide", "high"]], sessionStorage: [["berth", "17"]], databases: [] }],
};

test("a load in a browser begins with the cookies and storage of its profile", async () => {
  const { body } = await loadPage(`${site}/account/berth`, { profile });
  expect(body).toContain("The tide is high, berth 17");
});

test("another origin receives neither, and the next load begins without them", async () => {
  const script = "JSON.stringify([document.cookie, { ...localStorage }, { ...sessionStorage }])";
  const actions = [{ type: "executeJavascript" as const, script }];
  const { body, actions: results } = await loadPage(`${foreign}/echo`, { profile, actions });
  expect(body).not.toContain("berth-17");
  expect(results?.javascriptReturns[0]?.value).toBe('["",{},{}]');
  const next = await loadPage(`${site}/account/berth`);
  expect(next.url).toBe(`${site}/login`);
});
