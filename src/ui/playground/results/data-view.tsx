import { useMemo, useState } from "preact/hooks";
import { DownloadButton } from "../../parts/download/download-button.tsx";
import { fileNameOf } from "../../parts/download/file-name.ts";
import { byField, evidenceOf, toCsv, toSections, toText } from "./data-sections.ts";
import type { Cell, Section } from "./data-sections.ts";
import { EvidencePanel } from "./evidence-panel.tsx";
import type { DataResult, Evidence } from "./result-shapes.ts";

const ROWS_AT_ONCE = 200;

interface DataProps {
  result: DataResult;
  url: string | undefined;
  /** The Markdown of the page, in which the evidence is highlighted. */
  markdown: string | undefined;
}

/** Structured data as tables, next to the passages of the page that it comes from. */
export function DataView({ result, url, markdown }: DataProps) {
  const [selected, setSelected] = useState<string>();
  const sections = useMemo(() => toSections(result.value), [result.value]);
  const fields = useMemo(() => byField(result.evidence), [result.evidence]);
  const hasEvidence = result.evidence.length > 0;
  const [firstField] = fields.keys();
  const path = selected ?? firstField ?? "";
  return (
    <>
      <div class="result-tools">
        <DownloadButton
          content={() => JSON.stringify(result.value, undefined, 2)}
          file={fileNameOf(url, "json")}
          type="application/json"
          label="Download JSON"
        />
      </div>
      <div class={hasEvidence ? "data-view data-view-evidence" : "data-view"}>
        <div class="stack">
          {sections.length === 0 && <p class="faint">The result has no values.</p>}
          {sections.map((section) => (
            <DataTable
              key={section.path}
              section={section}
              url={url}
              fields={fields}
              selected={path}
              select={setSelected}
            />
          ))}
        </div>
        {hasEvidence && (
          <EvidencePanel path={path} found={evidenceOf(path, fields)} all={result.evidence} markdown={markdown} />
        )}
      </div>
    </>
  );
}

interface TableProps {
  section: Section;
  url: string | undefined;
  fields: ReadonlyMap<string, Evidence[]>;
  selected: string;
  select: (path: string) => void;
}

function DataTable({ section, url, fields, selected, select }: TableProps) {
  const [count, setCount] = useState(ROWS_AT_ONCE);
  const { path, columns, rows } = section;
  const name = path === "" ? "Fields" : path;
  const cell = ({ path: at, value }: Cell) => (
    <Value text={toText(value)} found={evidenceOf(at, fields)} isSelected={at === selected} select={() => select(at)} />
  );
  return (
    <section aria-label={name}>
      <div class="result-tools">
        <h3>
          {columns === undefined ? "Fields" : path === "" ? "Rows" : <code>{path}</code>}{" "}
          <span class="count">{rows.length.toLocaleString("en")}</span>
        </h3>
        <DownloadButton
          content={() => toCsv(section)}
          file={fileNameOf(url, "csv")}
          type="text/csv"
          label="Download CSV"
        />
      </div>
      <div class="table-box" tabIndex={0} role="region" aria-label={`${name}, table`}>
        <table class="data-table">
          <thead>
            <tr>
              {(columns ?? ["Field", "Value"]).map((column) => (
                <th key={column} scope="col">
                  {columns === undefined ? column : <code>{column}</code>}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, count).map((row, at) => (
              <tr key={at}>
                {columns === undefined && (
                  <th scope="row">
                    <code>{row[0]?.path}</code>
                  </th>
                )}
                {row.map((one) => (
                  <td key={one.path}>{cell(one)}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {rows.length > count && (
        <button type="button" class="button button-quiet" onClick={() => setCount(count + ROWS_AT_ONCE)}>
          Show {Math.min(ROWS_AT_ONCE, rows.length - count)} more of {(rows.length - count).toLocaleString("en")}
        </button>
      )}
    </section>
  );
}

/** A value; with evidence a button that shows it. */
function Value(about: { text: string; found: readonly Evidence[]; isSelected: boolean; select: () => void }) {
  const { text, found, isSelected, select } = about;
  if (found.length === 0) return text === "" ? <span class="faint">–</span> : <span dir="auto">{text}</span>;
  const isUnverified = found.some(({ unverified }) => unverified === true);
  return (
    <button type="button" class="value-button" dir="auto" aria-pressed={isSelected} onClick={select}>
      {text === "" ? "–" : text}
      {isUnverified && (
        <span class="chip-status warn" title="No passage of the page states this value">
          unverified
        </span>
      )}
    </button>
  );
}
