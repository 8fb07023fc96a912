import { expect, test } from "vitest";
import { testApp } from "../../fakes/services/test-app.ts";
import { testDeps } from "../../fakes/services/test-deps.ts";

const JSON_TYPE = { "Content-Type": "application/json" };
const MESSAGE = "The request body has more than 100,000 objects, lists, fields and list entries";
const fields = (count: number): Record<string, number> =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`key${at}`, 1]));

/** Sends a body; the parser of JSON reports whether it was called. */
async function post(path: string, body: string | FormData, headers: Record<string, string> = JSON_TYPE) {
  const response = await testApp(testDeps()).ask(path, { method: "POST", headers, body });
  const text = await response.text();
  return { status: response.status, text, answer: JSON.parse(text) as Record<string, unknown> };
}

test.each([
  { path: "/v2/scrape", body: { url: "https://a.example/", ...fields(100_000) } },
  { path: "/v1/crawl", body: { url: "https://a.example/", ...fields(100_000) } },
  { path: "/v2/scrape", body: { url: "https://a.example/", formats: Array.from({ length: 100_001 }, () => 1) } },
  { path: "/v2/parse", body: { uploadRef: "a", ...fields(100_000) } },
  { path: "/v2/parse/upload-url", body: { filename: "a.txt", ...fields(100_000) } },
])("a body of $path with too many values is refused before it is read", async ({ path, body }) => {
  const { status, answer } = await post(path, JSON.stringify(body));
  expect(status).toBe(400);
  expect(answer).toMatchObject({ success: false, code: "BAD_REQUEST", error: MESSAGE });
});

test("a body of brackets alone is refused before it is read", async () => {
  const { status, answer } = await post("/v2/scrape", "[".repeat(5_000_000));
  expect(status).toBe(400);
  expect(answer["error"]).toBe(MESSAGE);
});

test("the options of an uploaded file are no longer than a body may be", async () => {
  const form = new FormData();
  form.set("file", new File(["text"], "a.txt", { type: "text/plain" }));
  form.set("options", `"${"x".repeat(11_000_000)}"`);
  expect(await post("/v2/parse", form, {})).toMatchObject({ status: 413, answer: { success: false } });
});

test("the options of an uploaded file are counted as well", async () => {
  const form = new FormData();
  form.set("file", new File(["text"], "a.txt", { type: "text/plain" }));
  form.set("options", JSON.stringify(fields(100_001)));
  const { status, answer } = await post("/v2/parse", form, {});
  expect(status).toBe(400);
  expect(answer["error"]).toBe(MESSAGE);
});

test("a long text with the signs of many fields is one value", async () => {
  const { status, answer } = await post("/v2/scrape", JSON.stringify({ url: 7, origin: "a,b:".repeat(100_000) }));
  expect(status).toBe(400);
  expect(answer["error"]).not.toBe(MESSAGE);
});

test("of the unknown fields of a body, 10 are named", async () => {
  const { status, text, answer } = await post("/v2/scrape", JSON.stringify({ url: "https://a.example/", ...fields(20_000) }));
  expect(status).toBe(400);
  const [problem] = answer["details"] as { keys: string[] }[];
  expect(problem?.keys).toHaveLength(10);
  expect(text.length).toBeLessThan(2_000);
}); // prettier-ignore
