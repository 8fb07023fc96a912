import { expect, test } from "vitest";
import { Meter } from "../../../../src/core/account/meter.ts";
import { createGuardedFetch } from "../../../../src/platform/outbound/guarded-fetch.ts";
import { createOutboundGuard } from "../../../../src/platform/outbound/outbound-guard.ts";

const redirect = (location: string, more: Record<string, string> = {}) =>
  new Response(null, { status: 302, headers: { location, ...more } });

test("cookies of a profile go with each hop that they belong to, and a site's new value replaces them", async () => {
  const pages: Record<string, Response> = {
    "https://a.example/": redirect("https://b.example/in"),
    "https://b.example/in": redirect("https://a.example/back"),
    "https://a.example/back": redirect("/end", { "set-cookie": "sid=new; Path=/" }),
    "https://a.example/end": new Response("there"),
  };
  const sent: (string | null)[] = [];
  const fetcher = async (input: RequestInfo | URL, init?: RequestInit): Promise<Response> => {
    sent.push(new Headers(init?.headers).get("cookie"));
    return pages[String(input)] ?? new Response(null, { status: 404 });
  };
  const resolver = { resolve: async () => ({ kind: "addresses" as const, addresses: ["93.184.216.34"] }) };
  const guard = createOutboundGuard({ allowPrivateHosts: [], resolver });
  const clock = { now: () => Date.now() };
  const http = createGuardedFetch({ guard, clock, meter: new Meter(), fetcher: fetcher as typeof fetch });
  const own = { path: "/", httpOnly: true, secure: true };
  const outcome = await http.request({
    url: "https://a.example/",
    headers: { cookie: "mine=1" },
    deadlineMs: Date.now() + 2_000,
    ownHosts: [],
    cookies: [
      { name: "sid", value: "old", domain: "a.example", ...own },
      { name: "theme", value: "dark", domain: ".a.example", ...own },
      { name: "sid", value: "other", domain: "c.example", ...own },
    ],
  });
  expect(outcome).toMatchObject({ kind: "response", response: { statusCode: 200 } });
  expect(sent).toEqual(["mine=1; sid=old; theme=dark", null, "sid=old; theme=dark", "theme=dark; sid=new"]);
});
