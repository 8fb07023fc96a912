import { Icon } from "../parts/icon.tsx";
import { nameOf, onOwnOrigin } from "./session-types.ts";
import type { Session } from "./session-types.ts";

/** A small live view without focus and input. */
export function LiveThumbnail({ session, isLive }: { session: Session; isLive: boolean }) {
  return (
    <span class="thumbnail">
      {isLive && session.streamWebView ? (
        <iframe
          src={onOwnOrigin(session.liveViewUrl)}
          title={`Live preview of ${nameOf(session)}`}
          sandbox="allow-scripts allow-same-origin"
          loading="lazy"
          tabIndex={-1}
          inert
        />
      ) : (
        <Icon name="sessions" />
      )}
    </span>
  );
}
