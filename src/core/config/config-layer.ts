import type { KeyPath, Located } from './config-problem';
import type { Config, PermissionConfig } from './config-schema';

/** The configuration in one file. Later layers override earlier ones. */
export interface Layer extends Located {
  readonly file: string;
  readonly config: Config;
  /**
   * whether OpenCode refuses some of its values: then the file isn't used, and the rest of it is
   * only checked
   */
  readonly isRefused?: boolean;
  /** files inserted for `{file:…}`, by the path of the text that contains it */
  readonly included: ReadonlyMap<string, string>;
}

/** Rules by permission and possibly by pattern. The last match applies. */
export type Rules = Exclude<PermissionConfig, string>;

/** OpenCode's built-in agents. `denies`: whatever is not allowed is denied. */
export const BUILT_IN_AGENTS: ReadonlyMap<
  string,
  { readonly mode: 'primary' | 'subagent'; readonly hidden: boolean; readonly denies: boolean }
> = new Map([
  ['build', { mode: 'primary', hidden: false, denies: false }],
  ['plan', { mode: 'primary', hidden: false, denies: false }],
  ['general', { mode: 'subagent', hidden: false, denies: false }],
  ['explore', { mode: 'subagent', hidden: false, denies: true }],
  ['compaction', { mode: 'primary', hidden: true, denies: true }],
  ['title', { mode: 'primary', hidden: true, denies: true }],
  ['summary', { mode: 'primary', hidden: true, denies: true }],
]);

/** The permission that a call of a tool needs. */
export function permissionOf(tool: string): string {
  return ['write', 'edit', 'patch'].includes(tool) ? 'edit' : tool;
}

/** The last layer with a value at this path. */
export function originOf(layers: readonly Layer[], path: KeyPath): Layer | undefined {
  return layers.findLast(({ config }) => valueIn(config, path) !== undefined);
}

export function valueIn(value: unknown, path: KeyPath): unknown {
  return path.reduce<unknown>(
    (inner, key) =>
      typeof inner === 'object' && inner !== null && Object.hasOwn(inner, key)
        ? (inner as Readonly<Record<string | number, unknown>>)[key]
        : undefined,
    value,
  );
}

/** Resolves a path within its folder; undefined if it leads out, or might. */
export function resolveInside(base: string, path: string): string | undefined {
  if (/^(?:[/~\\]|[A-Za-z]:)/.test(path) || path.length > 4096 || path.includes('\0')) {
    return undefined;
  }
  const names: string[] = [];
  for (const name of `${base}/${path}`.split('/')) {
    if (name === '..' && names.pop() === undefined) return undefined;
    if (name !== '' && name !== '.' && name !== '..') names.push(name);
  }
  return names.join('/');
}
