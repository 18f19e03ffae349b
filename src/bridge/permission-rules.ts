import { matchesWildcard } from './wildcard';

/** A permission as it stands in OpenCode's configuration: an action, or rules by pattern. */
export type Rules = string | Readonly<Record<string, unknown>>;
/** By permission name, or one action for everything. */
export type PermissionConfig = string | Readonly<Record<string, Rules>>;

export interface Rule {
  readonly permission: string;
  readonly pattern: string;
  readonly action: string;
}

/** The rules in the order in which they count: the last match wins. */
export function flattenRules(permission: PermissionConfig | undefined): Rule[] {
  return Object.entries(asRules(permission)).flatMap(([name, rules]) =>
    typeof rules === 'string'
      ? [{ permission: name, pattern: '*', action: rules }]
      : Object.entries(rules).map(([pattern, action]) => ({
          permission: name,
          pattern,
          action: String(action),
        })),
  );
}

export function asRules(permission: PermissionConfig | undefined): Readonly<Record<string, Rules>> {
  return typeof permission === 'string' ? { '*': permission } : (permission ?? {});
}

/** Whether the user says anything of just that permission, as OpenCode asks it of `todowrite`. */
export function namesPermission(permission: PermissionConfig | undefined, name: string): boolean {
  return typeof permission === 'object' && name in permission;
}

/** Whether OpenCode doesn't even show a tool: the last rule for it denies it whatever it is for. */
export function isHidden(rules: readonly Rule[], tool: string): boolean {
  const rule = rules.findLast(({ permission }) => matchesWildcard(tool, permission));
  return rule?.pattern === '*' && rule.action === 'deny';
}
