import { describe, expect, test } from "vitest";
import { agent } from "../../../../src/jobs/agent/agent.ts";
import type { AgentInput } from "../../../../src/jobs/agent/input.ts";
import type { StepTools } from "../../../../src/jobs/step-kind.ts";
import { smallWeb } from "../../../fakes/upstream/small-web.ts";

const ASK: AgentInput = {
  prompt: "When does the ferry sail on Sundays?",
  urls: [],
  schema: undefined,
  strictConstrainToURLs: false,
};
const HOME = "https://ferry.example/";
const TIMES = "https://ferry.example/sundays";
const BELOW = "https://ferry.example/times/";
const PAGES = {
  [HOME]: { title: "Ferry", markdown: "# Ferry\n\nThe ferry crosses the bay.", links: [TIMES, "https://other.example/ferry", "https://ferry.example/contact"] },
  [TIMES]: { title: "Sundays", markdown: "# Sundays\n\nOn Sundays the ferry sails at ten and at four. Dogs travel free." },
}; // prettier-ignore
const call = (toolName: string, input: unknown, id = "1") => ({ id, toolName, input });

describe("an agent without a model", () => {
  test("searches, follows links that promise something, and quotes what it read", async () => {
    const { tools, log, told } = smallWeb({ pages: PAGES, found: [{ url: HOME, title: "Ferry" }] });
    const { data, sources, model, warning } = await agent.run(ASK, tools);
    expect(log).toEqual([`search ${ASK.prompt}`, `scrape ${HOME}`, `scrape ${TIMES}`]);
    const { result } = data as { result: string };
    expect(result).toContain("at ten [1]\n\n“On Sundays the ferry sails at ten and at four.” [1]");
    expect(sources[0]).toBe(TIMES);
    expect(result).toContain(`[1] ${TIMES}`);
    expect(model).toBe("rules");
    expect(warning).toContain("no language model is configured");
    expect(told).toContainEqual({ action: "scrape", input: { url: TIMES } });
  });

  test("merges data anew when the pages that it read have doubled", async () => {
    const urls = Array.from({ length: 12 }, (_, number) => `https://ferry.example/${number}`);
    const pages = Object.fromEntries(urls.map((url) => [url, { markdown: "Ferry", json: { piers: [{ name: url }] } }]));
    const { tools, shown } = smallWeb({ pages });
    const schema = { type: "object", properties: { piers: { type: "array", items: { type: "object" } } } };
    const { data } = await agent.run({ ...ASK, urls, schema, strictConstrainToURLs: true }, tools);
    expect(data).toEqual({ piers: urls.map((name) => ({ name })) });
    const lengths = shown.map((each) => (each as { partial: { piers: unknown[] } }).partial.piers.length);
    expect(lengths).toEqual([1, 2, 4, 8]);
  });

  test("shows quotes anew when the pages that it read have doubled", async () => {
    const urls = Array.from({ length: 12 }, (_, number) => `https://ferry.example/${number}`);
    const pages = Object.fromEntries(urls.map((url) => [url, { markdown: "The ferry crosses the bay at noon." }]));
    const { tools, shown } = smallWeb({ pages });
    const asked = { ...ASK, prompt: "the ferry across the bay", urls, strictConstrainToURLs: true };
    const { data, sources } = await agent.run(asked, tools);
    expect(sources).toEqual([urls[0]]);
    expect(shown).toHaveLength(4);
    expect(shown.at(-1)).toEqual({ partial: data });
  });

  test.each([{ has: "rules" }, { has: "a model", steps: [{ toolCalls: [call("read_page", { url: HOME })] }] }])(
    "uses the first part of a page that is too large, and says so, with $has",
    async ({ steps }) => {
      const large = {
        markdown: `The ferry sails.\n${"Waves. ".repeat(200_000)}\n${"At the end".repeat(10)}`,
        links: [...Array.from({ length: 5_000 }, (_, index) => `${HOME}${index}`), TIMES],
      };
      const { tools, log } = smallWeb({
        pages: { ...PAGES, [HOME]: large },
        ...(steps === undefined ? {} : { steps }),
      });
      const { warning, memory } = await agent.run({ ...ASK, urls: [HOME], effort: "low" }, tools);
      expect(warning).toContain(
        `${HOME} is large: only the first 1000000 characters of its text and the first 5000 of its links were used.`,
      );
      expect(log).not.toContain(`scrape ${TIMES}`);
      expect(memory.pages[0]?.markdown).toContain("The ferry sails.");
    },
  );

  test("goes on only when the webhook has been told, and ends when that fails", async () => {
    const events: string[] = [];
    const { tools, log } = smallWeb({
      pages: PAGES,
      found: [{ url: HOME }],
      more: {
        tell: async (key) => {
          await new Promise((resolve) => setImmediate(resolve));
          events.push(`${key} after ${log.at(-1)}`);
          if (events.length === 2) throw new Error("The job's record cannot be reached");
        },
      },
    });
    await expect(agent.run(ASK, tools)).rejects.toThrow("cannot be reached");
    expect(events).toEqual([`action 0 after search ${ASK.prompt}`, `action 1 after scrape ${HOME}`]);
    expect(log).not.toContain(`scrape ${TIMES}`);
  });

  test("says that it found nothing rather than anything else", async () => {
    const { tools } = smallWeb({ pages: {} });
    const { data, sources, warning } = await agent.run(ASK, tools);
    expect(data).toEqual({ result: "Nothing was found that answers this.", sources: [] });
    expect(sources).toEqual([]);
    expect(warning).toContain("no provider answered");
  });

  test("reads nothing but the given pages when it is told so", async () => {
    const { tools, log } = smallWeb({ pages: PAGES, found: [{ url: TIMES }] });
    await agent.run({ ...ASK, urls: [HOME], strictConstrainToURLs: true }, tools);
    expect(log).toEqual([`scrape ${HOME}`]);
  });

  test.each([
    { has: "rules", log: [`map ${BELOW}`, `scrape ${BELOW}`, `scrape ${BELOW}sundays`] },
    {
      has: "a model",
      steps: [
        { toolCalls: [call("read_page", { url: BELOW }), call("list_site", { url: HOME }, "2")] },
        { toolCalls: [call("read_page", { url: TIMES }), call("read_page", { url: `${BELOW}sundays` }, "2")] },
        { text: "At ten." },
      ],
      log: [`scrape ${BELOW}`, `scrape ${BELOW}sundays`],
    },
  ])("reads only what is below a given URL that ends with /* when it is told so, with $has", async ({ steps, log: wanted }) => {
    const links = [TIMES, `${BELOW}sundays`];
    const pages = { ...PAGES, [BELOW]: { markdown: "Times", links }, [`${BELOW}sundays`]: PAGES[TIMES] };
    const map = async (_key: string, { url }: { url: string }) => {
      log.push(`map ${url}`);
      return { kind: "done", value: [HOME, TIMES, BELOW, `${BELOW}sundays`].map((each) => ({ url: each })) };
    };
    const web = { pages, found: [{ url: TIMES }], more: { map } as unknown as Partial<StepTools> };
    const { tools, log } = smallWeb({ ...web, ...(steps === undefined ? {} : { steps }) });
    await agent.run({ ...ASK, prompt: `${ASK.prompt} ${TIMES}`, urls: [`${BELOW}*`], strictConstrainToURLs: true }, tools);
    expect(log.toSorted()).toEqual(wanted);
  }); // prettier-ignore

  test("lists the given site that ends with /*, and not its host, when a model asks for an address below it", async () => {
    const mapped: string[] = [];
    const map = async (_key: string, { url }: { url: string }) => {
      mapped.push(url);
      return { kind: "done", value: [{ url: `${BELOW}sundays` }] };
    };
    const steps = [{ toolCalls: [call("list_site", { url: `${BELOW}of-the-model?a=b` })] }, { text: "At ten." }];
    const { tools } = smallWeb({ pages: PAGES, steps, more: { map } as unknown as Partial<StepTools> });
    await agent.run({ ...ASK, urls: [`${BELOW}*`], strictConstrainToURLs: true }, tools);
    expect(mapped).toEqual([BELOW]);
  });

  test("reads the pages of a site that moved to its www. host, and says when all that was found is elsewhere", async () => {
    const moved = "https://www.ferry.example/times/sundays";
    const answer = (urls: string[]) => async () => ({ kind: "done", value: urls.map((url) => ({ url })) });
    const run = async (urls: string[]) => {
      const map = answer(urls) as unknown as StepTools["map"];
      const { tools, log } = smallWeb({ pages: { [moved]: PAGES[TIMES] }, more: { map } });
      const { warning } = await agent.run({ ...ASK, urls: [`${BELOW}*`], strictConstrainToURLs: true }, tools);
      return { log, warning };
    };
    expect((await run([moved])).log).toEqual([`scrape ${moved}`]);
    expect((await run([TIMES])).warning).toContain("no page that was found is below it");
  });

  test("fills a schema from the pages by rules, with where each value comes from", async () => {
    const pages = { [HOME]: { markdown: "Ferry", json: { name: "Ferry" } } };
    const { tools } = smallWeb({ pages, found: [{ url: HOME }] });
    const schema = { type: "object", properties: { name: { type: "string" } } };
    const { data, evidence, sources } = await agent.run({ ...ASK, schema, evidence: true }, tools);
    expect(data).toEqual({ name: "Ferry" });
    expect(evidence).toMatchObject([{ field: "name", url: HOME }]);
    expect(sources).toEqual([HOME]);
    const plain = await agent.run({ ...ASK, schema }, tools);
    expect(plain).toMatchObject({ data: { name: "Ferry" }, sources: [HOME] });
    expect(plain).not.toHaveProperty("evidence");
  });

  test("ends with what it has when its time is over", async () => {
    const { tools, log } = smallWeb({ pages: PAGES, found: [{ url: HOME }], more: { isLate: async () => true } });
    const { warning } = await agent.run(ASK, tools);
    expect(log).toEqual([]);
    expect(warning).toContain("The time limit was reached");
  });

  test("lists no further site when its time is over", async () => {
    const urls = ["a", "b", "c"].map((name) => `https://${name}.example/*`);
    let asked = 0;
    const { tools, log } = smallWeb({ pages: PAGES, more: { isLate: async () => ++asked > 2 } });
    const { stopReason, warning } = await agent.run({ ...ASK, urls, strictConstrainToURLs: true }, tools);
    expect(log).toEqual(["map https://a.example/", "map https://b.example/"]);
    expect(stopReason).toBe("time_limit");
    expect(warning).toContain("The time limit was reached");
  });

  test("reads a page that two URLs lead to once", async () => {
    const links = [`${TIMES}?from=home`, TIMES, `${HOME}ferry#/sundays`, `${HOME}ferry#/mondays`];
    const log: string[] = [];
    const scrape = async (_key: string, { url }: { url: string }) => {
      log.push(url);
      const final = url.replace(/[?#].*$/, "");
      return { kind: "done", value: { markdown: `The ferry. ${url}`, links, metadata: { url: final } } };
    };
    const asked = { ...ASK, prompt: "The ferry on sundays and mondays", urls: [HOME] };
    const { tools, told } = smallWeb({ pages: {}, found: [], more: { scrape } as unknown as Partial<StepTools> });
    await agent.run(asked, tools);
    expect(log).toEqual(expect.arrayContaining([HOME, ...links]));
    const read = told.map((event) => (event as { input: { url?: string } }).input.url);
    expect(read.filter((url) => url === TIMES)).toHaveLength(1);
    expect(read.filter((url) => url === `${HOME}ferry`)).toHaveLength(2);
  });

  test("loads as many pages as it may read, also where they lead to one that was read", async () => {
    const urls = Array.from({ length: 40 }, (_, at) => `${HOME}${at}`);
    let loads = 0;
    const scrape = async () => {
      loads++;
      return { kind: "done", value: { markdown: "Log in", links: [], metadata: { url: `${HOME}login` } } };
    };
    const { tools } = smallWeb({ pages: {}, found: [], more: { scrape } as unknown as Partial<StepTools> });
    const { stopReason, warning } = await agent.run({ ...ASK, urls, strictConstrainToURLs: true }, tools);
    expect(loads).toBe(12);
    expect(stopReason).toBe("max_pages");
    expect(warning).toContain("11 addresses led to pages that had been read.");
  });

  test("stops reading when its credits are used up", async () => {
    const poor = async () => ({
      kind: "failed" as const,
      code: "INSUFFICIENT_CREDITS" as const,
      message: "The job's budget is used up",
    });
    const { tools } = smallWeb({ pages: PAGES, found: [{ url: HOME }, { url: TIMES }], more: { scrape: poor } });
    const { warning } = await agent.run(ASK, tools);
    expect(warning).toContain("budget is used up");
  });
});

describe("an agent with a model", () => {
  test("lets the model search and read until it answers", async () => {
    const { tools, log, said } = smallWeb({
      pages: PAGES,
      found: [{ url: HOME, title: "Ferry" }],
      steps: [
        { toolCalls: [call("search", { query: "ferry sundays" })] },
        { toolCalls: [call("read_page", { url: HOME, about: "sundays" })] },
        { toolCalls: [call("read_page", { url: TIMES })] },
        { text: `At ten and at four (${TIMES}).` },
      ],
    });
    const { data, sources, model } = await agent.run(ASK, tools);
    expect(data).toEqual({ result: `At ten and at four (${TIMES}).`, sources: [TIMES] });
    expect(sources).toEqual([TIMES]);
    expect(model).toBe("m-large");
    expect(log).toEqual(["search ferry sundays", `scrape ${HOME}`, `scrape ${TIMES}`]);
    expect(said.at(-1)).toContain("untrusted-");
  });

  test.each([
    { why: "an address that nobody has named", url: "https://evil.example/?q=secret" },
    { why: "a page's link to another site", url: "https://other.example/ferry" },
    { why: "an address that the model has changed", url: `${TIMES}?leak=everything` },
    { why: "what is no address", url: "not an address" },
  ])("does not read $why", async ({ url }) => {
    const { tools, log, said } = smallWeb({
      pages: { ...PAGES, [url]: { markdown: "reached" } },
      steps: [
        { toolCalls: [call("read_page", { url: HOME })] },
        { toolCalls: [call("read_page", { url })] },
        { text: "Done." },
      ],
    });
    await agent.run({ ...ASK, urls: [HOME] }, tools);
    expect(log).toEqual([`scrape ${HOME}`]);
    expect(said.at(-1)).toMatch(/It is not read|needs an address/);
  });

  test("fills a schema, and marks what no page bears out", async () => {
    const schema = { type: "object", properties: { times: { type: "string" }, price: { type: "string" } } };
    const answer = {
      data: { times: "ten and at four", price: "12 pounds and sixpence" },
      evidence: [
        { field: "times", quote: "the ferry sails at ten and at four" },
        { field: "price", quote: "Tickets cost 12 pounds and sixpence" },
      ],
    };
    const { tools } = smallWeb({
      pages: PAGES,
      steps: [{ toolCalls: [call("read_page", { url: TIMES })] }, { text: "Read." }],
      objects: [answer],
    });
    const { data, evidence, sources } = await agent.run({ ...ASK, urls: [TIMES], schema, evidence: true }, tools);
    expect(data).toEqual(answer.data);
    const [times, price] = evidence ?? [];
    expect(times).toMatchObject({ field: "times", url: TIMES, quote: "the ferry sails at ten and at four" });
    expect(times?.unverified).toBeUndefined();
    expect(price).toMatchObject({ field: "price", unverified: true });
    expect(price?.quote).toBeUndefined();
    expect(sources).toEqual([TIMES]);
  });

  test("sends the warning of unverified values to the webhook", async () => {
    const { tools } = smallWeb({ pages: PAGES, steps: [{ text: "At eleven o'clock." }] });
    const result = await agent.run(ASK, tools);
    expect(agent.webhookData?.(result, 0)).toMatchObject({ data: result.data, warning: result.warning });
    expect(result).not.toHaveProperty("evidence");
    expect(result.warning).toContain("“eleven o'clock”");
  });

  test("answers by rules when the model does not", async () => {
    const { tools } = smallWeb({ pages: PAGES, found: [{ url: TIMES }], steps: [] });
    const { data, warning, model } = await agent.run(ASK, tools);
    expect((data as { result: string }).result).toContain("at ten and at four");
    expect(model).toBe("rules");
    expect(warning).toContain("The language model did not answer");
  });

  test("tells apart the steps of the model and of the rules that answer after it", async () => {
    const keys: string[] = [];
    const tell = async (key: string, _event: string, { action }: { action: string }) => void keys.push(`${key} ${action}`); // prettier-ignore
    const isLate = async (key: string) => (keys.push(key), false);
    const steps = [{ toolCalls: [call("search", { query: "ferry" })] }];
    const more = { tell, isLate } as unknown as Partial<StepTools>;
    await agent.run(ASK, smallWeb({ pages: PAGES, found: [{ url: HOME }], steps, more }).tools);
    expect(new Set(keys).size).toBe(keys.length);
    expect(keys).toEqual(
      expect.arrayContaining(["late 0", "action 0 search", "rules late 0", "rules action 0 search"]),
    );
  });

  test("gives the model a bounded part of its own words and calls again", async () => {
    const calls = Array.from({ length: 200 }, (_, index) => call("search", { query: "ferry", more: "y".repeat(9_000) }, String(index)));
    const steps = [{ text: "x".repeat(100_000), toolCalls: calls }, { text: "At ten." }];
    const { tools, said } = smallWeb({ pages: PAGES, found: [{ url: HOME }], steps });
    await agent.run(ASK, tools);
    expect(said[1]?.length).toBeLessThan(30_000);
    expect(said[1]).toContain("too many calls");
  }); // prettier-ignore

  test("is stopped when it goes round in circles", async () => {
    const steps = Array.from({ length: 60 }, () => ({ toolCalls: [call("search", { query: "again" })] }));
    const { tools, log } = smallWeb({ pages: PAGES, found: [], steps });
    const { warning } = await agent.run(ASK, tools);
    expect(log.length).toBeLessThanOrEqual(24);
    expect(warning).toContain("stopped after 24 steps");
  });
});
