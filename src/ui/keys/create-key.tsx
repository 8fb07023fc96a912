import { useState } from "preact/hooks";
import { ask } from "../api/client.ts";
import type { ApiError } from "../api/client.ts";
import { toApiError } from "../api/use-loaded.ts";
import { toWords } from "../parts/format.ts";
import { Dialog } from "../parts/dialog.tsx";
import { ErrorNotice } from "../parts/notices.tsx";
import type { CreatedKey } from "./key-types.ts";
import { ENDPOINTS, EXPIRIES, MODES, bodyOf, emptyForm } from "./key-form.ts";
import type { KeyForm } from "./key-form.ts";

/** The form for a new key. Only the name is required. */
export function CreateKey({ close, done }: { close: () => void; done: (created: CreatedKey) => void }) {
  const [form, setForm] = useState<KeyForm>(emptyForm);
  const [error, setError] = useState<ApiError>();
  const [isBusy, setBusy] = useState(false);
  const set = (change: Partial<KeyForm>): void => setForm((earlier) => ({ ...earlier, ...change }));
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    setError(undefined);
    try {
      const { data } = await ask<{ data: CreatedKey }>("/v2/team/keys", {
        as: "admin",
        body: bodyOf(form, Date.now()),
      });
      done(data);
    } catch (failure) {
      setError(toApiError(failure));
      setBusy(false);
    }
  };
  const toggle = (endpoint: string): void => {
    const isIn = form.endpoints.includes(endpoint);
    set({ endpoints: isIn ? form.endpoints.filter((one) => one !== endpoint) : [...form.endpoints, endpoint] });
  };
  return (
    <Dialog title="Create key" close={close}>
      <form class="fields" onSubmit={(event) => void submit(event)}>
        <TextField
          label="Name"
          hint="For example: nightly crawl."
          value={form.name}
          isRequired
          change={(name) => set({ name })}
        />
        <div class="field">
          <label for="key-expiry">Expires</label>
          <select id="key-expiry" value={form.expiry} onChange={(event) => set({ expiry: event.currentTarget.value })}>
            {EXPIRIES.map(([name, label]) => (
              <option key={name} value={name}>
                {label}
              </option>
            ))}
          </select>
        </div>
        <TextField
          label="Monthly credits"
          hint="Leave empty to use the service's default."
          type="number"
          value={form.monthlyCredits}
          change={(monthlyCredits) => set({ monthlyCredits })}
        />
        <fieldset class="field">
          <legend>Endpoints</legend>
          <p class="hint">Select none to allow all endpoints.</p>
          <div class="chips">
            {ENDPOINTS.map((endpoint) => (
              <button
                key={endpoint}
                type="button"
                class="chip"
                aria-pressed={form.endpoints.includes(endpoint)}
                onClick={() => toggle(endpoint)}
              >
                {toWords(endpoint)}
              </button>
            ))}
          </div>
        </fieldset>
        <details class="more">
          <summary>More limits</summary>
          <div class="fields">
            <TextField
              label="Formats"
              hint="Comma-separated. Leave empty to allow all formats."
              value={form.formats}
              change={(formats) => set({ formats })}
            />
            <TextField
              label="Concurrent jobs"
              type="number"
              value={form.maxConcurrency}
              change={(maxConcurrency) => set({ maxConcurrency })}
            />
            <fieldset class="field">
              <legend>Requests per minute</legend>
              <div class="limit-grid">
                {MODES.map((mode) => (
                  <TextField
                    key={mode}
                    label={toWords(mode)}
                    type="number"
                    value={form.limits[mode] ?? ""}
                    change={(limit) => set({ limits: { ...form.limits, [mode]: limit } })}
                  />
                ))}
              </div>
            </fieldset>
            <label class="check">
              <input
                type="checkbox"
                checked={form.isAdmin}
                onChange={(event) => set({ isAdmin: event.currentTarget.checked })}
              />
              Can manage keys
            </label>
          </div>
        </details>
        {error !== undefined && <ErrorNotice error={error} />}
        <button type="submit" class="button button-main" disabled={isBusy || form.name.trim() === ""}>
          Create
        </button>
      </form>
    </Dialog>
  );
}

interface TextFieldProps {
  label: string;
  hint?: string;
  type?: "text" | "number";
  value: string;
  isRequired?: boolean;
  change: (value: string) => void;
}

function TextField({ label, hint, type = "text", value, isRequired = false, change }: TextFieldProps) {
  const id = `key-${label.toLowerCase().replaceAll(" ", "-")}`;
  const about = type === "number" ? ({ type, min: 0 } as const) : ({ type } as const);
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        {...about}
        required={isRequired}
        value={value}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        onInput={(event) => change(event.currentTarget.value)}
      />
      {hint !== undefined && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  );
}
