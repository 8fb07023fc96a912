const url = new URL(location.href);

/** Path of the page, below which its resources are. */
export const BASE = url.pathname.replace(/\/$/, "");
/** Query with the page's token, which its resources need as well. */
export const QUERY = `?token=${encodeURIComponent(url.searchParams.get("token") || "")}`;
/** True for a page whose URL asks for control of the session. */
export const WANTS_TO_DRIVE = url.searchParams.get("interactive") === "true";
