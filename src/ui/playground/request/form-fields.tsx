import type { Operation } from "../../api/openapi.ts";
import { FieldControl, FieldList } from "./controls/field-control.tsx";
import { PARAMETERS } from "./field-path.ts";
import { fieldsOf, toField } from "./fields.ts";
import { splitFields } from "./first-fields.ts";
import { PathContext } from "./form-state.ts";
import { MoreOptions } from "./more-options.tsx";
import type { PlaygroundRequest } from "./request.ts";

interface FieldsProps {
  operation: Operation;
  request: PlaygroundRequest;
  change: (request: PlaygroundRequest) => void;
}

/** The parameters and fields of a request. */
export function FormFields({ operation, request, change }: FieldsProps) {
  const fields = operation.body === undefined ? [] : fieldsOf(operation.body.schema);
  const { first, more, old } = splitFields(operation, fields);
  const setBody = (body: PlaygroundRequest["body"]): void => change({ ...request, body });
  const setParameter = (name: string, value: unknown): void =>
    change({ ...request, parameters: { ...request.parameters, [name]: value === undefined ? "" : String(value) } });
  if (fields.length === 0 && operation.parameters.length === 0) {
    return <p class="faint">This endpoint has no parameters.</p>;
  }
  return (
    <div class="fields">
      <PathContext.Provider value={PARAMETERS}>
        {operation.parameters.map((parameter) => (
          <FieldControl
            key={parameter.name}
            field={toField(parameter.name, parameter.schema, parameter.required)}
            value={request.parameters[parameter.name]}
            change={(value) => setParameter(parameter.name, value)}
          />
        ))}
      </PathContext.Provider>
      <FieldList fields={first} values={request.body} change={setBody} />
      <MoreOptions fields={more} old={old} values={request.body} change={setBody} />
    </div>
  );
}
