import { readPermissions, type Permissions } from './permissions';

/** Whether two sets of permissions say the same, in the same order. */
export function samePermissions(one: Permissions, other: Permissions): boolean {
  return canonical(one) === canonical(other);
}

/** Read anew, so that fields stand in one order and what is undefined is left out. */
function canonical(permissions: Permissions): string {
  return JSON.stringify(readPermissions(JSON.parse(JSON.stringify(permissions))));
}
