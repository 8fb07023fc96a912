import { useId, useMemo, useState } from "preact/hooks";
import type { ApiResponse } from "../../api/client.ts";
import { CodeBlock } from "../../parts/document/code-block.tsx";
import { HtmlFrame } from "../../parts/document/html-frame.tsx";
import { JsonTree } from "../../parts/document/json-tree.tsx";
import { LinkList } from "../../parts/document/link-list.tsx";
import { MarkdownView } from "../../parts/document/markdown-view.tsx";
import { fileNameOf } from "../../parts/download/file-name.ts";
import { Tabs } from "../../parts/tabs.tsx";
import { AnswerView } from "../results/answer-view.tsx";
import { DataView } from "../results/data-view.tsx";
import { ScreenshotView } from "../results/screenshot-view.tsx";
import type { NamedScreenshot } from "../results/compare-screenshots.tsx";
import { SearchCards } from "../results/search-cards.tsx";
import { ActivitySteps, AgentSteps } from "../results/steps-view.tsx";
import { Thumbnails } from "../results/thumbnails.tsx";
import { toUrl } from "./documents.ts";
import type { ResponseDocument } from "./documents.ts";
import { MetadataTable } from "./metadata-table.tsx";
import { Receipt } from "./receipt.tsx";
import { readParts, tabsOf } from "./response-parts.ts";

interface TabsProps {
  answer: ApiResponse;
  /** Screenshots of earlier responses, to compare with. */
  earlier?: readonly NamedScreenshot[];
}

/** The parts of a response in tabs. */
export function ResponseTabs({ answer, earlier = [] }: TabsProps) {
  const [at, setAt] = useState(0);
  const [wanted, setWanted] = useState<string>();
  const parts = useMemo(() => readParts(answer.body, at), [answer.body, at]);
  const { document, documents, data, reply, groups, agentId, urls } = parts;
  const tabs = tabsOf(parts);
  const chosen = tabs.some(({ name }) => name === wanted) ? (wanted ?? "json") : (tabs[0]?.name ?? "json");
  const file = (ending: string): string => fileNameOf(document?.url, ending);
  const threadId = (answer.body as { threadId?: string } | undefined)?.threadId;
  const others = [...screenshotsOf(documents, document), ...earlier.filter(({ url }) => url !== document?.screenshot)];
  const markdown = document?.markdown ?? "";
  return (
    <>
      {documents.length > 1 && chosen !== "results" && (
        <DocumentPicker documents={documents} at={Math.min(at, documents.length - 1)} choose={setAt} />
      )}
      <Tabs label="Response views" tabs={tabs} chosen={chosen} choose={setWanted}>
        {chosen === "results" && <SearchCards groups={groups} />}
        {chosen === "answer" && reply !== undefined && <AnswerView answer={reply} threadId={threadId} />}
        {chosen === "data" && data !== undefined && (
          <DataView result={data} url={document?.url} markdown={document?.markdown} />
        )}
        {chosen === "rendered" && <MarkdownView markdown={markdown} />}
        {chosen === "markdown" && <CodeBlock text={markdown} label="Markdown" file={file("md")} type="text/markdown" />}
        {chosen === "summary" && <MarkdownView markdown={document?.summary ?? ""} />}
        {chosen === "page" && <HtmlFrame html={document?.html ?? document?.rawHtml ?? ""} />}
        {chosen === "html" && (
          <CodeBlock text={document?.html ?? ""} label="HTML" file={file("html")} type="text/html" />
        )}
        {chosen === "rawHtml" && (
          <CodeBlock text={document?.rawHtml ?? ""} label="Raw HTML" file={file("html")} type="text/html" />
        )}
        {chosen === "screenshot" && (
          <ScreenshotView url={document?.screenshot ?? ""} of={document?.url} others={others} />
        )}
        {chosen === "links" && <LinkList urls={urls} file={file("txt")} />}
        {chosen === "images" && (
          <Thumbnails
            images={(document?.images ?? []).flatMap(toUrl).map((url) => ({ url, page: undefined, title: "" }))}
            file={file("txt")}
          />
        )}
        {chosen === "steps" &&
          (agentId === undefined ? (
            <ActivitySteps activities={reply?.activities ?? []} />
          ) : (
            <AgentSteps key={answer.text} id={agentId} />
          ))}
        {chosen === "metadata" && <MetadataTable metadata={document?.metadata ?? {}} />}
        {chosen === "json" && <JsonTree value={answer.body} text={answer.text} file={file("json")} />}
        {chosen === "receipt" && <Receipt answer={answer} metadata={document?.metadata} />}
      </Tabs>
    </>
  );
}

function screenshotsOf(documents: readonly ResponseDocument[], shown: ResponseDocument | undefined): NamedScreenshot[] {
  return documents.flatMap(({ screenshot, url, title }) =>
    screenshot === undefined || screenshot === shown?.screenshot
      ? []
      : [{ label: title ?? url ?? "Other page", url: screenshot }],
  );
}

function DocumentPicker(about: { documents: readonly ResponseDocument[]; at: number; choose: (at: number) => void }) {
  const { documents, at, choose } = about;
  const id = useId();
  return (
    <div class="picker-row">
      <label class="visually-hidden" for={id}>
        Document
      </label>
      <button type="button" class="button" disabled={at === 0} onClick={() => choose(at - 1)}>
        Previous
      </button>
      <select id={id} value={at} onChange={(event) => choose(Number(event.currentTarget.value))}>
        {documents.map(({ title, url }, index) => (
          <option key={index} value={index}>
            {index + 1} of {documents.length}: {title ?? url ?? "Untitled"}
          </option>
        ))}
      </select>
      <button type="button" class="button" disabled={at === documents.length - 1} onClick={() => choose(at + 1)}>
        Next
      </button>
    </div>
  );
}
