import { options, type VNode } from "preact";

/** Where a link may lead: a view, a path of the service, a web page, a mail program, and a file that the dashboard made. */
const FOLLOWED = /^(?:[#/?]|https?:|mailto:|blob:)/i;

/**
 * Leaves out the address of every link that would run a script. Addresses come from responses, and these from pages: the
 * policy of the dashboard stops such scripts as well, but not the user who copies the address.
 */
export function guardLinks(): void {
  const before = options.vnode;
  options.vnode = (node: VNode) => {
    if (node.type === "a") {
      const props = node.props as { href?: unknown };
      if (typeof props.href === "string" && !FOLLOWED.test(props.href)) delete props.href;
    }
    before?.(node);
  };
}
