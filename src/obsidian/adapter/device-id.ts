import type { App } from 'obsidian';
import type { Ids } from '../../core/ports';

const KEY = 'agent-task-boards-id';

/** Tells this device apart where several write into one folder of the vault; the same from the first time on. */
export function deviceId(
  app: Pick<App, 'loadLocalStorage' | 'saveLocalStorage'>,
  ids: Pick<Ids, 'unique'>,
): string {
  const known: unknown = app.loadLocalStorage(KEY);
  if (typeof known === 'string' && /^[0-9a-f]{12}$/.test(known)) return known;
  const fresh = ids.unique().replaceAll('-', '').slice(0, 12);
  app.saveLocalStorage(KEY, fresh);
  return fresh;
}
