import { isValues } from "./body.ts";
import type { Values } from "./body.ts";
import { readJson } from "./json-control.tsx";

/** The text of the JSON editor, with the body that it stands for or its problem. */
export interface BodyDraft {
  text: string;
  body: Values | undefined;
  problem: string | undefined;
}

/** Reads the text of a request body, which is a JSON object. */
export function toBodyDraft(text: string): BodyDraft {
  const read = readJson(text);
  if ("problem" in read) return { text, body: undefined, problem: read.problem };
  const { value = {} } = read;
  if (!isValues(value)) return { text, body: undefined, problem: "The body is not a JSON object." };
  return { text, body: value, problem: undefined };
}

/** Returns the draft if it is invalid or stands for this body; otherwise the body as text. */
export function draftFor(draft: BodyDraft | undefined, body: Values): BodyDraft {
  if (draft !== undefined && (draft.problem !== undefined || draft.body === body)) return draft;
  return { text: JSON.stringify(body, undefined, 2), body, problem: undefined };
}

const MIN_ROWS = 10;
const MAX_ROWS = 30;

/** The request body as JSON. */
export function BodyEditor({ draft, change }: { draft: BodyDraft; change: (draft: BodyDraft) => void }) {
  return (
    <div class="field">
      <label for="body-json">Body</label>
      <textarea
        id="body-json"
        class="mono"
        aria-describedby="body-problem"
        aria-invalid={draft.problem !== undefined}
        rows={Math.min(MAX_ROWS, Math.max(MIN_ROWS, draft.text.split("\n").length))}
        spellcheck={false}
        value={draft.text}
        onInput={(event) => change(toBodyDraft(event.currentTarget.value))}
      />
      <p class="problem" id="body-problem" role="alert">
        {draft.problem}
      </p>
    </div>
  );
}
