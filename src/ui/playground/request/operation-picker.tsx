import { useEffect, useId, useRef } from "preact/hooks";
import type { Operation } from "../../api/openapi.ts";
import { toWords } from "../../parts/format.ts";
import { goTo } from "../../router.ts";
import { hrefOf } from "../../routes.ts";
import { groupOperations, referenceOf } from "./operations.ts";

/** Common endpoints, in display order. Those that the service does not have are hidden. */
const COMMON: [label: string, operation: string][] = [
  ["Scrape", "post /v2/scrape"],
  ["Crawl", "post /v2/crawl"],
  ["Map", "post /v2/map"],
  ["Search", "post /v2/search"],
  ["Extract", "post /v2/extract"],
  ["Agent", "post /v2/agent"],
  ["Parse file", "post /v2/parse"],
  ["Batch", "post /v2/batch/scrape"],
];

/** The control by which an endpoint was chosen. */
export type Picked = "link" | "list" | undefined;

interface PickerProps {
  operations: Operation[];
  operation: Operation;
  picked: { current: Picked };
}

/** Links to common endpoints, and a list of all endpoints. */
export function OperationPicker({ operations, operation, picked }: PickerProps) {
  const id = useId();
  const place = useRef<HTMLDivElement>(null);
  // Each endpoint has a form and a picker of its own, in which the same control gets the focus.
  useEffect(() => {
    const focused = { link: "[aria-current=true]", list: "select" }[picked.current ?? "list"];
    if (picked.current !== undefined) place.current?.querySelector<HTMLElement>(focused)?.focus();
    picked.current = undefined;
  }, []);
  const common = COMMON.filter(([, name]) => operations.some((one) => one.id === name));
  return (
    <div class="picker" ref={place}>
      <nav class="chips" aria-label="Common endpoints">
        {common.map(([label, name]) => (
          <a
            key={name}
            class="chip"
            href={hrefOf("playground", undefined, { op: name })}
            aria-current={operation.id === name ? "true" : undefined}
            onClick={() => (picked.current = operation.id === name ? undefined : "link")}
          >
            {label}
          </a>
        ))}
      </nav>
      <label class="visually-hidden" for={id}>
        Endpoint
      </label>
      <select
        id={id}
        class="mono"
        value={operation.id}
        onChange={(event) => {
          picked.current = "list";
          goTo(hrefOf("playground", undefined, { op: event.currentTarget.value }));
        }}
      >
        {groupOperations(operations).map((group) => (
          <optgroup key={group.label} label={group.label}>
            {group.operations.map((one) => (
              <option key={one.id} value={one.id}>
                {one.method.toUpperCase()} {one.path}
              </option>
            ))}
          </optgroup>
        ))}
      </select>
      <p class="summary">
        {toSentence(operation.summary)}{" "}
        <a href={referenceOf(operation)} target="_blank" rel="noopener">
          API reference
        </a>
      </p>
    </div>
  );
}

function toSentence(text: string): string {
  return text === "" ? "" : `${text.charAt(0).toUpperCase()}${text.slice(1)}${text.endsWith(".") ? "" : "."}`;
}

/** Returns the display name of a path: "Batch scrape" for `/v2/batch/scrape`. */
export function nameOf({ path }: Pick<Operation, "path">): string {
  return toWords(
    path
      .replace(/^\/v\d\//, "")
      .replaceAll(/\/\{\w+\}/g, "")
      .replaceAll("/", " "),
  );
}
