import { CopyButton } from "../parts/copy-button.tsx";
import { Dialog } from "../parts/dialog.tsx";
import type { CreatedKey } from "./key-types.ts";

/** Shows a new key. The service does not return it again. */
export function NewKeyShown({ created, close }: { created: CreatedKey; close: () => void }) {
  return (
    <Dialog title={`Key created: ${created.name}`} close={close}>
      <p>Copy this key now. It is not shown again, because the service stores only its hash.</p>
      <p class="key-text">
        <code>{created.key}</code>
      </p>
      <div class="row">
        <CopyButton text={created.key} label="Copy key" />
        <button type="button" class="button" onClick={close}>
          Done
        </button>
      </div>
    </Dialog>
  );
}
