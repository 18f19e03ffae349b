/** Members that promises and JSON probe for; reading any other undocumented member throws. */
const PROBED = new Set(['then', 'toJSON']);

/** Wraps the object so that reading a missing member throws: a stand-in must not hide a mistake. */
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
