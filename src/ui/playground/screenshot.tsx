/** Only pictures of this service are shown: the page's policy lets nothing else load. */
export function Screenshot({ url, of }: { url: string; of: string | undefined }) {
  const isOwn = url.startsWith("data:image/") || (URL.canParse(url) && new URL(url).origin === location.origin);
  const link = (
    <a href={url} target="_blank" rel="noopener noreferrer">
      Open the picture
    </a>
  );
  if (!isOwn) return <p>The picture is kept at another address. {link}</p>;
  return (
    <figure class="screenshot">
      <img src={url} alt={`Screenshot of ${of ?? "the page"}`} />
      <figcaption>{link}</figcaption>
    </figure>
  );
}
