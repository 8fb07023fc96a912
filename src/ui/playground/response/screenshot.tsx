/** Shows an image of this service. Others are linked, because the dashboard's policy blocks them. */
export function Screenshot({ url, of }: { url: string; of: string | undefined }) {
  const isOwn = url.startsWith("data:image/") || (URL.canParse(url) && new URL(url).origin === location.origin);
  const link = (
    <a href={url} target="_blank" rel="noopener noreferrer">
      Open image
    </a>
  );
  if (!isOwn) return <p>The image is on another origin. {link}</p>;
  return (
    <figure class="screenshot">
      <img src={url} alt={`Screenshot of ${of ?? "the page"}`} />
      <figcaption>{link}</figcaption>
    </figure>
  );
}
