import { expect, test } from "vitest";
import { callTool, mcpClient, texts } from "../../fakes/services/mcp-client.ts";
import { monitorService, PRICES, PRICES_URL, pricePage } from "../../fakes/services/monitor-service.ts";

test("an agent makes a monitor, has it run, reads what has changed, and deletes it", async () => {
  const { app, drain, web } = monitorService();
  const client = await mcpClient(app);
  // What the tool answers is then looked at field by field: hence the cast.
  const call = async (name: string, input: object = {}) =>
    JSON.parse(texts(await callTool(client, name, { ...input }))[0] ?? "") as Record<string, unknown>;
  const { id } = (await call("monitor_create", PRICES)).data as { id: string };
  expect((await call("monitor_list")).data).toMatchObject([{ id, name: "Prices", status: "active" }]);
  await call("monitor_run", { id });
  await drain();
  web[PRICES_URL] = pricePage("Cod costs 9");
  const { id: checkId } = await call("monitor_run", { id });
  await drain();
  expect((await call("monitor_checks", { id, limit: 1 })).data).toMatchObject([
    { id: checkId, status: "completed", summary: { changed: 1 } },
  ]);
  expect((await call("monitor_check", { id, checkId, status: "changed" })).data).toMatchObject({
    pages: [{ url: PRICES_URL, diff: { text: expect.stringContaining("+Cod costs 9") } }],
  });
  await call("monitor_delete", { id });
  const gone = await callTool(client, "monitor_run", { id });
  expect([gone.isError, texts(gone)]).toEqual([true, [expect.stringContaining("Monitor not found")]]);
});

test("a monitor that cannot be kept is the tool's error, in words", async () => {
  const client = await mcpClient(monitorService().app);
  const result = await callTool(client, "monitor_create", { ...PRICES, schedule: { text: "now and then" } });
  expect([result.isError, texts(result)]).toEqual([
    true,
    [expect.stringMatching(/^schedule\.text cannot be read: .*\(BAD_REQUEST\)/)],
  ]);
});
