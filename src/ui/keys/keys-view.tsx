import { useState } from "preact/hooks";
import { ask } from "../api/client.ts";
import { keys } from "../api/keys.ts";
import { useLoaded } from "../api/use-loaded.ts";
import { Icon } from "../parts/icon.tsx";
import { ErrorNotice, Loading } from "../parts/notices.tsx";
import { GuideLink, PageHead } from "../parts/page-head.tsx";
import { useStore } from "../parts/store.ts";
import { AdminSignIn } from "./admin-sign-in.tsx";
import { CreateKey } from "./create-key.tsx";
import { KeyTable } from "./key-table.tsx";
import type { CreatedKey, KeyInfo } from "./key-types.ts";
import { NewKeyShown } from "./new-key-shown.tsx";

/** All keys of the service with their permissions, limits and expiry. */
export function KeysView() {
  const signedIn = useStore(keys);
  const { value, error, reload } = useLoaded(
    (signal) => ask<{ data: KeyInfo[] }>("/v2/team/keys", { as: "admin", signal }),
    [signedIn?.adminKey],
  );
  const [isCreating, setCreating] = useState(false);
  const [created, setCreated] = useState<CreatedKey>();
  const isRefused = error?.status === 403 || error?.status === 401;
  return (
    <>
      <PageHead title="Keys" lead="API keys with their permissions, limits and expiry.">
        <GuideLink of="keys-and-usage" />
        {value !== undefined && (
          <button type="button" class="button button-main" onClick={() => setCreating(true)}>
            <Icon name="plus" /> Create key
          </button>
        )}
      </PageHead>
      {isRefused && <AdminSignIn key={signedIn?.adminKey} hasTried={signedIn?.adminKey !== undefined} />}
      {error !== undefined && !isRefused && <ErrorNotice error={error} retry={reload} />}
      {value === undefined && error === undefined && <Loading what="keys" />}
      {value !== undefined && !isRefused && <KeyTable list={value.data} reload={reload} />}
      {isCreating && (
        <CreateKey
          close={() => setCreating(false)}
          done={(next) => {
            setCreating(false);
            setCreated(next);
            reload();
          }}
        />
      )}
      {created !== undefined && <NewKeyShown created={created} close={() => setCreated(undefined)} />}
    </>
  );
}
