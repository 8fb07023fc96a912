import { useEffect, useRef, useState } from "preact/hooks";
import type { Operation } from "../../api/openapi.ts";
import { useCommands } from "../../commands/commands.ts";
import { toWords } from "../../parts/format.ts";
import { Icon } from "../../parts/icon.tsx";
import { WarningNotice } from "../../parts/notices.tsx";
import { Tabs } from "../../parts/tabs.tsx";
import { SnippetPanel } from "../code/snippet-panel.tsx";
import { CostEstimate, JobEstimate } from "../presets/cost-estimate.tsx";
import { PresetBar } from "../presets/preset-bar.tsx";
import { BodyEditor, draftFor } from "./controls/body-editor.tsx";
import { FormFields } from "./form-fields.tsx";
import { FormContext } from "./form-state.ts";
import { missingIn } from "./request.ts";
import type { PlaygroundRequest } from "./request.ts";
import { revealProblem } from "./reveal-problem.ts";
import { useBodyDraft } from "./use-body-draft.ts";

const LIST = new Intl.ListFormat("en");

interface FormProps {
  operation: Operation;
  request: PlaygroundRequest;
  change: (request: PlaygroundRequest) => void;
  isRunning: boolean;
  submit: () => void;
  stop: () => void;
}

/** The request as a form, as JSON and as code. Ctrl+Enter sends it, unless a field is missing or invalid. */
export function RequestForm({ operation, request, change, isRunning, submit, stop }: FormProps) {
  const [tab, setTab] = useState("form");
  const [attempts, setAttempts] = useState(0);
  const { draft, edit, write } = useBodyDraft(request, change);
  const [invalid, setInvalid] = useState<ReadonlyMap<string, string>>(new Map());
  const form = useRef<HTMLFormElement>(null);
  const isDraftInvalid = draft?.problem !== undefined;
  const missing = missingIn(operation, request);
  const report = (path: string, problem: string | undefined): void =>
    setInvalid((current) => withEntry(current, path, problem));
  const isRefused = isDraftInvalid || invalid.size > 0 || missing.length > 0;
  const send = (): void => {
    if (isRunning) return;
    if (!isRefused) {
      setAttempts(0);
      submit();
      return;
    }
    setTab(isDraftInvalid ? "json" : "form");
    setAttempts((count) => count + 1);
  };
  const latest = useRef(send);
  latest.current = send;
  useCommands([
    { id: "run", title: "Run the request", section: "Playground", keys: "mod+Enter", icon: "playground", run: () => latest.current() }, // prettier-ignore
  ]);
  useEffect(() => {
    if (attempts > 0 && form.current !== null) revealProblem(form.current);
  }, [attempts]);
  const isTried = attempts > 0;
  const state = { missing: new Set(isTried ? missing.map(({ path }) => path) : []), report };
  const tabs = [
    { name: "form", label: "Form" },
    ...(operation.body?.kind === "json" ? [{ name: "json", label: "JSON" }] : []),
    { name: "code", label: "Code" },
  ];
  return (
    <form
      ref={form}
      class="card request"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
      onKeyDown={(event) => {
        if (event.key !== "Enter" || (!event.ctrlKey && !event.metaKey)) return;
        // The command below is for the rest of the page.
        event.preventDefault();
        send();
      }}
    >
      <PresetBar request={request} change={edit} />
      <Tabs label="Request editor" tabs={tabs} chosen={tab} choose={setTab}>
        {/* Stays in the document, so that text that is not valid yet is not lost with the tab. */}
        <div hidden={tab !== "form"}>
          {isDraftInvalid && (
            <WarningNotice>The JSON tab has invalid JSON. A change in this form discards it.</WarningNotice>
          )}
          <FormContext.Provider value={state}>
            <FormFields operation={operation} request={request} change={edit} />
          </FormContext.Provider>
        </div>
        {tab === "json" && (
          <BodyEditor schema={operation.body?.schema ?? {}} draft={draftFor(draft, request.body)} change={write} />
        )}
        {tab === "code" && <SnippetPanel operation={operation} request={request} />}
      </Tabs>
      <div class="request-foot">
        {isRunning ? (
          <button type="button" class="button" onClick={stop}>
            <Icon name="stop" /> Cancel
          </button>
        ) : (
          <button type="submit" class="button button-main">
            <Icon name="playground" /> Run
          </button>
        )}
        <CostEstimate request={request} />
        <JobEstimate request={request} />
        <p class="problem" role="alert">
          {isTried && refusal({ isDraftInvalid, invalid, missing })}
        </p>
      </div>
    </form>
  );
}

interface Refusal {
  isDraftInvalid: boolean;
  invalid: ReadonlyMap<string, string>;
  missing: readonly { label: string }[];
}

/** Says why a request is not sent; empty if nothing is missing or invalid. */
function refusal({ isDraftInvalid, invalid, missing }: Refusal): string {
  if (isDraftInvalid) return "The body is not valid JSON";
  const names = [...invalid.keys()].map((path) => toWords(path.split(".").at(-1) ?? path));
  if (names.length > 0) return `${LIST.format(names)} ${names.length === 1 ? "is" : "are"} not valid JSON`;
  const labels = missing.map(({ label }) => label);
  return labels.length === 0 ? "" : `${LIST.format(labels)} ${labels.length === 1 ? "is" : "are"} required`;
}

function withEntry(
  map: ReadonlyMap<string, string>,
  key: string,
  value: string | undefined,
): ReadonlyMap<string, string> {
  if (map.get(key) === value) return map;
  const next = new Map(map);
  if (value === undefined) next.delete(key);
  else next.set(key, value);
  return next;
}
