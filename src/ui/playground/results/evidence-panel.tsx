import { useMemo } from "preact/hooks";
import { MAX_MARKS } from "../../parts/document/mark-text.ts";
import type { TextMark } from "../../parts/document/mark-text.ts";
import { MarkdownView } from "../../parts/document/markdown-view.tsx";
import type { Evidence } from "./result-shapes.ts";

interface PanelProps {
  path: string;
  found: readonly Evidence[];
  all: readonly Evidence[];
  markdown: string | undefined;
}

/** The passages that support a value, and the page with all such passages highlighted. */
export function EvidencePanel({ path, found, all, markdown }: PanelProps) {
  const marks = useMemo(() => marksOf(all), [all]);
  const place = found.find(isOnPage)?.place;
  const selected = place === undefined ? undefined : marks.find((mark) => isAt(mark, place));
  return (
    <section class="evidence" aria-label="Evidence">
      <h3>
        Evidence of <code>{path}</code>
      </h3>
      <ul class="evidence-list">
        {found.slice(0, MAX_LISTED).map((one, at) => (
          <li key={at}>
            {one.value !== undefined && <p dir="auto">{one.value}</p>}
            {one.quote === undefined ? (
              <p class="faint">No passage of the page states this value.</p>
            ) : (
              <blockquote dir="auto">{one.quote}</blockquote>
            )}
            <p class="faint">
              {one.unverified === true && <span class="chip-status warn">unverified</span>} <code>{one.from}</code> ·{" "}
              <a href={one.url} target="_blank" rel="noopener noreferrer nofollow" class="breaking">
                {one.url}
              </a>
            </p>
          </li>
        ))}
      </ul>
      {markdown === undefined ? (
        <p class="hint">Add the format Markdown to see the passages on the page.</p>
      ) : (
        <div class="scroll-box" tabIndex={0} role="region" aria-label="Page with highlighted passages">
          <MarkdownView markdown={markdown} marks={marks} selected={selected} />
        </div>
      )}
    </section>
  );
}

const MAX_LISTED = 20;

function isOnPage({ place }: Evidence): boolean {
  return place?.in === "markdown";
}

function isAt({ start, end }: TextMark, place: { start: number; end: number }): boolean {
  return start === place.start && end === place.end;
}

/** Returns one mark for each place in the Markdown. */
function marksOf(evidence: readonly Evidence[]): TextMark[] {
  const marks: TextMark[] = [];
  const known = new Set<string>();
  for (const { place } of evidence.filter(isOnPage)) {
    const key = `${place?.start}-${place?.end}`;
    if (place === undefined || known.has(key) || marks.length >= MAX_MARKS) continue;
    known.add(key);
    marks.push({ id: marks.length, start: place.start, end: place.end });
  }
  return marks;
}
