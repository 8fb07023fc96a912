import { useMemo, useState } from "preact/hooks";
import { useAfterPaint } from "../../parts/use-after-paint.ts";
import type { ListStart } from "../../api/read-parts.ts";
import type { Loaded } from "../../api/use-loaded.ts";
import { toCount } from "../../parts/format.ts";
import { ErrorNotice, Loading, WarningNotice } from "../../parts/notices.tsx";
import { VirtualList } from "../../parts/virtual-list.tsx";
import type { Outcome, UrlLine } from "../crawl-types.ts";
import { changeInWords, reasonInWords } from "./reason-words.ts";
import { treeRows } from "./tree-rows.ts";
import type { TreeRow } from "./tree-rows.ts";
import { urlTree } from "./url-tree.ts";

const OUTCOMES: [Outcome, string, string][] = [
  ["scraped", "Scraped", "good"],
  ["failed", "Failed", "bad"],
  ["skipped", "Skipped", ""],
  ["pending", "Pending", "busy"],
  ["removed", "Removed", "warn"],
];
const ROW_HEIGHT = 32;
const OPEN_DEPTH = 2;

interface TreeProps {
  loaded: Loaded<ListStart<UrlLine>>;
  /** Loads more of a list that is not complete; undefined while the crawl runs. */
  loadMore: (() => void) | undefined;
}

/** All URLs that the crawl discovered, by origin and path, with outcome and reason. */
export function UrlTreeView({ loaded, loadMore }: TreeProps) {
  const { value, error, isLoading, reload } = loaded;
  const known = value?.items;
  const [wanted, setWanted] = useState<Outcome>();
  const [words, setWords] = useState("");
  const needle = words.trim().toLowerCase();
  const tree = useAfterPaint(() => {
    const lines = known ?? [];
    return urlTree(lines.filter((line) => (wanted === undefined || line.outcome === wanted) && matches(line, needle)));
  }, [known, wanted, needle]);
  // All matches of a filter are shown.
  const openDepth = wanted === undefined && needle === "" ? OPEN_DEPTH : Infinity;
  const [changed, setChanged] = useState<ReadonlySet<string>>(new Set());
  const rows = useMemo(() => treeRows(tree ?? [], { openDepth, changed }), [tree, openDepth, changed]);
  const toggle = (path: string): void => {
    const next = new Set(changed);
    if (!next.delete(path)) next.add(path);
    setChanged(next);
  };
  const counts = useMemo(() => countsOf(known ?? []), [known]);
  if (error !== undefined && value === undefined) return <ErrorNotice error={error} retry={reload} />;
  if (value === undefined || tree === undefined) return <Loading what="URLs" />;
  return (
    <div class="stack">
      <div class="chips" role="group" aria-label="Filter by outcome">
        {OUTCOMES.filter(([outcome]) => outcome !== "removed" || counts.removed > 0).map(([outcome, label]) => (
          <button
            key={outcome}
            type="button"
            class="chip"
            aria-pressed={wanted === outcome}
            onClick={() => setWanted(wanted === outcome ? undefined : outcome)}
          >
            {label}
            <span class="count">{toCount(counts[outcome])}</span>
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
      {error !== undefined && <ErrorNotice error={error} retry={reload} />}
      {value.hasMore && (
        <WarningNotice>
          <p>Showing, and filtering, the first {toCount(value.items.length)} URLs. The CSV file has the full list.</p>
          {loadMore !== undefined && (
            <button type="button" class="button" disabled={isLoading} onClick={loadMore}>
              {isLoading ? "Loading…" : "Load more URLs"}
            </button>
          )}
        </WarningNotice>
      )}
      {rows.length === 0 ? (
        <p class="faint">No URLs match this filter.</p>
      ) : (
        <VirtualList
          label="URLs by path"
          count={rows.length}
          rowHeight={ROW_HEIGHT}
          keyOf={(at) => rows[at]?.key ?? at}
          render={(at) => <Row row={rows[at]} toggle={toggle} />}
        />
      )}
    </div>
  );
}

function countsOf(lines: readonly UrlLine[]): Record<Outcome, number> {
  const counts = { scraped: 0, failed: 0, skipped: 0, pending: 0, removed: 0 };
  for (const { outcome } of lines) counts[outcome]++;
  return counts;
}

function matches({ url, reason, detail, change }: UrlLine, needle: string): boolean {
  if (needle === "") return true;
  return `${url} ${change ?? ""} ${reason ?? ""} ${reasonInWords(reason)} ${detail ?? ""}`
    .toLowerCase()
    .includes(needle);
}

function Row({ row, toggle }: { row: TreeRow | undefined; toggle: (path: string) => void }) {
  if (row === undefined) return null;
  const style = { paddingLeft: `${row.depth * 1.1}rem` };
  if (row.kind === "segment") {
    return (
      <button
        type="button"
        class="url-segment"
        style={style}
        aria-expanded={row.isOpen}
        onClick={() => toggle(row.path)}
      >
        <span class="url-arrow" aria-hidden="true" />
        <span class="cut">{row.name}</span> <span class="count">{toCount(row.total)}</span>
      </button>
    );
  }
  const { url, outcome, reason, detail, parent, change } = row.line;
  const [, label, tone] = OUTCOMES.find(([one]) => one === outcome) ?? ["", outcome, ""];
  const linkedFrom = parent !== undefined && outcome === "failed" ? `linked from ${parent}` : undefined;
  const why = [
    outcome === "removed" ? "" : changeInWords(change),
    reasonInWords(reason),
    reasonInWords(detail),
    linkedFrom,
  ]
    .filter((text) => text !== undefined && text !== "")
    .join(": ");
  return (
    <div class="url-line" style={style}>
      <span class={`chip-status ${tone}`}>{label}</span>
      <a href={url} target="_blank" rel="noopener noreferrer" class="cut" title={url}>
        {row.name}
      </a>
      {why !== "" && (
        <span class="faint cut" title={why}>
          {why}
        </span>
      )}
    </div>
  );
}
