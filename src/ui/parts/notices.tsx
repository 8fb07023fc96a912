import type { ComponentChildren } from "preact";
import type { ApiError } from "../api/client.ts";
import { Icon } from "./icon.tsx";
import type { IconName } from "./icon.tsx";

/** Returns advice for errors whose message has none. */
function adviceFor({ status, code }: ApiError): string | undefined {
  if (status === 401) return "Sign out, then sign in with a valid API key.";
  if (status === 403) return "This key does not have permission. Use another key or the admin key.";
  if (status === 402) return "Increase the key's monthly credits under Keys, or wait until next month.";
  if (status === 429) return "Wait a moment, then try again.";
  if (status === 501) return "This feature is not available on this service.";
  if (code === "SCRAPE_DNS_RESOLUTION_ERROR") return "Check the URL for typos.";
  return undefined;
}

/** An error message with advice, error code and HTTP status. */
export function ErrorNotice({ error, retry }: { error: ApiError; retry?: (() => void) | undefined }) {
  const advice = adviceFor(error);
  const code = [error.code, error.status === 0 ? undefined : `HTTP ${error.status}`].filter(Boolean).join(", ");
  return (
    <div class="notice notice-error" role="alert">
      <Icon name="warning" />
      <div>
        <p class="notice-text">{error.message}</p>
        {advice !== undefined && <p>{advice}</p>}
        {code !== "" && (
          <p class="faint">
            <code>{code}</code>
          </p>
        )}
        {retry !== undefined && (
          <button type="button" class="button" onClick={retry}>
            Try again
          </button>
        )}
      </div>
    </div>
  );
}

export function WarningNotice({ children }: { children: ComponentChildren }) {
  return (
    <div class="notice notice-warning" role="status">
      <Icon name="warning" />
      <div>{children}</div>
    </div>
  );
}

/** A placeholder for an empty view, with the next step. */
export function EmptyState(about: { icon: IconName; title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <span class="empty-icon">
        <Icon name={about.icon} />
      </span>
      <h2>{about.title}</h2>
      {about.children}
    </div>
  );
}

export function Loading({ what }: { what: string }) {
  return (
    <p class="loading" role="status">
      <span class="spinner" aria-hidden="true" /> Loading {what}…
    </p>
  );
}
