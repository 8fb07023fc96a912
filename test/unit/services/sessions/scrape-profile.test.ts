import { describe, expect, test, vi } from "vitest";
import type { ProfileCookie, ProfileState } from "../../../../src/core/sessions/profile.ts";
import type { ProfileStore } from "../../../../src/ports/sessions/profiles.ts";
import type { PageRequest } from "../../../../src/engines/engine.ts";
import { assertProfile, profilesReadOnce } from "../../../../src/services/sessions/scrape-profile.ts";
import { fixedClock } from "../../../fakes/fixed-clock.ts";
import { emptyPageCache, memoryFiles, memoryScrapes } from "../../../fakes/memory/memory-scrapes.ts";
import { scriptedHttp } from "../../../fakes/upstream/scripted-http.ts";
import { testApp } from "../../../fakes/services/test-app.ts";
import { testDeps } from "../../../fakes/services/test-deps.ts";

const PAGE = `<title>Berth</title><main>${"<p>Berth 17 is paid until the end of September.</p>".repeat(9)}</main>`;

const cookie = (more: Partial<ProfileCookie> = {}): ProfileCookie => ({
  name: "sid", value: "17", domain: "a.example", path: "/", httpOnly: true, secure: false, ...more,
}); // prettier-ignore

/** A store with the given profiles of every team. */
function storeOf(profiles: Record<string, ProfileState>): ProfileStore {
  const refuse = (): never => {
    throw new Error("A scrape does not change profiles");
  };
  return { claim: refuse, release: refuse, write: refuse, purge: refuse, read: async ({ name }) => profiles[name] };
}

/** A service whose page loads are noted. */
function service(profiles: ProfileStore | undefined) {
  const loads: PageRequest[] = [];
  const pageCache = { ...emptyPageCache(), find: vi.fn(async () => undefined) };
  const scrapes = memoryScrapes();
  const insert = vi.spyOn(scrapes, "insert");
  const http = scriptedHttp({ "https://a.example/": PAGE, "https://a.example/robots.txt": { status: 404 } });
  const deps = testDeps({
    sleep: (ms) => new Promise<void>((resolve) => (ms < 60_000 ? resolve() : undefined)), clock: fixedClock(), profiles, pageCache, scrapes, http, files: memoryFiles(),
    engines: [{
      engine: "fetch",
      provides: new Set(),
      load: async (request) => {
        loads.push(request);
        const { url } = request;
        return { kind: "loaded", page: { engine: "fetch", url, statusCode: 200, headers: {}, contentType: "text/html", body: PAGE, warnings: [] } };
      },
    }],
  }); // prettier-ignore
  return { ...testApp(deps), loads, pageCache, insert, http };
}

const login = (more: Partial<ProfileCookie> = {}): ProfileState => ({
  version: 1,
  cookies: [cookie(more)],
  origins: [],
});

describe("a scrape with a profile", () => {
  test("loads the page with its state, and neither reads nor writes the cache", async () => {
    const { post, loads, pageCache, insert } = service(storeOf({ harbour: login() }));
    const body = { url: "https://a.example/", profile: { name: "harbour", saveChanges: false } };
    const response = await post("/v2/scrape", body);
    expect(response.status).toBe(200);
    expect(loads).toMatchObject([{ profile: login(), skipTlsVerification: false }]);
    expect(pageCache.find).not.toHaveBeenCalled();
    expect(insert).toHaveBeenCalledOnce();
    expect(insert.mock.calls[0]?.[0].page).toBeUndefined();
    expect(await response.json()).not.toHaveProperty("data.warning");
  });

  test("of another host of the site loads the page and names the profile in the warning", async () => {
    const { post } = service(storeOf({ harbour: login({ domain: "www.a.example" }) }));
    const response = await post("/v2/scrape", { url: "https://a.example/", profile: { name: "harbour" } });
    expect(await response.json()).toMatchObject({ data: { warning: expect.stringContaining("profile: it has no") } });
  });

  test.each([
    { why: "never saved", profile: { name: "none" }, status: 404, code: "PROFILE_NOT_FOUND" },
    { why: "of another site", profile: { name: "other" }, status: 400, code: "PROFILE_FOREIGN_ORIGIN" },
    { why: "whose cookies have expired", profile: { name: "old" }, status: 400, code: "PROFILE_EXPIRED" },
    {
      why: "to be changed",
      profile: { name: "harbour", saveChanges: true },
      status: 400,
      code: "BAD_REQUEST",
      message: "A scrape does not change its profile",
    },
  ])("$why is refused before anything is loaded", async ({ profile, status, code, message = "" }) => {
    const { post, loads } = service(
      storeOf({ harbour: login(), old: login({ expires: 1 }), other: login({ domain: "b.example" }) }),
    );
    const response = await post("/v2/scrape", { url: "https://a.example/", profile });
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ code, error: expect.stringContaining(message) });
    expect(loads).toEqual([]);
  });
});

test.each([
  ["/v2/scrape", { url: "https://a.example/" }],
  ["/v2/map", { url: "https://a.example/" }],
  ["/v2/batch/scrape", { urls: ["https://a.example/"] }],
])("%s refuses a profile where the deployment has none", async (path, body) => {
  const { post } = service(undefined);
  const response = await post(path, { ...body, profile: { name: "harbour" } });
  expect(response.status).toBe(503);
  expect(await response.json()).toMatchObject({ code: "PROFILES_NOT_CONFIGURED" });
});

test.each([
  ["/v2/crawl", { url: "https://a.example/", scrapeOptions: { profile: { name: "none" } } }],
  ["/v2/batch/scrape", { urls: ["https://a.example/"], profile: { name: "none" } }],
  ["/v2/map", { url: "https://a.example/", profile: { name: "none" } }],
  [
    "/v2/monitor",
    {
      name: "m",
      schedule: { text: "hourly" },
      targets: [{ type: "scrape", urls: ["https://a.example/"], scrapeOptions: { profile: { name: "none" } } }],
    },
  ],
])("%s refuses a profile that was never saved before it starts", async (path, body) => {
  const { post } = service(storeOf({}));
  const response = await post(path, body);
  expect(response.status).toBe(404);
  expect(await response.json()).toMatchObject({ error: expect.stringContaining("no saved profile") });
});

const OTHER = { profile: { name: "other" } };
test.each([
  ["/v2/crawl", { url: "https://a.example/", scrapeOptions: OTHER }],
  ["/v2/crawl", { url: "https://a.example/", scrapeOptions: OTHER, estimate: true }],
  ["/v2/batch/scrape", { urls: ["https://a.example/", "https://c.example/"], ...OTHER }],
  ["/v2/map", { url: "https://a.example/", ...OTHER }],
  [
    "/v2/monitor",
    {
      name: "m",
      schedule: { text: "hourly" },
      targets: [{ type: "scrape", urls: ["https://a.example/"], scrapeOptions: OTHER }],
    },
  ],
  [
    "/v2/monitor",
    { name: "m", schedule: { text: "hourly" }, targets: [{ type: "crawl", url: "a.example", scrapeOptions: OTHER }] },
  ],
])("%s refuses a profile of another site before it starts", async (path, body) => {
  const { post, loads } = service(storeOf({ other: login({ domain: "b.example" }) }));
  const response = await post(path, body);
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ code: "PROFILE_FOREIGN_ORIGIN" });
  expect(loads).toEqual([]);
});

test("a profile fits a job when it has something for the site of one URL", async () => {
  const deps = testDeps({ clock: fixedClock(), profiles: storeOf({ harbour: login() }) });
  const check = async (...urls: string[]) => await assertProfile(deps, "t", { profile: { name: "harbour" }, urls });
  await check("https://b.example/", "https://a.example/");
  await expect(check("https://b.example/", "https://c.example/")).rejects.toMatchObject({
    code: "PROFILE_FOREIGN_ORIGIN",
  });
});

test.each([
  ["/v2/scrape", { url: "https://a.example/", proxy: "nobody" }],
  ["/v2/crawl", { url: "https://a.example/", scrapeOptions: { proxy: "nobody" } }],
  ["/v2/batch/scrape", { urls: ["https://a.example/"], proxy: "nobody" }],
  [
    "/v2/monitor",
    {
      name: "m",
      schedule: { text: "hourly" },
      targets: [{ type: "scrape", urls: ["https://a.example/"], scrapeOptions: { proxy: "nobody" } }],
    },
  ],
])("%s refuses a proxy that the deployment does not have before it starts", async (path, body) => {
  const { post, loads } = service(storeOf({}));
  const response = await post(path, body);
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ code: "BAD_REQUEST", error: expect.stringContaining("nobody") });
  expect(loads).toEqual([]);
});

test("a map carries the cookies to its pages and sitemaps", async () => {
  const { post, http } = service(storeOf({ harbour: login() }));
  const response = await post("/v2/map", { url: "https://a.example/", useIndex: false, profile: { name: "harbour" } });
  expect(response.status).toBe(200);
  const carrying = http.seen.filter(({ cookies }) => cookies?.[0]?.value === "17").map(({ url }) => url);
  expect(carrying).toEqual(expect.arrayContaining(["https://a.example/", "https://a.example/sitemap.xml"]));
});

test("a worker run reads a profile once, and again after a failure", async () => {
  const read = vi.fn<ProfileStore["read"]>().mockRejectedValueOnce(new Error("R2")).mockResolvedValue(login());
  const profiles = profilesReadOnce({ ...storeOf({}), read });
  const name = { teamId: "t", name: "harbour" };
  await expect(profiles?.read(name)).rejects.toThrow("R2");
  expect(await Promise.all([profiles?.read(name), profiles?.read(name)])).toEqual([login(), login()]);
  await profiles?.read({ ...name, teamId: "other" });
  expect(read).toHaveBeenCalledTimes(3);
});
