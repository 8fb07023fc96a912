import { LinesField } from "../parts/form/form-fields.tsx";
import type { Rules } from "./rule-changes.ts";

/** The noise rules as text. The preview changes them by pointing at the page. */
export function NoiseRules({ rules, change }: { rules: Rules; change: (change: Partial<Rules>) => void }) {
  return (
    <>
      <LinesField
        id="monitor-excludeTags"
        label="Ignore these parts"
        hint="CSS selectors, one per line. Select them in the picture of the preview."
        placeholder=".advertisement"
        value={rules.excludeTags}
        change={(excludeTags) => change({ excludeTags })}
      />
      <LinesField
        id="monitor-includeTags"
        label="Compare only these parts"
        hint="CSS selectors, one per line. Default: the main content of the page."
        placeholder="#price"
        value={rules.includeTags}
        change={(includeTags) => change({ includeTags })}
      />
    </>
  );
}
