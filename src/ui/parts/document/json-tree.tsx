import { useState } from "preact/hooks";
import { CodeBlock } from "./code-block.tsx";

const MAX_CHILDREN = 200;
const MAX_TEXT = 400;
const OPEN_DEPTH = 2;

/** JSON as a collapsible tree or as text. @param text The unparsed response, shown if it is not JSON. */
export function JsonTree({ value, text }: { value: unknown; text: string }) {
  const [isText, setText] = useState(false);
  if (value === undefined) return <CodeBlock text={text} label="Response" />;
  return (
    <div class="json">
      <div class="chips" role="group" aria-label="JSON view">
        <button type="button" class="chip" aria-pressed={!isText} onClick={() => setText(false)}>
          Tree
        </button>
        <button type="button" class="chip" aria-pressed={isText} onClick={() => setText(true)}>
          Text
        </button>
      </div>
      {isText ? (
        <CodeBlock text={JSON.stringify(value, undefined, 2)} label="JSON" />
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
          {entries.slice(0, MAX_CHILDREN).map(([key, child]) => (
            <Branch key={key} name={key} value={child} depth={depth + 1} />
          ))}
          {entries.length > MAX_CHILDREN && <p class="faint">{entries.length - MAX_CHILDREN} more</p>}
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
      <span class={`json-${value === null ? "null" : typeof value}`}>
        {isLong ? `${text.slice(0, MAX_TEXT)}…` : text}
      </span>
      {isLong && <span class="faint"> {text.length.toLocaleString("en")} characters</span>}
    </div>
  );
}
