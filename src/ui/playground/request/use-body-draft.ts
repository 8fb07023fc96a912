import { useRef, useState } from "preact/hooks";
import type { BodyDraft } from "./controls/body-editor.tsx";
import type { PlaygroundRequest } from "./request.ts";

export interface EditedRequest {
  /** The text of the JSON editor; undefined while it has none of its own. */
  draft: BodyDraft | undefined;
  /** Changes the request in the form, which replaces the text. */
  edit: (next: PlaygroundRequest) => void;
  /** Changes the text, and the request where the text is valid. */
  write: (next: BodyDraft) => void;
}

/** Keeps the text of the JSON editor beside the request. A request that is not of these changes replaces the text as well. */
export function useBodyDraft(request: PlaygroundRequest, change: (next: PlaygroundRequest) => void): EditedRequest {
  const [draft, setDraft] = useState<BodyDraft>();
  const own = useRef(request);
  if (own.current !== request) {
    own.current = request;
    if (draft !== undefined) setDraft(undefined);
  }
  const changeOwn = (next: PlaygroundRequest): void => {
    own.current = next;
    change(next);
  };
  return {
    draft,
    edit: (next) => {
      setDraft(undefined);
      changeOwn(next);
    },
    write: (next) => {
      setDraft(next);
      if (next.body !== undefined) changeOwn({ ...request, body: next.body });
    },
  };
}
