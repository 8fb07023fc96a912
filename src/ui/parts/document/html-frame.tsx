import { useEffect, useState } from "preact/hooks";
import { Loading } from "../notices.tsx";

/** A page's HTML in a sandboxed frame without scripts, forms, navigation or requests. */
export function HtmlFrame({ html }: { html: string }) {
  const [page, setPage] = useState<string>();
  useEffect(() => {
    let isWanted = true;
    void import("./frame-page.ts").then(({ framePage }) => {
      if (isWanted) setPage(framePage(html));
    });
    return () => {
      isWanted = false;
    };
  }, [html]);
  if (page === undefined) return <Loading what="the page" />;
  return (
    <>
      <iframe class="html-frame" sandbox="" srcdoc={page} title="Page HTML without scripts, styles and images" />
      <p class="hint">Scripts, styles and images are removed. Nothing is loaded from the page's site.</p>
    </>
  );
}
