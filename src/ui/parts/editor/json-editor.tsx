import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Schema } from "../../api/openapi.ts";
import type { JsonEditorHandle } from "./create-editor.ts";

interface EditorProps {
  text: string;
  label: string;
  schema: Schema;
  isInvalid: boolean;
  change: (text: string) => void;
}

const ROWS = 12;

/** An editor for JSON with completion and validation. Until its code is loaded, or if it cannot be, a plain text field. */
export function JsonEditor({ text, label, schema, isInvalid, change }: EditorProps) {
  const host = useRef<HTMLDivElement>(null);
  const plain = useRef<HTMLTextAreaElement>(null);
  const editor = useRef<JsonEditorHandle | undefined>(undefined);
  const [isReady, setReady] = useState(false);
  const latest = useRef({ text, change });
  latest.current = { text, change };
  useEffect(() => {
    let isWanted = true;
    void import("./create-editor.ts").then(
      ({ createEditor }) => {
        if (!isWanted || host.current === null) return;
        const hadFocus = document.activeElement === plain.current;
        editor.current = createEditor(host.current, {
          text: latest.current.text,
          label,
          schema,
          change: (next) => latest.current.change(next),
        });
        // A hidden element takes no focus.
        host.current.hidden = false;
        if (hadFocus) editor.current.focus();
        setReady(true);
      },
      // The plain field stays.
      () => undefined,
    );
    return () => {
      isWanted = false;
      editor.current?.close();
    };
  }, [schema, label]);
  // Before the next key press: later, it would put back the text of before.
  useLayoutEffect(() => editor.current?.setText(text), [text]);
  return (
    <>
      <div
        ref={host}
        class="json-editor"
        data-editor
        hidden={!isReady}
        data-invalid={(isInvalid && isReady) || undefined}
      />
      {!isReady && (
        <textarea
          ref={plain}
          class="mono"
          aria-label={label}
          aria-invalid={isInvalid}
          rows={ROWS}
          spellcheck={false}
          value={text}
          onInput={(event) => change(event.currentTarget.value)}
        />
      )}
    </>
  );
}
