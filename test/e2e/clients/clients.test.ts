import { describe, expect, test } from "vitest";
import { call, callWithBody, scraped, sitePage } from "../client.ts";
import { N8N_SCRAPE_OPTIONS } from "./n8n-options.ts";

/**
 * Requests as clients send them, where that is not what one would write by hand (api-contract.md, “Tolerated input”).
 */
describe("what clients send", () => {
  test("n8n spells every option out, empty ones too", { tags: ["long"] }, async () => {
    const body = {
      url: sitePage("/images"),
      ...N8N_SCRAPE_OPTIONS,
      integration: "n8n",
      formats: ["markdown", { type: "screenshot", fullPage: false }],
      zeroDataRetention: false,
    };
    const { status, body: answer } = await call("/v2/scrape", { body });
    expect(status).toBe(200);
    expect(answer.data.markdown).toContain("Pictures of the harbour");
    expect(answer.data).not.toHaveProperty("warning");
  });

  test("n8n sends a body along with GET", async () => {
    const { metadata, markdown } = await scraped("/final");
    const body = { integration: "n8n" };
    const { status, text } = await callWithBody("GET", `/v2/scrape/${metadata.scrapeId}`, body);
    expect(status).toBe(200);
    expect(JSON.parse(text).data.markdown).toBe(markdown);
  });

  test("the command line program names itself in a header and in the query", async () => {
    const { metadata } = await scraped("/final", {
      integration: "cli",
      origin: "js-sdk@4.24.0",
      onlyMainContent: false,
    });
    const path = `/v2/scrape/${metadata.scrapeId}?integration=cli&origin=cli`;
    expect((await call(path, { headers: { "X-Origin": "cli" } })).status).toBe(200);
  });

  test("agents send names for actions and keys that the API does not have", { tags: ["long"] }, async () => {
    const { actions } = await scraped("/final", {
      origin: "mcp-inspector@3.26.0",
      actions: [{ type: "scroll", direction: "down", amount: 500 }, { type: "generatePDF" }],
    });
    expect(actions?.pdfs).toHaveLength(1);
  });

  test("axios asks for JSON, text and anything", async () => {
    const headers = { accept: "application/json, text/plain, */*" };
    const answer = await call("/v2/scrape", { body: { url: sitePage("/plain.txt") }, headers });
    expect(answer.headers.get("content-type")).toBe("application/json; charset=utf-8");
  });
});
