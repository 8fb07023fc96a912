import { describe, expect, test } from "vitest";
import { assertKnownProxy, chooseRoutes, parseEgressRoutes, ruleFor } from "../../../src/core/egress-routes.ts";

const SETTINGS = parseEgressRoutes(
  JSON.stringify({
    routes: {
      office: { kind: "proxy", urls: ["http://anna:secret@proxy.example:3128", "https://proxy.example"] },
      relay: { kind: "service", url: "https://relay.example/fetch", token: "secret" },
    },
    enhanced: ["office", "relay"],
    rules: [
      { hosts: ["open.shop.example"], route: "direct" },
      { hosts: ["*.shop.example", "shop.example"], route: "relay" },
    ],
  }),
);
const url = "https://a.example/";
const shop = "https://www.shop.example/";

describe("chooseRoutes", () => {
  test.each([
    ["basic", url, [], [], false],
    ["auto", url, [], ["office", "relay"], false],
    ["enhanced", url, ["office", "relay"], [], true],
    ["stealth", shop, ["office", "relay"], [], true],
    ["basic", shop, ["relay"], [], false],
    ["auto", shop, ["relay"], [], false],
    ["auto", "https://open.shop.example/", [], ["office", "relay"], false],
    ["office", shop, ["office"], [], false],
  ])("%s for %s", (proxy, page, routes, ifBlocked, isEnhanced) => {
    expect(chooseRoutes(SETTINGS, { url: page, proxy })).toEqual({ routes, ifBlocked, isEnhanced });
  });

  test("refuses an unknown name, and names those that there are", () => {
    const code = {
      code: "BAD_REQUEST",
      message: expect.stringContaining("basic, stealth, enhanced, auto, office, relay"),
    };
    expect(() => chooseRoutes(SETTINGS, { url, proxy: "ofice" })).toThrow(expect.objectContaining(code));
    expect(() => assertKnownProxy(SETTINGS, "constructor")).toThrow(expect.objectContaining(code));
    expect(() => assertKnownProxy(SETTINGS, "office")).not.toThrow();
  });
});

test("rules match a host itself, or the names below it", () => {
  expect(ruleFor(SETTINGS, "https://shop.example/a")).toBe("relay");
  expect(ruleFor(SETTINGS, "https://WWW.shop.example./")).toBe("relay");
  expect(ruleFor(SETTINGS, "https://ashop.example/")).toBeUndefined();
});

test.each([
  ["no JSON", "office", "routes"],
  ["a route of no kind", { routes: { office: { kind: "vpn" } } }, "kind"],
  ["a reserved name", { routes: { auto: { kind: "proxy", urls: ["http://a.example"] } } }, "routes.auto"],
  [
    "a rule that leads nowhere",
    { routes: {}, rules: [{ hosts: ["a"], route: "office" }] },
    "office is not one of the routes",
  ],
  [
    "a proxy of another scheme",
    { routes: { office: { kind: "proxy", urls: ["socks5://u:secret@a.example"] } } },
    "urls",
  ],
])("settings with %s are refused without telling secrets", (_what, value, words) => {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  expect(() => parseEgressRoutes(text)).toThrow(words);
  expect(() => parseEgressRoutes(text)).not.toThrow("secret");
});
