import type { Schema } from "../../../api/openapi.ts";
import { JsonEditor } from "../../../parts/editor/json-editor.tsx";
import { isValues } from "../body.ts";
import type { Values } from "../body.ts";
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

/** The request body as JSON, with completion and validation from the operation's schema. */
export function BodyEditor(about: { draft: BodyDraft; schema: Schema; change: (draft: BodyDraft) => void }) {
  const { draft, schema, change } = about;
  const isInvalid = draft.problem !== undefined;
  return (
    <div class="field">
      <JsonEditor
        text={draft.text}
        label="Body"
        schema={schema}
        isInvalid={isInvalid}
        change={(text) => change(toBodyDraft(text))}
      />
      <p class="problem" role="alert">
        {draft.problem}
      </p>
      <p class="hint">Ctrl+Space completes names and values.</p>
    </div>
  );
}
