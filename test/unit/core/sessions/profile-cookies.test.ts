import { describe, expect, test } from "vitest";
import type { ProfileCookie, ProfileState } from "../../../../src/core/sessions/profile.ts";
import { cookiesFor, profileFit } from "../../../../src/core/sessions/profile-cookies.ts";

const NOW_MS = Date.UTC(2026, 0, 1);

const cookie = (more: Partial<ProfileCookie>): ProfileCookie => ({
  name: "sid", value: "1", domain: "app.example.com", path: "/", httpOnly: true, secure: false, ...more,
}); // prettier-ignore

describe("a cookie of a profile is sent", () => {
  test.each([
    ["to its host", {}, "https://app.example.com/", true],
    ["to no other host of the domain, when it is of one host", {}, "https://www.app.example.com/", false],
    ["to hosts below its domain", { domain: ".example.com" }, "https://app.example.com/a", true],
    ["to the domain itself", { domain: ".example.com" }, "https://example.com/", true],
    ["to no host that only ends alike", { domain: ".example.com" }, "https://badexample.com/", false],
    ["below its path", { path: "/team" }, "https://app.example.com/team/1", true],
    ["to no path that only begins alike", { path: "/team" }, "https://app.example.com/teams", false],
    ["over https alone, when it is secure", { secure: true }, "http://app.example.com/", false],
    ["over https, when it is secure", { secure: true }, "https://app.example.com/", true],
    ["until it expires", { expires: NOW_MS / 1000 + 1 }, "https://app.example.com/", true],
    ["not after it has expired", { expires: NOW_MS / 1000 }, "https://app.example.com/", false],
    ["in its partition", { partitionKey: { topLevelSite: "https://example.com" } }, "https://app.example.com/", true],
    ["in no other partition", { partitionKey: "https://shop.example" }, "https://app.example.com/", false],
    ["not with characters that a header cannot have", { value: "a\nb" }, "https://app.example.com/", false],
  ])("%s", (_why, more, url, isSent) => {
    expect(cookiesFor([cookie(more)], url, NOW_MS)).toHaveLength(isSent ? 1 : 0);
  });

  test("before those with shorter paths", () => {
    const cookies = [cookie({ value: "all" }), cookie({ value: "team", path: "/team" })];
    expect(cookiesFor(cookies, "https://app.example.com/team/", NOW_MS).map(({ value }) => value)).toEqual([
      "team",
      "all",
    ]);
  });
});

test.each<[string, Partial<ProfileState>, string]>([
  ["has a cookie", { cookies: [cookie({})] }, "usable"],
  ["has a cookie of another path", { cookies: [cookie({ path: "/team" })] }, "usable"],
  ["has cookies that have all expired", { cookies: [cookie({ expires: 1 }), cookie({ expires: 2 })] }, "expired"],
  ["has one cookie that has not expired", { cookies: [cookie({ expires: 1 }), cookie({})] }, "usable"],
  [
    "has storage beside expired cookies",
    {
      cookies: [cookie({ expires: 1 })],
      origins: [{ origin: "https://app.example.com", localStorage: [["t", "1"]], sessionStorage: [], databases: [] }],
    },
    "usable",
  ],
  ["has only cookies of another host of the site", { cookies: [cookie({ domain: "www.example.com" })] }, "sibling"],
  ["has only cookies of other hosts", { cookies: [cookie({ domain: "other.example" })] }, "foreign"],
])("a profile that %s for a URL is %s", (_what, more, fit) => {
  const state: ProfileState = { version: 1, cookies: [], origins: [], ...more };
  expect(profileFit(state, "https://app.example.com/", NOW_MS)).toBe(fit);
});
