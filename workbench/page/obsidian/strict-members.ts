/** Undocumented members that plugins probe for are refused aloud, except what promises and JSON ask. */
const PROBED = new Set(['then', 'toJSON']);

/** The object, but reading a member that it does not have throws: a stand-in must not hide a slip. */
export function strictMembers<T extends object>(name: string, value: T): T {
  return new Proxy(value, {
    get(target, member, receiver): unknown {
      if (member in target || typeof member === 'symbol' || PROBED.has(member)) {
        return Reflect.get(target, member, receiver);
      }
      throw new Error(`"${member}" is no public member of ${name}`);
    },
  });
}
