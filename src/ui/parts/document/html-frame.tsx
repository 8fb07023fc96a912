import { useLoaded } from "../../api/use-loaded.ts";
import { ErrorNotice, Loading } from "../notices.tsx";

/** A page's HTML in a sandboxed frame without scripts, forms, navigation or requests. */
export function HtmlFrame({ html }: { html: string }) {
  const {
    value: page,
    error,
    reload,
  } = useLoaded(async () => (await import("./frame-page.ts")).framePage(html), [html]);
  if (error !== undefined) return <ErrorNotice error={error} retry={reload} />;
  if (page === undefined) return <Loading what="the page" />;
  return (
    <>
      <iframe class="html-frame" sandbox="" srcdoc={page} title="Page HTML without scripts, styles and images" />
      <p class="hint">Scripts, styles and images are removed. Nothing is loaded from the page's site.</p>
    </>
  );
}
