import type { PageView } from "../../content/page-view.ts";
import type { FormatContext } from "../format.ts";
import type { PageText } from "./page-question.ts";

/** Returns the text of a page for models and passages: the output of the `markdown` format. */
export function pageTextOf(
  page: PageView,
  { removeBase64Images }: Pick<FormatContext, "removeBase64Images">,
): PageText {
  const title = page.metadata()["title"];
  return {
    url: page.loaded.url,
    title: typeof title === "string" ? title : "",
    text: page.markdown({ removeBase64Images }),
    budget: page.budget,
  };
}
