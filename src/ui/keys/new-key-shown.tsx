import { CopyButton } from "../parts/copy-button.tsx";
import { Dialog } from "../parts/dialog.tsx";
import type { CreatedKey } from "./key-types.ts";

/** The one time that a key is shown. */
export function NewKeyShown({ created, close }: { created: CreatedKey; close: () => void }) {
  return (
    <Dialog title={`The key ${created.name}`} close={close}>
      <p>Copy it now: it is shown this once, and the service keeps only its hash.</p>
      <p class="key-text">
        <code>{created.key}</code>
      </p>
      <div class="row">
        <CopyButton text={created.key} label="Copy the key" />
        <button type="button" class="button" onClick={close}>
          Done
        </button>
      </div>
    </Dialog>
  );
}
