import type { Permissions } from '../../src/core/permission/permissions';
import { ProtectedPlaces } from '../../src/core/permission/protected-places';
import type { Rule } from '../../src/core/permission/rule';
import { PolicyStore } from '../../src/core/permission/policy-store';
import { StoreError } from '../../src/core/ports';
import { SHARED_SETTINGS_PATH } from '../../src/core/shared-settings';
import { MemoryStore } from '../store/memory-store';
import { accessRequest } from './policy-of';

export const PLACES = new ProtectedPlaces({ configFolder: '.obsidian', boardRoot: 'Boards' });
export const ALLOW: Rule = { permission: 'write', pattern: 'a/**', action: 'allow' };
export const DENY: Rule = { permission: 'write', pattern: 'b/**', action: 'deny' };

/** The plugin's own data; writing it can fail. */
export class ConfirmedRules {
  saved: unknown;
  broken = false;

  load(): Promise<unknown> {
    return Promise.resolve(this.saved);
  }

  save(permissions: Permissions): Promise<void> {
    if (this.broken) return Promise.reject(new StoreError('io', 'no'));
    this.saved = JSON.parse(JSON.stringify(permissions));
    return Promise.resolve();
  }
}

/** A settings file with these permissions. */
export function file(permissions: unknown, more: object = {}): string {
  return JSON.stringify({ ...more, permissions });
}

/** A policy over a settings file and previously confirmed rules. */
export async function openPolicy(text?: string, saved?: unknown) {
  const store = new MemoryStore();
  const confirmed = new ConfirmedRules();
  confirmed.saved = saved;
  if (text !== undefined) store.put(SHARED_SETTINGS_PATH, text);
  const policy = new PolicyStore({ store, places: PLACES, confirmed });
  await policy.load();
  const verdict = (path: string) => policy.decide(accessRequest(path)).verdict;
  const settings = () =>
    JSON.parse(store.files.get(SHARED_SETTINGS_PATH)?.text ?? '{}') as Record<string, unknown>;
  const change = async (to: string) => {
    store.put(SHARED_SETTINGS_PATH, to);
    await policy.fileChanged();
  };
  return { store, confirmed, policy, verdict, settings, change };
}
