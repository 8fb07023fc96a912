import { openPage, type PageView } from "../../../src/content/page-view.ts";
import { runTextTaskHere } from "../../../src/content/text-tasks/text-tasks.ts";
import type { FormatContext } from "../../../src/formats/format.ts";
import { Meter } from "../../../src/core/account/meter.ts";
import { createOriginFetch } from "../../../src/platform/outbound/guarded-fetch.ts";
import { createLanguageModel } from "../../../src/platform/language-model/language-model.ts";
import type { LanguageModel } from "../../../src/ports/language-model.ts";
import type { ScriptedModel } from "../../fakes/upstream/scripted-model.ts";

/** A page as a scrape opens it. */
export function pageOf(body: string, url = "https://shop.example/kettle"): Promise<PageView> {
  return openPage(
    { engine: "fetch", url, statusCode: 200, headers: {}, contentType: "text/html", body, warnings: [] },
    { clean: { onlyMainContent: true, includeTags: [], excludeTags: [] }, pdf: undefined, bytesOnly: false },
  );
}

/** What a format is given, with what it warns of. */
export function contextFor(llm?: LanguageModel): FormatContext & { warnings: string[]; refunds: number[] } {
  const warnings: string[] = [];
  const refunds: number[] = [];
  return {
    llm,
    warnings,
    refunds,
    refund: (credits) => void refunds.push(credits),
    warn: (words) => void warnings.push(words),
    deadlineMs: Date.now() + 20_000,
    removeBase64Images: true,
    history: "there is none in this test",
    task: runTextTaskHere,
    publish: async () => "https://files.example/1",
  };
}

let models = 0;

export function modelAt({ url }: ScriptedModel, contextTokens = 30_000): LanguageModel {
  return createLanguageModel({
    server: { kind: "openai", baseUrl: url, apiKey: undefined },
    names: { large: `page-${++models}`, small: `page-small-${models}` },
    contextTokens,
    fetcher: createOriginFetch(url),
    clock: { now: () => Date.now() },
    meter: new Meter(),
    sleep: async () => {},
  });
}
