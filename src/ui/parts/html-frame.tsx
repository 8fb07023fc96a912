import { useEffect, useState } from "preact/hooks";
import { Loading } from "./notices.tsx";

/** A page's HTML in a frame that may do nothing: no script, no form, no navigation, no request to anywhere. */
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
      <iframe
        class="html-frame"
        sandbox=""
        srcdoc={page}
        title="The page's HTML, without scripts, styles and pictures"
      />
      <p class="hint">Shown without scripts, styles and pictures: nothing is loaded from the page's site.</p>
    </>
  );
}
