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

/** Keys that work first; those that ended stay for the record. */
export function KeyTable({ list, reload }: { list: readonly KeyInfo[]; reload: () => void }) {
  const [revoking, setRevoking] = useState<KeyInfo>();
  if (list.length === 0) {
    return (
      <EmptyState icon="keys" title="No keys yet">
        <p>Create one for each program that uses this service, so that each can be limited and revoked by itself.</p>
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
      ? "every endpoint"
      : `only ${scopes.endpoints.map(toWords).join(", ").toLowerCase()}`,
    ...(scopes.formats === undefined ? [] : [`only the formats ${scopes.formats.join(", ")}`]),
    monthlyCredits === null ? "the service's own limit of credits" : `${toCount(monthlyCredits)} credits a month`,
    ...(maxConcurrency === null ? [] : [`${maxConcurrency} jobs at a time`]),
    ...modes.map(([mode, limit]) => `${mode} ${toCount(limit)} a minute`),
    `made ${toAgo(createdAt)}`,
    ...(revokedAt === null ? [] : [`revoked ${toAgo(revokedAt)}`]),
    ...(expiresAt === null || revokedAt !== null ? [] : [`until ${toDateTime(expiresAt)}`]),
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
        <p class="notice-text">You are signed in with this key: the dashboard will ask for another one.</p>
      )}
      <p>Programs that use it are refused within 30 seconds. This cannot be undone.</p>
      {error !== undefined && <ErrorNotice error={error} />}
      <div class="row">
        <button type="button" class="button button-danger" onClick={() => void revoke()}>
          Revoke the key
        </button>
        <button type="button" class="button" onClick={close}>
          Keep it
        </button>
      </div>
    </Dialog>
  );
}
