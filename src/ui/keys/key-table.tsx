import { useState } from "preact/hooks";
import { ask } from "../api/client.ts";
import type { ApiError } from "../api/client.ts";
import { keys } from "../api/keys.ts";
import { toApiError } from "../api/use-loaded.ts";
import { toAgo, toCount, toDateTime, toWords } from "../parts/format.ts";
import { Dialog } from "../parts/dialog.tsx";
import { EmptyState, ErrorNotice } from "../parts/notices.tsx";
import type { KeyInfo } from "./key-types.ts";
import { stateOf } from "./key-types.ts";

const STATES = { active: ["Active", "good"], expired: ["Expired", "warn"], revoked: ["Revoked", "bad"] } as const;

/** All keys, active ones first. */
export function KeyTable({ list, reload }: { list: readonly KeyInfo[]; reload: () => void }) {
  const [revoking, setRevoking] = useState<KeyInfo>();
  if (list.length === 0) {
    return (
      <EmptyState icon="keys" title="No API keys yet">
        <p>Create a separate key for each application, so that you can limit and revoke them individually.</p>
      </EmptyState>
    );
  }
  const sorted = [...list].sort(
    (one, other) => Number(stateOf(one) !== "active") - Number(stateOf(other) !== "active"),
  );
  return (
    <section class="card" aria-label="Keys">
      <ul class="records">
        {sorted.map((key) => (
          <KeyRecord key={key.id} info={key} revoke={() => setRevoking(key)} />
        ))}
      </ul>
      {revoking !== undefined && (
        <RevokeDialog
          info={revoking}
          close={() => setRevoking(undefined)}
          done={() => {
            setRevoking(undefined);
            reload();
          }}
        />
      )}
    </section>
  );
}

function KeyRecord({ info, revoke }: { info: KeyInfo; revoke: () => void }) {
  const state = stateOf(info);
  const [label, tone] = STATES[state];
  return (
    <li class="key-record">
      <div class="key-head">
        <span class="record-name breaking">{info.name}</span> <code class="faint">{info.prefix}…</code>
        <span class={`chip-status ${tone}`}>{label}</span>
        {info.scopes.admin && <span class="chip-status busy">Admin</span>}
      </div>
      <p class="key-facts faint">{factsOf(info).join(" · ")}</p>
      {state === "active" && (
        <button type="button" class="button button-danger" aria-label={`Revoke ${info.name}`} onClick={revoke}>
          Revoke
        </button>
      )}
    </li>
  );
}

function factsOf({
  scopes,
  limits,
  monthlyCredits,
  maxConcurrency,
  createdAt,
  expiresAt,
  revokedAt,
}: KeyInfo): string[] {
  const modes = Object.entries(limits);
  return [
    scopes.endpoints === undefined
      ? "All endpoints"
      : `Endpoints: ${scopes.endpoints.map(toWords).join(", ").toLowerCase()}`,
    ...(scopes.formats === undefined ? [] : [`formats: ${scopes.formats.join(", ")}`]),
    monthlyCredits === null ? "default credit limit" : `${toCount(monthlyCredits)} credits per month`,
    ...(maxConcurrency === null ? [] : [`${maxConcurrency} concurrent ${maxConcurrency === 1 ? "job" : "jobs"}`]),
    ...modes.map(([mode, limit]) => `${mode}: ${toCount(limit)} per minute`),
    `created ${toAgo(createdAt)}`,
    ...(revokedAt === null ? [] : [`revoked ${toAgo(revokedAt)}`]),
    ...(expiresAt === null || revokedAt !== null ? [] : [`expires ${toDateTime(expiresAt)}`]),
  ];
}

function isOwn({ prefix }: KeyInfo): boolean {
  const current = keys.get();
  return [current?.key, current?.adminKey].some((key) => key?.startsWith(prefix) === true);
}

function RevokeDialog({ info, close, done }: { info: KeyInfo; close: () => void; done: () => void }) {
  const [error, setError] = useState<ApiError>();
  const revoke = async (): Promise<void> => {
    try {
      await ask(`/v2/team/keys/${info.id}`, { method: "DELETE", as: "admin" });
      done();
    } catch (failure) {
      setError(toApiError(failure));
    }
  };
  return (
    <Dialog title={`Revoke ${info.name}?`} close={close}>
      {isOwn(info) && (
        <p class="notice-text">You are signed in with this key. After you revoke it, sign in with another key.</p>
      )}
      <p>Requests with this key are rejected within 30 seconds. This cannot be undone.</p>
      {error !== undefined && <ErrorNotice error={error} />}
      <div class="row">
        <button type="button" class="button button-danger" onClick={() => void revoke()}>
          Revoke key
        </button>
        <button type="button" class="button" onClick={close}>
          Cancel
        </button>
      </div>
    </Dialog>
  );
}
