import { useState } from "preact/hooks";
import { readStored, writeStored } from "../parts/browser-storage.ts";
import { WarningNotice } from "../parts/notices.tsx";
import { Tabs } from "../parts/tabs.tsx";
import type { Tab } from "../parts/tabs.tsx";
import { StoredPage } from "../playground/response/stored-page.tsx";
import { changedFields, toText } from "./changed-fields.ts";
import type { FieldChange } from "./changed-fields.ts";
import { FieldDiff } from "./field-diff.tsx";
import { pageWords } from "./monitor-types.ts";
import type { CheckedPage } from "./monitor-types.ts";
import { PictureDiff } from "./picture-diff.tsx";
import { TextDiff } from "./text-diff.tsx";
import type { DiffLayout } from "./text-diff.tsx";

const LAYOUTS = [
  ["side", "Side by side"],
  ["inline", "Inline"],
] as const;

/** One page of a check: its outcome, and its differences in text, fields and screenshot. */
export function PageChange({
  page,
  hasPicture,
  isFirst,
}: {
  page: CheckedPage;
  hasPicture: boolean;
  isFirst: boolean;
}) {
  const [label, tone] = pageWords(page.status);
  const [shownScrape, setShownScrape] = useState<{ id: string; title: string }>();
  const { previousScrapeId, currentScrapeId } = page;
  return (
    <details class="card page-change" open={isFirst || page.status === "changed"}>
      <summary>
        <span class="record-name breaking">{page.metadata?.title ?? page.url}</span>
        <span class={`chip-status ${tone}`}>{label}</span>
      </summary>
      <div class="stack spaced">
        <p class="breaking">
          <a href={page.url} target="_blank" rel="noopener noreferrer">
            {page.url}
          </a>
        </p>
        {page.error !== null && <p class="problem">{page.error}</p>}
        {page.warning !== undefined && <WarningNotice>{page.warning}</WarningNotice>}
        {page.judgment !== null && (
          <p>
            <strong>{page.judgment.meaningful ? "Matters to the goal." : "Does not matter to the goal."}</strong>{" "}
            {page.judgment.reason} <span class="faint">Confidence: {page.judgment.confidence}.</span>
          </p>
        )}
        <Differences page={page} hasPicture={hasPicture} />
        <div class="row">
          {previousScrapeId !== null && (
            <button
              type="button"
              class="button button-quiet"
              onClick={() => setShownScrape({ id: previousScrapeId, title: "Before" })}
            >
              Page before
            </button>
          )}
          {currentScrapeId !== null && (
            <button
              type="button"
              class="button button-quiet"
              onClick={() => setShownScrape({ id: currentScrapeId, title: "After" })}
            >
              {previousScrapeId === null ? "Page" : "Page after"}
            </button>
          )}
        </div>
      </div>
      {shownScrape !== undefined && (
        <StoredPage scrapeId={shownScrape.id} title={shownScrape.title} close={() => setShownScrape(undefined)} />
      )}
    </details>
  );
}

function Differences({ page, hasPicture }: { page: CheckedPage; hasPicture: boolean }) {
  const fields = page.diff === null ? [] : changedFields(page.diff.json);
  const text = page.diff?.text ?? "";
  const tabs: Tab[] = [
    ...(text === "" ? [] : [{ name: "text", label: "Text" }]),
    ...(fields.length === 0 ? [] : [{ name: "fields", label: "Fields", count: fields.length }]),
    ...(page.snapshot === undefined ? [] : [{ name: "values", label: "Values" }]),
    ...(hasPicture && page.currentScrapeId !== null ? [{ name: "picture", label: "Screenshot" }] : []),
  ];
  const [chosen, choose] = useState<string>();
  const [layout, setLayout] = useState<DiffLayout>(() => readStored<DiffLayout>("diff-layout", "side"));
  const current = tabs.find(({ name }) => name === chosen) ?? tabs[0];
  if (current === undefined) {
    return page.status === "same" ? <p class="faint">The page is the same as at the check before.</p> : null;
  }
  const arrange = (next: DiffLayout): void => {
    writeStored("diff-layout", next);
    setLayout(next);
  };
  return (
    <>
      <div class="chips" role="group" aria-label="Layout">
        {LAYOUTS.map(([name, label]) => (
          <button key={name} type="button" class="chip" aria-pressed={name === layout} onClick={() => arrange(name)}>
            {label}
          </button>
        ))}
      </div>
      <Tabs label="Differences" tabs={tabs} chosen={current.name} choose={choose}>
        <Difference name={current.name} page={page} fields={fields} layout={layout} />
      </Tabs>
    </>
  );
}

interface DifferenceProps {
  name: string;
  page: CheckedPage;
  fields: readonly FieldChange[];
  layout: DiffLayout;
}

function Difference({ name, page, fields, layout }: DifferenceProps) {
  if (name === "text") return <TextDiff text={page.diff?.text ?? ""} layout={layout} />;
  if (name === "fields") return <FieldDiff changes={fields} isInline={layout === "inline"} />;
  if (name === "picture") return <PictureDiff page={page} layout={layout} />;
  return <Values json={page.snapshot?.json} />;
}

/** The values of all fields of the page. */
function Values({ json }: { json: unknown }) {
  const entries = typeof json === "object" && json !== null ? Object.entries(json) : [];
  return (
    <dl class="facts">
      {entries.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{toText(value) === "" ? "–" : toText(value)}</dd>
        </div>
      ))}
    </dl>
  );
}
