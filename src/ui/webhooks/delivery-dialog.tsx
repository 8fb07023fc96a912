import { useState } from "preact/hooks";
import { ask } from "../api/client.ts";
import type { ApiError } from "../api/client.ts";
import { toApiError, useLoaded } from "../api/use-loaded.ts";
import { Dialog } from "../parts/dialog.tsx";
import { Icon } from "../parts/icon.tsx";
import { ErrorNotice, Loading } from "../parts/notices.tsx";
import { ExchangeView } from "./exchange-view.tsx";
import type { Exchange } from "./webhook-types.ts";

/** A delivery with its request and answer, which can be replayed. */
export function DeliveryDialog({ id, close, replayed }: { id: string; close: () => void; replayed: () => void }) {
  const [latest, setLatest] = useState<Exchange>();
  const [error, setError] = useState<ApiError>();
  const [isBusy, setBusy] = useState(false);
  const loaded = useLoaded(
    (signal) => ask<{ data: Exchange }>(`/v2/team/webhooks/deliveries/${encodeURIComponent(id)}`, { signal }),
    [id],
  );
  const shown = latest ?? loaded.value?.data;
  const replay = async (): Promise<void> => {
    setBusy(true);
    setError(undefined);
    try {
      const path = `/v2/team/webhooks/deliveries/${encodeURIComponent(shown?.id ?? id)}/replay`;
      setLatest((await ask<{ data: Exchange }>(path, { method: "POST" })).data);
      replayed();
    } catch (failure) {
      setError(toApiError(failure));
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog title="Delivery" close={close} isWide>
      {loaded.error !== undefined && <ErrorNotice error={loaded.error} retry={loaded.reload} />}
      {shown === undefined && loaded.error === undefined && <Loading what="the delivery" />}
      {latest !== undefined && (
        <p role="status">The event was sent again with the same ID. This is the new delivery.</p>
      )}
      {shown !== undefined && <ExchangeView exchange={shown} />}
      {error !== undefined && <ErrorNotice error={error} />}
      {shown !== undefined && (
        <div class="row">
          <button
            type="button"
            class="button button-main"
            disabled={isBusy || !shown.canReplay}
            onClick={() => void replay()}
          >
            <Icon name="reload" /> {isBusy ? "Sending…" : "Replay"}
          </button>
          {!shown.canReplay && <p class="hint">The body was too long to be stored, so it cannot be sent again.</p>}
        </div>
      )}
    </Dialog>
  );
}
