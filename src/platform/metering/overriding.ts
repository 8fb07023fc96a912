/** Returns `target` with some of its members replaced. The other methods run on `target` itself, as the platform requires. */
export function overriding<Target extends object>(target: Target, members: Partial<Target>): Target {
  return new Proxy(target, {
    get(original, name) {
      if (Object.hasOwn(members, name)) return Reflect.get(members, name);
      const member: unknown = Reflect.get(original, name);
      return typeof member === "function" ? member.bind(original) : member;
    },
  });
}
