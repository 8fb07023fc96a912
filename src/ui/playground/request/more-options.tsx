import { useState } from "preact/hooks";
import { toWords } from "../../parts/format.ts";
import type { FieldListProps } from "./controls/control-props.ts";
import { FieldList } from "./controls/field-control.tsx";
import type { Field } from "./fields.ts";
import { findOptions, groupOptions } from "./option-groups.ts";

/** Number of options up to which they are listed without groups and search. */
const MAX_UNGROUPED = 6;

interface MoreProps extends FieldListProps {
  /** Options that exist for old clients only. */
  old: readonly Field[];
}

/** The options of a form that are not shown first: by purpose, searchable, those for old clients folded away. */
export function MoreOptions({ fields, old, values, change }: MoreProps) {
  const [query, setQuery] = useState("");
  const used = [...fields, ...old].filter(({ name }) => values[name] !== undefined).length;
  if (fields.length === 0 && old.length === 0) return null;
  return (
    <details class="more">
      <summary>
        More options <span class="count">{used > 0 ? `${used} of ${fields.length}` : fields.length}</span>
      </summary>
      <div class="options">
        {fields.length > MAX_UNGROUPED && (
          <input
            type="search"
            aria-label="Find an option"
            placeholder="Find an option by name or description"
            value={query}
            onInput={(event) => setQuery(event.currentTarget.value)}
          />
        )}
        {query.trim() === "" ? (
          <Groups fields={fields} old={old} values={values} change={change} />
        ) : (
          <Found fields={findOptions([...fields, ...old], query)} values={values} change={change} />
        )}
      </div>
    </details>
  );
}

function Found(about: FieldListProps) {
  if (about.fields.length === 0) return <p class="faint">No option matches.</p>;
  return <FieldList {...about} />;
}

function Groups({ fields, old, values, change }: MoreProps) {
  const list = (some: readonly Field[]) => <FieldList fields={some} values={values} change={change} />;
  return (
    <>
      {fields.length <= MAX_UNGROUPED
        ? fields.length > 0 && list(fields)
        : groupOptions(fields).map((group) => (
            <details key={group.title} class="group">
              <summary>
                {group.title} <Used fields={group.fields} values={values} />
                <span class="option-names">{group.fields.map(({ name }) => toWords(name)).join(", ")}</span>
              </summary>
              {list(group.fields)}
            </details>
          ))}
      {old.length > 0 && (
        <details class="group">
          <summary>
            For old clients <Used fields={old} values={values} />
            <span class="option-names">Other names, and options without effect</span>
          </summary>
          {list(old)}
        </details>
      )}
    </>
  );
}

function Used({ fields, values }: Pick<FieldListProps, "fields" | "values">) {
  const used = fields.filter(({ name }) => values[name] !== undefined).length;
  return <span class="count">{used > 0 ? `${used} of ${fields.length}` : fields.length}</span>;
}
