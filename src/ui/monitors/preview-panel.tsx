import { useState } from "preact/hooks";
import { ask } from "../api/client.ts";
import type { ApiError } from "../api/client.ts";
import { toApiError } from "../api/use-loaded.ts";
import { CodeBlock } from "../parts/document/code-block.tsx";
import { Icon } from "../parts/icon.tsx";
import { ErrorNotice, Loading, WarningNotice } from "../parts/notices.tsx";
import { Tabs } from "../parts/tabs.tsx";
import { toText } from "./changed-fields.ts";
import type { WatchedOptions } from "./monitor-types.ts";
import type { Rules } from "./rule-changes.ts";
import { RegionPicker } from "./region-picker.tsx";
import { REGIONS_SCRIPT } from "./regions-script.ts";
import { readRegions } from "./regions.ts";
import type { PageRegions } from "./regions.ts";

interface Preview {
  text: string;
  fields: Record<string, unknown> | undefined;
  picture: string | undefined;
  regions: PageRegions | undefined;
  warning: string | undefined;
  /** The options that it was made with, as JSON. */
  madeWith: string;
}

interface PreviewProps {
  url: string | undefined;
  options: WatchedOptions | undefined;
  rules: Rules;
  change: (change: Partial<Rules>) => void;
  /** True to show the values of the compared fields. */
  isFields: boolean;
}

interface PreviewDocument {
  markdown?: string;
  screenshot?: string;
  json?: Record<string, unknown>;
  warning?: string;
  actions?: { javascriptReturns?: { value: unknown }[] };
}

/** Shows what a check would see: the compared text and fields, and the page's picture with its regions. */
export function PreviewPanel({ url, options, rules, change, isFields }: PreviewProps) {
  const [preview, setPreview] = useState<Preview>();
  const [error, setError] = useState<ApiError>();
  const [isBusy, setBusy] = useState(false);
  const [tab, setTab] = useState("picture");
  const wanted = JSON.stringify([url, options ?? {}]);
  const load = async (): Promise<void> => {
    if (url === undefined) return;
    setBusy(true);
    setError(undefined);
    try {
      setPreview({ ...(await previewOf(url, options)), madeWith: wanted });
    } catch (failure) {
      setError(toApiError(failure));
    } finally {
      setBusy(false);
    }
  };
  return (
    <section class="card stack preview" aria-label="Preview">
      <div class="row spread">
        <h2>Preview of a check</h2>
        <button type="button" class="button" disabled={isBusy || url === undefined} onClick={() => void load()}>
          <Icon name={preview === undefined ? "playground" : "reload"} />{" "}
          {preview === undefined ? "Preview" : "Refresh"}
        </button>
      </div>
      {error !== undefined && <ErrorNotice error={error} retry={() => void load()} />}
      {isBusy && <Loading what="the page" />}
      {preview === undefined && !isBusy && error === undefined && (
        <p class="faint">
          The preview scrapes the first page as a check does. Point at the picture to ignore a part that changes all the
          time, or to compare one part only.
        </p>
      )}
      {preview !== undefined && preview.madeWith !== wanted && (
        <WarningNotice>The form has changed since this preview. Refresh it to see the effect.</WarningNotice>
      )}
      {preview?.warning !== undefined && <WarningNotice>{preview.warning}</WarningNotice>}
      {preview !== undefined && (
        <Tabs
          label="Preview"
          chosen={tab}
          choose={setTab}
          tabs={[
            { name: "picture", label: "Picture" },
            { name: "text", label: "Compared text" },
            ...(isFields ? [{ name: "fields", label: "Fields" }] : []),
          ]}
        >
          <Shown preview={preview} tab={tab} rules={rules} change={change} />
        </Tabs>
      )}
    </section>
  );
}

function Shown({
  preview,
  tab,
  rules,
  change,
}: { preview: Preview; tab: string } & Pick<PreviewProps, "rules" | "change">) {
  if (tab === "text") return <CodeBlock label="Compared text" text={preview.text} />;
  if (tab === "fields") return <FieldValues fields={preview.fields ?? {}} />;
  if (preview.picture === undefined || preview.regions === undefined)
    return <p class="faint">The page has no picture: it is not an HTML page, or the service has no browser.</p>;
  return <RegionPicker picture={preview.picture} page={preview.regions} rules={rules} change={change} />;
}

function FieldValues({ fields }: { fields: Record<string, unknown> }) {
  return (
    <dl class="facts">
      {Object.entries(fields).map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{toText(value) === "" ? "not found" : toText(value)}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Scrapes the page as a check does, with a picture and the places of its elements in addition. */
async function previewOf(url: string, options: WatchedOptions = {}): Promise<Omit<Preview, "madeWith">> {
  const { formats = [], ...others } = options;
  const tracking = formats.find((format) => typeof format === "object" && format.type === "changeTracking");
  const { schema, prompt } = (typeof tracking === "object" ? tracking : {}) as { schema?: unknown; prompt?: unknown };
  const hasFields = schema !== undefined || prompt !== undefined;
  const { data } = await ask<{ data: PreviewDocument }>("/v2/scrape", {
    body: {
      url,
      ...others,
      formats: [
        "markdown",
        { type: "screenshot", fullPage: true },
        ...(hasFields ? [{ type: "json", schema, prompt }] : []),
      ],
      actions: [...actionsOf(others), { type: "executeJavascript", script: REGIONS_SCRIPT }],
      maxAge: 0,
    },
  });
  const picture = data.screenshot === undefined ? undefined : pathOf(data.screenshot);
  const regions = readRegions(data.actions?.javascriptReturns?.at(-1)?.value);
  return { text: data.markdown ?? "", fields: data.json, picture, regions, warning: data.warning };
}

function actionsOf({ actions }: Record<string, unknown>): unknown[] {
  return Array.isArray(actions) ? actions : [];
}

/** Returns the URL of a file as a path: the dashboard's policy allows its own origin only. */
function pathOf(url: string): string {
  const { pathname, search } = new URL(url, location.href);
  return `${pathname}${search}`;
}
