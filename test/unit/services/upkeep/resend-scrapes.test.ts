import { describe, expect, test } from "vitest";
import { QueuedScrapes } from "../../../../src/core/scrape/queued-scrapes.ts";
import { runTask } from "../../../../src/services/upkeep/run-task.ts";
import { createPendingScrapes } from "../../../../src/storage/scrape/pending-scrapes.ts";
import { nodeD1 } from "../../../fakes/memory/node-d1.ts";
import { hit, searchService } from "../../../fakes/services/search-service.ts";

describe("a queue of scrapes that ends with its process", () => {
  const later = { scrapeOptions: { formats: ["markdown", "links"] }, asyncScraping: true };
  const restartable = () => {
    const service = searchService([hit("https://a.example/1")]);
    const pendingScrapes = createPendingScrapes(nodeD1());
    const hold = async () => true;
    Object.assign(service.deps, { pendingScrapes, keyLedger: { ...service.deps.keyLedger, holdOnce: hold } });
    const left = async () => await pendingScrapes.ids({ after: "", limit: 10 });
    const restart = () => {
      Object.assign(service.deps, { queuedScrapes: new QueuedScrapes() });
      return service.tasks.splice(0);
    };
    const resend = async () => await runTask(service.deps, { type: "resend_scrapes" });
    const read = async (id = "") => await (await service.ask(`/v2/scrape/${id}`)).text();
    return { ...service, left, restart, resend, read };
  };

  test("queues again after a restart what is pending, once, and runs it once", async () => {
    const { search, tasks, deps, engine, left, restart, resend, read } = restartable();
    const { answer } = await search(later);
    await resend();
    expect(tasks).toHaveLength(1);
    restart();
    await resend();
    await resend();
    expect(tasks).toHaveLength(1);
    const records: string[] = [];
    const record: typeof deps.keyLedger.record = async (_key, { onlyHeld }) => void (onlyHeld ?? records.push("new"));
    Object.assign(deps, { keyLedger: { ...deps.keyLedger, record } });
    for (const task of [...tasks, ...tasks]) await runTask(deps, structuredClone(task));
    expect([engine.loaded, records, await left()]).toEqual([["https://a.example/1"], ["new"], []]);
    expect(await read(answer.scrapeIds.web[0])).toContain("ferry");
    restart();
    await resend();
    expect(tasks).toEqual([]);
  });

  test("gives up a page that was queued again too often", async () => {
    const { search, tasks, left, restart, resend, read } = restartable();
    const { answer } = await search(later);
    for (let restarts = 0; restarts < 10; restarts++) {
      expect(restart()).toHaveLength(1);
      await resend();
    }
    restart();
    await resend();
    expect([tasks, await left()]).toEqual([[], []]);
    expect(await read(answer.scrapeIds.web[0])).toContain('"statusCode":500');
  });

  test("reads a page as failed whose message nobody has any more", async () => {
    const { search, deps, clock, left, read } = restartable();
    const { answer } = await search(later);
    const [id = ""] = answer.scrapeIds.web;
    clock.advance(3_600_000);
    expect(await read(id)).toContain("still being scraped");
    await deps.pendingScrapes?.remove(await left());
    clock.advance(-1);
    expect(await read(id)).toContain("still being scraped");
    clock.advance(1);
    expect(await read(id)).toContain('"statusCode":500');
  });
});
