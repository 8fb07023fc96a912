import { useMemo, useState } from "preact/hooks";
import { DownloadButton } from "../download/download-button.tsx";
import { CodeBlock } from "./code-block.tsx";

const MAX_CHILDREN = 200;
const MAX_TEXT = 400;
const OPEN_DEPTH = 2;

/** JSON as a collapsible tree or as text. @param text The unparsed response, shown if it is not JSON. */
export function JsonTree({ value, text, file = "response.json" }: { value: unknown; text: string; file?: string }) {
  const [isText, setText] = useState(false);
  const formatted = useMemo(() => (isText ? JSON.stringify(value, undefined, 2) : ""), [isText, value]);
  if (value === undefined) return <CodeBlock text={text} label="Response" file="response.txt" />;
  return (
    <div class="json">
      <div class="chips" role="group" aria-label="JSON view">
        <button type="button" class="chip" aria-pressed={!isText} onClick={() => setText(false)}>
          Tree
        </button>
        <button type="button" class="chip" aria-pressed={isText} onClick={() => setText(true)}>
          Text
        </button>
        {!isText && (
          <DownloadButton content={() => JSON.stringify(value, undefined, 2)} file={file} type="application/json" />
        )}
      </div>
      {isText ? (
        <CodeBlock text={formatted} label="JSON" file={file} type="application/json" />
      ) : (
        <div class="json-tree mono">
          <Branch name={undefined} value={value} depth={0} />
        </div>
      )}
    </div>
  );
}

interface BranchProps {
  name: string | undefined;
  value: unknown;
  depth: number;
}

/** Renders children when the branch is opened, so that large responses stay fast. */
function Branch({ name, value, depth }: BranchProps) {
  const [isOpen, setOpen] = useState(depth < OPEN_DEPTH);
  const [count, setCount] = useState(MAX_CHILDREN);
  if (typeof value !== "object" || value === null) return <Leaf name={name} value={value} />;
  const entries = Object.entries(value);
  const size = Array.isArray(value) ? `[${entries.length}]` : `{${entries.length}}`;
  return (
    <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        {name !== undefined && <span class="json-name">{name}</span>} <span class="faint">{size}</span>
      </summary>
      {isOpen && (
        <div class="json-children">
          {entries.slice(0, count).map(([key, child]) => (
            <Branch key={key} name={key} value={child} depth={depth + 1} />
          ))}
          {entries.length > count && (
            <button type="button" class="button button-quiet" onClick={() => setCount(count + MAX_CHILDREN)}>
              Show more of {(entries.length - count).toLocaleString("en")}
            </button>
          )}
        </div>
      )}
    </details>
  );
}

function Leaf({ name, value }: { name: string | undefined; value: unknown }) {
  const text = typeof value === "string" ? JSON.stringify(value) : String(value);
  const isLong = text.length > MAX_TEXT;
  return (
    <div class="json-leaf">
      {name !== undefined && <span class="json-name">{name}</span>}{" "}
      <span dir="auto" class={`json-${value === null ? "null" : typeof value}`}>
        {isLong ? `${text.slice(0, MAX_TEXT)}…` : text}
      </span>
      {isLong && <span class="faint"> {text.length.toLocaleString("en")} characters</span>}
    </div>
  );
}
