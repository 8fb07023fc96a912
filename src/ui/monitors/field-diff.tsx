import { compareWords } from "./diff-lines.ts";
import type { FieldChange } from "./changed-fields.ts";

/** The changed fields of a page, with their values before and after. */
export function FieldDiff({ changes, isInline }: { changes: readonly FieldChange[]; isInline: boolean }) {
  return (
    <div class="table-box" tabIndex={0} role="region" aria-label="Differences of the fields">
      <table class="field-diff">
        <thead>
          <tr>
            <th>Field</th>
            {isInline ? <th>Change</th> : [<th key="before">Before</th>, <th key="after">After</th>]}
          </tr>
        </thead>
        <tbody>
          {changes.map((change) => (
            <tr key={change.name}>
              <th scope="row">{change.name}</th>
              {isInline ? <Inline change={change} /> : <Sides change={change} />}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Inline({ change: { previous, current } }: { change: FieldChange }) {
  return (
    <td class="breaking">
      {previous !== "" && <del>{previous}</del>} {current !== "" && <ins>{current}</ins>}
    </td>
  );
}

function Sides({ change }: { change: FieldChange }) {
  const [previous, current] = compareWords(change.previous, change.current);
  return (
    <>
      <td class="breaking">
        {previous.map(({ text, isChanged }, at) => (isChanged ? <del key={at}>{text}</del> : text))}
      </td>
      <td class="breaking">
        {current.map(({ text, isChanged }, at) => (isChanged ? <ins key={at}>{text}</ins> : text))}
      </td>
    </>
  );
}
