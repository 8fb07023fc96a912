import { describe, expect, test } from "vitest";
import { Meter } from "../../../../src/core/account/meter.ts";
import { HeldBytes } from "../../../../src/core/waits/held-bytes.ts";
import { noResolver } from "../../../../src/platform/outbound/doh-resolver.ts";
import { createGuardedFetch } from "../../../../src/platform/outbound/guarded-fetch.ts";
import { createOutboundGuard } from "../../../../src/platform/outbound/outbound-guard.ts";
import type { OutboundOutcome } from "../../../../src/ports/outbound/http.ts";

describe("requests of teams that share connections", () => {
  /** A site that answers when it is told to. */
  const shared = () => {
    const asked: string[] = [];
    const answers: (() => void)[] = [];
    const fetcher: typeof fetch = (input, init) => {
      asked.push(String(input));
      return new Promise((resolve, reject) => {
        answers.push(() => resolve(new Response("there")));
        init?.signal?.addEventListener("abort", () => reject(init.signal?.reason as Error));
      });
    };
    const guard = createOutboundGuard({ allowPrivateHosts: [], resolver: noResolver });
    const openRequests = new HeldBytes({ ofTeam: 2, inAll: 6 });
    const http = createGuardedFetch({ guard, clock: { now: Date.now }, meter: new Meter(), fetcher, openRequests });
    const get = (name: string, teamId: string | undefined, ms = 5_000): Promise<OutboundOutcome> => {
      const owner = teamId === undefined ? undefined : { teamId, keyId: "k" };
      return http.request({ url: `https://${name}.example/`, deadlineMs: Date.now() + ms, ownHosts: [], owner });
    };
    return { asked, answers, get };
  };
  const turn = () => new Promise((resolve) => setTimeout(resolve, 5));

  test("are sent while the team has few open ones, and wait for these otherwise", async () => {
    const { asked, answers, get } = shared();
    const many = ["a1", "a2", "a3", "a4"].map((name) => get(name, "a"));
    const others = [get("b1", "b"), get("c1", undefined)];
    await turn();
    expect(asked.toSorted()).toEqual(["a1", "a2", "b1", "c1"].map((name) => `https://${name}.example/`));
    answers[asked.findIndex((url) => url.includes("a1"))]?.();
    expect(await many[0]).toMatchObject({ kind: "response" });
    await turn();
    expect(asked.at(-1)).toContain("//a3.");
    for (let at = 0; at < 6; at++) {
      answers[at]?.();
      await turn();
    }
    expect(await Promise.all([...many, ...others])).toMatchObject(
      Array.from({ length: 6 }, () => ({ kind: "response" })),
    );
  });

  test("wait no longer than their time, and a failed one makes room", async () => {
    const { asked, get } = shared();
    const open = [get("a1", "a", 60), get("a2", "a", 60)];
    expect(await get("a3", "a", 20)).toMatchObject({
      kind: "failed",
      code: "SCRAPE_TIMEOUT",
      message: expect.stringContaining("other requests of the team"),
      isUnsent: true,
    });
    expect((await Promise.all(open)).map((outcome) => "isUnsent" in outcome)).toEqual([false, false]);
    expect(asked).toHaveLength(2);
    void get("a4", "a");
    await turn();
    expect(asked).toHaveLength(3);
  });
});
