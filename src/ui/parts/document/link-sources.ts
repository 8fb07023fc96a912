/** Makes `[1]` a link to the first source, and so on. The sources are URLs, in which only signs of Markdown are encoded. */
export function linkSources(markdown: string, sources: readonly string[]): string {
  return markdown.replaceAll(/\[(\d{1,3})\](?![([:])/g, (all, number: string) => {
    const url = sources[Number(number) - 1];
    if (url === undefined) return all;
    return `[\\[${number}\\]](<${url.replaceAll(/[<>\\\s]/g, (sign) => encodeURIComponent(sign))}>)`;
  });
}
