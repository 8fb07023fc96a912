import { useMemo, useState } from "preact/hooks";
import type { ApiError } from "../../api/client.ts";
import { toCount } from "../../parts/format.ts";
import { ErrorNotice, Loading, WarningNotice } from "../../parts/notices.tsx";
import type { Outcome, UrlLine, UrlsResponse } from "../crawl-types.ts";
import { reasonInWords } from "./reason-words.ts";
import { totalOf, urlTree } from "./url-tree.ts";
import type { UrlNode } from "./url-tree.ts";

const OUTCOMES: [Outcome, string, string][] = [
  ["scraped", "Scraped", "good"],
  ["failed", "Failed", "bad"],
  ["skipped", "Skipped", ""],
  ["pending", "Pending", "busy"],
];
const MAX_CHILDREN = 300;
const OPEN_DEPTH = 2;

/** All URLs that the crawl discovered, by origin and path, with outcome and reason. */
export function UrlTreeView({ answer, error }: { answer: UrlsResponse | undefined; error: ApiError | undefined }) {
  const [wanted, setWanted] = useState<Outcome>();
  const [words, setWords] = useState("");
  const needle = words.trim().toLowerCase();
  const lines = useMemo(
    () =>
      (answer?.urls ?? []).filter((line) => (wanted === undefined || line.outcome === wanted) && matches(line, needle)),
    [answer, wanted, needle],
  );
  const tree = useMemo(() => urlTree(lines), [lines]);
  if (error !== undefined && answer === undefined) return <ErrorNotice error={error} />;
  if (answer === undefined) return <Loading what="URLs" />;
  return (
    <div class="stack">
      <div class="chips" role="group" aria-label="Filter by outcome">
        {OUTCOMES.map(([outcome, label]) => (
          <button
            key={outcome}
            type="button"
            class="chip"
            aria-pressed={wanted === outcome}
            onClick={() => setWanted(wanted === outcome ? undefined : outcome)}
          >
            {label}
            <span class="count">{toCount(answer.urls.filter((line) => line.outcome === outcome).length)}</span>
          </button>
        ))}
      </div>
      <input
        type="search"
        aria-label="Filter by URL or reason"
        placeholder="Filter by URL or reason"
        value={words}
        onInput={(event) => setWords(event.currentTarget.value)}
      />
      {answer.next !== undefined && (
        <WarningNotice>
          Showing the first {toCount(answer.urls.length)} URLs. Download the CSV file for the full list.
        </WarningNotice>
      )}
      <div class="url-tree">
        {tree.map((node) => (
          <Branch key={node.path} node={node} depth={0} />
        ))}
        {tree.length === 0 && <p class="faint">No URLs match this filter.</p>}
      </div>
    </div>
  );
}

function matches({ url, reason, detail }: UrlLine, needle: string): boolean {
  if (needle === "") return true;
  return `${url} ${reason ?? ""} ${reasonInWords(reason)} ${detail ?? ""}`.toLowerCase().includes(needle);
}

/** Renders the children of a segment when it is opened. */
function Branch({ node, depth }: { node: UrlNode; depth: number }) {
  const [isOpen, setOpen] = useState(depth < OPEN_DEPTH);
  if (node.children.length === 0) return <Lines lines={node.lines} name={node.name} />;
  return (
    <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <span class="breaking">{node.name}</span> <span class="count">{toCount(totalOf(node))}</span>
      </summary>
      {isOpen && (
        <div class="url-children">
          {node.lines.length > 0 && <Lines lines={node.lines} name="/" />}
          {node.children.slice(0, MAX_CHILDREN).map((child) => (
            <Branch key={child.path} node={child} depth={depth + 1} />
          ))}
          {node.children.length > MAX_CHILDREN && (
            <p class="faint">{toCount(node.children.length - MAX_CHILDREN)} more. Use the filter to find them.</p>
          )}
        </div>
      )}
    </details>
  );
}

function Lines({ lines, name }: { lines: readonly UrlLine[]; name: string }) {
  return (
    <>
      {lines.map(({ url, outcome, reason, detail, parent }, at) => {
        const [, label, tone] = OUTCOMES.find(([one]) => one === outcome) ?? ["", outcome, ""];
        const why = [reasonInWords(reason), detail].filter((text) => text !== undefined && text !== "").join(": ");
        return (
          <div key={at} class="url-line">
            <span class={`chip-status ${tone}`}>{label}</span>
            <a href={url} target="_blank" rel="noopener noreferrer" class="breaking" title={url}>
              {name}
            </a>
            {why !== "" && <span class="faint breaking">{why}</span>}
            {parent !== undefined && outcome === "failed" && <span class="faint breaking">Linked from {parent}</span>}
          </div>
        );
      })}
    </>
  );
}
