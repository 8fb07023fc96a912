import { expect, test } from "vitest";
import { monitorService, PRICES, PRICES_URL } from "../../../fakes/services/monitor-service.ts";
import { ADMIN_KEY } from "../../../fakes/services/test-deps.ts";

const WEBHOOK = {
  url: "https://hook.example/in?token=hush",
  headers: { Authorization: "Bearer hush", Accept: "text/html" },
};
const SCRAPE_OPTIONS = {
  headers: { Cookie: "sid=hush" },
  actions: [
    { type: "write", text: "hush" },
    { type: "press", key: "Enter" },
  ],
};
const TARGET = { type: "scrape", urls: [PRICES_URL], scrapeOptions: SCRAPE_OPTIONS };

/** A monitor with secrets, as another key of its team sees it, and what that key changes. */
async function ofAnotherKey() {
  const { create, monitor, post, ask } = monitorService();
  const id = await create({ ...PRICES, webhook: WEBHOOK, targets: [TARGET] });
  const made = await post("/v2/team/keys", { name: "m", scopes: { endpoints: ["monitor", "scrape"] } }, { key: ADMIN_KEY });
  const { key } = ((await made.json()) as { data: { key: string } }).data;
  const headers = { "Content-Type": "application/json" };
  const change = async (body: object): Promise<[number, string]> => {
    const answer = await ask(`/v2/monitor/${id}`, { key, method: "PATCH", body: JSON.stringify(body), headers });
    return [answer.status, await answer.text()];
  };
  const { data } = (await (await ask(`/v2/monitor/${id}`, { key })).json()) as { data: { webhook: object; targets: object[] } };
  const list = await (await ask("/v2/monitor", { key })).text();
  return { shown: data, list, change, create: async (body: object) => await post("/v2/monitor", body, { key }), own: async () => await monitor(id) };
} // prettier-ignore

test("another key of the team sees no secrets of a monitor, and its changes keep them", async () => {
  const { shown, list, change, own } = await ofAnotherKey();
  expect([JSON.stringify(shown), list].filter((text) => text.includes("hush"))).toEqual([]);
  expect(shown.webhook).toMatchObject({
    url: "https://hook.example/in",
    headers: { Authorization: "(hidden)", Accept: "text/html" },
  });
  const [status, text] = await change({ ...shown, name: "Other" });
  expect([status, text]).toEqual([400, expect.stringContaining("Unrecognized")]);
  expect((await change({ webhook: shown.webhook, targets: shown.targets }))[0]).toBe(200);
  expect(await own()).toMatchObject({ webhook: WEBHOOK, targets: [TARGET] });
});

test("hidden values are kept for no other origin and no other actions", async () => {
  const { shown, change, create, own } = await ofAnotherKey();
  const [target] = shown.targets;
  const [, press] = SCRAPE_OPTIONS.actions;
  const hidden = [{ type: "write", text: "(hidden)" }, press, { type: "scrape" }];
  const script = { type: "executeJavascript", script: "document.cookie" };
  for (const body of [
    { webhook: { ...shown.webhook, url: "https://other.example/in" } },
    { webhook: { ...shown.webhook, headers: { "X-Unknown": "(hidden)" } } },
    { targets: [{ ...target, urls: [PRICES_URL, "https://other.example/"] }] },
    { targets: [{ ...target, id: undefined }] },
    { targets: [{ ...target, scrapeOptions: { actions: hidden } }] },
    { targets: [{ ...target, scrapeOptions: { headers: { Cookie: "(hidden)" }, actions: [script] } }] },
  ]) {
    expect(await change(body)).toEqual([400, expect.stringContaining("keeps a stored value")]);
  }
  expect(await own()).toMatchObject({ webhook: WEBHOOK, targets: [TARGET] });
  const fresh = { ...PRICES, targets: [{ ...TARGET, scrapeOptions: { headers: { Cookie: "(hidden)" } } }] };
  expect((await create(fresh)).status).toBe(400);
  expect((await create({ ...fresh, estimate: true })).status).toBe(400);
  expect((await create({ ...PRICES, webhook: { ...WEBHOOK, headers: { Authorization: "(hidden)" } } })).status).toBe(
    400,
  );
});
