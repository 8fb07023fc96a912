import { useState } from "preact/hooks";
import type { Operation } from "../../api/openapi.ts";
import { Icon } from "../../parts/icon.tsx";
import { Tabs } from "../../parts/tabs.tsx";
import { FieldControl, FieldList } from "./field-control.tsx";
import { fieldsOf, toField } from "./fields.ts";
import { splitFields } from "./first-fields.ts";
import { JsonControl } from "./json-control.tsx";
import { missingIn } from "./request.ts";
import type { PlaygroundRequest } from "./request.ts";
import { SnippetPanel } from "../snippet-panel.tsx";
import { isValues } from "./body.ts";
import { toWords } from "../../parts/format.ts";

const LIST = new Intl.ListFormat("en");

interface FormProps {
  operation: Operation;
  request: PlaygroundRequest;
  change: (request: PlaygroundRequest) => void;
  isRunning: boolean;
  submit: () => void;
  stop: () => void;
}

/** The request as a form, as JSON and as code. Ctrl+Enter sends it. */
export function RequestForm({ operation, request, change, isRunning, submit, stop }: FormProps) {
  const [tab, setTab] = useState("form");
  const [isTried, setTried] = useState(false);
  const missing = missingIn(operation, request);
  const send = (): void => {
    setTried(true);
    if (missing.length === 0 && !isRunning) submit();
  };
  const tabs = [
    { name: "form", label: "Form" },
    ...(operation.body?.kind === "json" ? [{ name: "json", label: "JSON" }] : []),
    { name: "code", label: "Code" },
  ];
  return (
    <form
      class="card request"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
      onKeyDown={(event) => {
        if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) send();
      }}
    >
      <Tabs label="Request editor" tabs={tabs} chosen={tab} choose={setTab}>
        {tab === "form" && <Fields operation={operation} request={request} change={change} />}
        {tab === "json" && (
          <div class="field">
            <label for="body-json">Body</label>
            <JsonControl
              field={{ kind: "json", name: "body", isRequired: true, hint: undefined }}
              id="body-json"
              describedBy={undefined}
              value={request.body}
              change={(body) => change({ ...request, body: isValues(body) ? body : {} })}
            />
          </div>
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
        <p class="problem" role="alert">
          {isTried &&
            missing.length > 0 &&
            `${LIST.format(missing.map(toWords))} ${missing.length === 1 ? "is" : "are"} required`}
        </p>
      </div>
    </form>
  );
}

function Fields({ operation, request, change }: Pick<FormProps, "operation" | "request" | "change">) {
  const fields = operation.body === undefined ? [] : fieldsOf(operation.body.schema);
  const { first, more } = splitFields(operation, fields);
  const setBody = (body: PlaygroundRequest["body"]): void => change({ ...request, body });
  const used = more.filter(({ name }) => request.body[name] !== undefined).length;
  const setParameter = (name: string, value: unknown): void =>
    change({ ...request, parameters: { ...request.parameters, [name]: value === undefined ? "" : String(value) } });
  if (fields.length === 0 && operation.parameters.length === 0) {
    return <p class="faint">This endpoint has no parameters.</p>;
  }
  return (
    <div class="fields">
      {operation.parameters.map((parameter) => (
        <FieldControl
          key={parameter.name}
          field={toField(parameter.name, parameter.schema, parameter.required)}
          value={request.parameters[parameter.name]}
          change={(value) => setParameter(parameter.name, value)}
        />
      ))}
      <FieldList fields={first} values={request.body} change={setBody} />
      {more.length > 0 && (
        <details class="more">
          <summary>
            More options <span class="count">{used > 0 ? `${used} of ${more.length}` : more.length}</span>
          </summary>
          <FieldList fields={more} values={request.body} change={setBody} />
        </details>
      )}
    </div>
  );
}
