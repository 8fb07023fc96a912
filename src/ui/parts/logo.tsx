import mark from "../favicon.svg";

/** The logo: an orb web of four threads and two rings. `index.html` shows the same while the script loads. */
export function Logo() {
  return (
    <span class="logo">
      <img src={mark} alt="" width="28" height="28" />
      <span>Orbweaver</span>
    </span>
  );
}
