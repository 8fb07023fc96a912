import { expect, test } from "vitest";
import { createDohResolver, type DnsCache } from "../../../../src/platform/outbound/doh-resolver.ts";
import { fixedClock } from "../../../fakes/fixed-clock.ts";

const URL_OF_RESOLVER = "https://resolver.example/dns-query";

/** The cache of one colo. */
function colo() {
  const stored = new Map<string, string>();
  const entry = (key: RequestInfo | URL): string => String(key);
  return {
    stored,
    match: async (key: RequestInfo | URL) => {
      const text = stored.get(entry(key));
      return text === undefined ? undefined : new Response(text);
    },
    put: async (key: RequestInfo | URL, response: Response) => void stored.set(entry(key), await response.text()),
  };
}

/** Resolvers of new isolates, which count the requests to the resolver. */
function isolates(cache: ReturnType<typeof colo> | undefined, clock = fixedClock()) {
  const asked: string[] = [];
  const fetcher = async (input: RequestInfo | URL) => {
    asked.push(new URL(String(input)).searchParams.get("name") ?? "");
    return Response.json({ Status: 0, Answer: [{ type: 1, TTL: 30, data: "93.184.215.14" }] });
  };
  const resolve = (name: string) =>
    createDohResolver({ url: URL_OF_RESOLVER, clock, fetcher, colo: cache }).resolve(name);
  return { asked, resolve, clock };
}

test("a name costs a colo one pair of requests until it expires, however many isolates ask", async () => {
  const { asked, resolve, clock } = isolates(colo());
  const addresses = { kind: "addresses", addresses: ["93.184.215.14", "93.184.215.14"] };
  for (let isolate = 0; isolate < 3; isolate++) expect(await resolve("site.example")).toEqual(addresses);
  expect(asked).toEqual(["site.example", "site.example"]);
  await resolve("other.example");
  expect(asked).toHaveLength(4);
  clock.advance(31_000);
  await resolve("site.example");
  expect(asked).toHaveLength(6);
});

test("entries that cannot be read, and a cache that fails, cost a lookup and nothing else", async () => {
  const cache = colo();
  const first = isolates(cache);
  await first.resolve("site.example");
  for (const key of cache.stored.keys()) cache.stored.set(key, '{"resolution":{"kind":"trusted"},"expiresAtMs":1e15}');
  expect(await first.resolve("site.example")).toMatchObject({ kind: "addresses" });
  expect(first.asked).toHaveLength(4);
  const broken = {
    ...colo(),
    match: async () => Promise.reject(new Error("away")),
    put: async () => Promise.reject(new Error("away")),
  };
  expect(await isolates(broken).resolve("site.example")).toMatchObject({ kind: "addresses" });
});

test("an answer without an end is left, and the name is not resolved", async () => {
  let sent = 0;
  let isLeft = false;
  const fetcher = async (): Promise<Response> => {
    const endless = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        controller.enqueue(new TextEncoder().encode(" ".repeat(65_536)));
        sent += 65_536;
      },
      cancel: () => void (isLeft = true),
    });
    return new Response(endless);
  };
  const resolver = createDohResolver({ url: URL_OF_RESOLVER, clock: fixedClock(), fetcher });
  expect(await resolver.resolve("site.example")).toMatchObject({ kind: "unknown" });
  expect(isLeft).toBe(true);
  expect(sent).toBeLessThan(2_000_000);
});

test("of a name with thousands of addresses few are kept, and one that is not public is among them", async () => {
  const publicOnes = Array.from({ length: 3_000 }, (_, at) => `93.184.${at >> 8}.${at & 255}`);
  const lookUp = async (addresses: string[]) => {
    const fetcher = async () =>
      Response.json({ Status: 0, Answer: addresses.map((data) => ({ type: 1, TTL: 30, data })) });
    const cache: DnsCache = new Map();
    const found = await createDohResolver({ url: URL_OF_RESOLVER, clock: fixedClock(), fetcher, cache }).resolve("a.b");
    expect(JSON.stringify([...cache.values()]).length).toBeLessThan(1_000);
    return found.kind === "addresses" ? found.addresses : [];
  };
  expect(await lookUp(publicOnes)).toEqual(publicOnes.slice(0, 32));
  expect(await lookUp([...publicOnes, "10.0.0.1"])).toContain("10.0.0.1");
  const long = `9.9.9.9${" ".repeat(1_000)}`;
  expect((await lookUp([long]))[0]).toBe(long.slice(0, 45));
});
