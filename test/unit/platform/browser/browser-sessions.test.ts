import { expect, test } from "vitest";
import { launchSession } from "../../../../src/platform/browser/browser-sessions.ts";

/** A binding that gives these responses by method and path. The cast is safe: the library uses `fetch` alone. */
function binding(responses: Record<string, () => Response>) {
  const asked: string[] = [];
  const fetch = async (url: string, init?: RequestInit): Promise<Response> => {
    const { pathname, search } = new URL(url);
    asked.push(`${init?.method ?? "GET"} ${pathname}${search}`);
    return responses[`${init?.method ?? "GET"} ${pathname}`]?.() ?? new Response("", { status: 404 });
  };
  return { asked, fetcher: { fetch } as unknown as Fetcher };
}

const LAUNCH = "POST /v1/devtools/browser";
const LIMITS = "GET /v1/limits";

test("a browser is acquired with its time to live", async () => {
  const { asked, fetcher } = binding({ [LAUNCH]: () => Response.json({ sessionId: "one" }) });
  expect(await launchSession(fetcher, 60_000)).toBe("one");
  expect(asked).toEqual([`${LAUNCH}?keep_alive=60000`]);
});

test.each([
  {
    why: "the account's limits state",
    limits: () => Response.json({ timeUntilNextAllowedBrowserAcquisition: 4_200 }),
    ms: 4_200,
  },
  { why: "is usual, when the limits state none", limits: () => Response.json({}), ms: 10_000 },
  { why: "is usual, when the limits cannot be read", limits: () => new Response("", { status: 500 }), ms: 10_000 },
])("a refused launch is repeated after the time that $why", async ({ limits, ms }) => {
  const { fetcher } = binding({ [LAUNCH]: () => new Response("slow down", { status: 429 }), [LIMITS]: limits });
  await expect(launchSession(fetcher, 60_000)).rejects.toMatchObject({ name: "LaunchError", retryAfterMs: ms });
});

test.each([
  ["an error", () => new Response("broken", { status: 500 }), /code: 500.*broken/],
  ["no session", () => Response.json({}), /named no session/],
] as const)("a launch that returns %s fails", async (_, launch, words) => {
  const { fetcher } = binding({ [LAUNCH]: launch });
  await expect(launchSession(fetcher, 60_000)).rejects.toThrow(words);
});
