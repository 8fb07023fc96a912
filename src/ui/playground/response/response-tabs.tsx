import { useId, useState } from "preact/hooks";
import type { ApiResponse } from "../../api/client.ts";
import { CodeBlock } from "../../parts/document/code-block.tsx";
import { HtmlFrame } from "../../parts/document/html-frame.tsx";
import { JsonTree } from "../../parts/document/json-tree.tsx";
import { LinkList } from "../../parts/document/link-list.tsx";
import { MarkdownView } from "../../parts/document/markdown-view.tsx";
import { Tabs } from "../../parts/tabs.tsx";
import type { Tab } from "../../parts/tabs.tsx";
import { documentsIn, linksIn, toUrl } from "./documents.ts";
import type { ShownDocument } from "./documents.ts";
import { MetadataTable } from "./metadata-table.tsx";
import { Receipt } from "./receipt.tsx";
import { Screenshot } from "./screenshot.tsx";

/** The parts of a response in tabs. */
export function ResponseTabs({ answer }: { answer: ApiResponse }) {
  const documents = documentsIn(answer.body);
  const [at, setAt] = useState(0);
  const [wanted, setWanted] = useState<string>();
  const document = documents[at] ?? documents[0];
  const urls = document?.links?.flatMap(toUrl) ?? linksIn(answer.body);
  const tabs = tabsOf(document, urls);
  const chosen = tabs.some(({ name }) => name === wanted) ? (wanted ?? "json") : (tabs[0]?.name ?? "json");
  return (
    <>
      {documents.length > 1 && <DocumentPicker documents={documents} at={at} choose={setAt} />}
      <Tabs label="Response views" tabs={tabs} chosen={chosen} choose={setWanted}>
        {chosen === "rendered" && <MarkdownView markdown={document?.markdown ?? ""} />}
        {chosen === "markdown" && <CodeBlock text={document?.markdown ?? ""} label="Markdown" />}
        {chosen === "summary" && <MarkdownView markdown={document?.summary ?? ""} />}
        {chosen === "page" && <HtmlFrame html={document?.html ?? document?.rawHtml ?? ""} />}
        {chosen === "html" && <CodeBlock text={document?.html ?? ""} label="HTML" />}
        {chosen === "rawHtml" && <CodeBlock text={document?.rawHtml ?? ""} label="Raw HTML" />}
        {chosen === "screenshot" && <Screenshot url={document?.screenshot ?? ""} of={document?.url} />}
        {chosen === "links" && <LinkList urls={urls} />}
        {chosen === "images" && <LinkList urls={(document?.images ?? []).flatMap(toUrl)} />}
        {chosen === "metadata" && <MetadataTable metadata={document?.metadata ?? {}} />}
        {chosen === "json" && <JsonTree value={answer.body} text={answer.text} />}
        {chosen === "receipt" && <Receipt answer={answer} metadata={document?.metadata} />}
      </Tabs>
    </>
  );
}

function tabsOf(document: ShownDocument | undefined, urls: readonly string[]): Tab[] {
  const has = (name: keyof ShownDocument): boolean => document?.[name] !== undefined;
  const all: (Tab & { isThere: boolean })[] = [
    { name: "rendered", label: "Rendered", isThere: has("markdown") },
    { name: "summary", label: "Summary", isThere: has("summary") },
    { name: "screenshot", label: "Screenshot", isThere: has("screenshot") },
    { name: "links", label: "Links", count: urls.length, isThere: urls.length > 0 },
    { name: "markdown", label: "Markdown", isThere: has("markdown") },
    { name: "page", label: "Page", isThere: has("html") || has("rawHtml") },
    { name: "html", label: "HTML", isThere: has("html") },
    { name: "rawHtml", label: "Raw HTML", isThere: has("rawHtml") },
    { name: "images", label: "Images", count: document?.images?.length, isThere: has("images") },
    { name: "json", label: "JSON", isThere: true },
    { name: "metadata", label: "Metadata", isThere: has("metadata") },
    { name: "receipt", label: "Receipt", isThere: true },
  ];
  return all.filter(({ isThere }) => isThere).map(({ name, label, count }) => ({ name, label, count }));
}

function DocumentPicker(about: { documents: ShownDocument[]; at: number; choose: (at: number) => void }) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>Document</label>
      <select id={id} value={about.at} onChange={(event) => about.choose(Number(event.currentTarget.value))}>
        {about.documents.map(({ title, url }, index) => (
          <option key={index} value={index}>
            {index + 1}. {title ?? url ?? "Untitled"}
          </option>
        ))}
      </select>
    </div>
  );
}
