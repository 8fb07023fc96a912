import { useMemo } from "preact/hooks";
import { readHunks, rowsOf } from "./diff-lines.ts";
import type { DiffLine, Piece } from "./diff-lines.ts";

export type DiffLayout = "side" | "inline";

/** Lines shown at most in each part of a diff; layout of more is slow. */
const MAX_LINES = 2_000;
const SIGNS = { same: " ", removed: "−", added: "+" } as const;

/** The differences of two texts, one below the other or side by side. */
export function TextDiff({ text, layout }: { text: string; layout: DiffLayout }) {
  const hunks = useMemo(() => readHunks(text), [text]);
  return (
    <div class="diff" tabIndex={0} role="region" aria-label="Differences of the text">
      {hunks.map(({ lines }, at) => {
        const shown = lines.slice(0, MAX_LINES);
        return layout === "inline" ? <InlineHunk key={at} lines={shown} /> : <SideHunk key={at} lines={shown} />;
      })}
      {hunks.some(({ lines }) => lines.length > MAX_LINES) && (
        <p class="faint">Showing the first {MAX_LINES.toLocaleString("en")} lines of each part.</p>
      )}
    </div>
  );
}

function InlineHunk({ lines }: { lines: readonly DiffLine[] }) {
  return (
    <table class="diff-lines">
      <tbody>
        {lines.map((line, at) => (
          <tr key={at} class={`diff-${line.kind}`}>
            <Numbered number={line.before} />
            <Numbered number={line.after} />
            <Content line={line} />
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function SideHunk({ lines }: { lines: readonly DiffLine[] }) {
  return (
    <table class="diff-lines diff-sides">
      <thead>
        <tr>
          <th colSpan={2}>Before</th>
          <th colSpan={2}>After</th>
        </tr>
      </thead>
      <tbody>
        {rowsOf(lines).map(({ before, after }, at) => (
          <tr key={at}>
            <Numbered number={before?.before} kind={before?.kind} />
            <Content line={before} />
            <Numbered number={after?.after} kind={after?.kind} />
            <Content line={after} />
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Numbered({ number, kind }: { number: number | undefined; kind?: DiffLine["kind"] | undefined }) {
  return <td class={kind === undefined ? "diff-number" : `diff-number diff-${kind}`}>{number}</td>;
}

function Content({ line }: { line: DiffLine | undefined }) {
  if (line === undefined) return <td class="diff-none" />;
  return (
    <td class={`diff-text diff-${line.kind}`}>
      <span class="diff-sign" aria-hidden="true">
        {SIGNS[line.kind]}
      </span>
      <Pieces kind={line.kind} pieces={line.pieces} />
    </td>
  );
}

/** Changed words are elements `del` and `ins`, which screen readers announce. */
function Pieces({ kind, pieces }: { kind: DiffLine["kind"]; pieces: readonly Piece[] }) {
  return (
    <>
      {pieces.map(({ text, isChanged }, at) => {
        if (!isChanged) return <span key={at}>{text}</span>;
        return kind === "removed" ? <del key={at}>{text}</del> : <ins key={at}>{text}</ins>;
      })}
    </>
  );
}
