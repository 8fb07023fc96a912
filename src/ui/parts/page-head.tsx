import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";

/** The heading of a view. Also sets the title of the browser tab. */
export function PageHead(about: { title: string; lead?: string; children?: ComponentChildren }) {
  const { title, lead, children } = about;
  useEffect(() => {
    document.title = `${title} · Orbweaver`;
  }, [title]);
  return (
    <header class="page-head">
      <div>
        <h1 tabIndex={-1}>{title}</h1>
        {lead !== undefined && <p class="lead">{lead}</p>}
      </div>
      {children !== undefined && <div class="page-actions">{children}</div>}
    </header>
  );
}

/** Opens a guide, by the name of its document, in a new tab. */
export function GuideLink({ of }: { of: string }) {
  return (
    <a class="button" href={`/docs/${of}`} target="_blank">
      Guide
    </a>
  );
}
