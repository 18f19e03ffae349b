import type { KeyPath, Located } from './config-problem';
import type { Config, PermissionConfig } from './config-schema';

/** What one file says; of several the later count more. */
export interface Layer extends Located {
  readonly file: string;
  readonly config: Config;
  /** with values that OpenCode refuses: nothing of the file is used, and the rest of it is checked only */
  readonly isRefused?: boolean;
  /** files that stand in the place of `{file:…}`, by the path of the text that they stand in */
  readonly included: ReadonlyMap<string, string>;
}

/** Rules by permission, and by pattern where they have one; the last that fits counts. */
export type Rules = Exclude<PermissionConfig, string>;

/** Agents that OpenCode brings; `denies`: all that is not allowed is denied. */
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

/** What a call of a tool asks for. */
export function permissionOf(tool: string): string {
  return ['write', 'edit', 'patch'].includes(tool) ? 'edit' : tool;
}

/** The last file that says something behind the keys. */
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

/** A path that stays in its folder; undefined for one that leads out, or may. */
export function inside(base: string, path: string): string | undefined {
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
