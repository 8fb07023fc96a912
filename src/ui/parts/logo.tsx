/** The logo: an orb web of four threads and two rings. */
export function Logo() {
  return (
    <span class="logo">
      <svg viewBox="0 0 32 32" aria-hidden="true" focusable="false">
        <rect width="32" height="32" rx="8" />
        <path d="M16 4v24M4 16h24M7.5 7.5l17 17M24.5 7.5l-17 17" />
        <path d="M16 10.5 19.9 12.1 21.5 16 19.9 19.9 16 21.5 12.1 19.9 10.5 16 12.1 12.1Z" />
        <path d="M16 6.5 22.7 9.3 25.5 16 22.7 22.7 16 25.5 9.3 22.7 6.5 16 9.3 9.3Z" />
      </svg>
      <span>Orbweaver</span>
    </span>
  );
}
