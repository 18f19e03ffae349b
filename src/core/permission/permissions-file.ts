import { StoreError } from '../ports';
import { SHARED_SETTINGS_PATH, sharedSettingsOf } from '../shared-settings';
import { flattenRules } from './flatten-rules';
import { ASK_FOR_ALL, readPermissions, type Permissions } from './permissions';

/**
 * Changes the permissions in the text of the shared settings. Everything else in it stays as it is, and
 * so do fields of later versions in what was not changed.
 * @throws StoreError where the settings can't be followed, or the change can't be taken
 */
export function editPermissions(
  text: string | undefined,
  edit: (now: Permissions) => Permissions,
): string | undefined {
  const { permissions: now, problem } = sharedSettingsOf(text);
  if (now === ASK_FOR_ALL) {
    throw new StoreError('denied', `${problem ?? ''} Mend the file first.`.trimStart());
  }
  const after = edit(now);
  if (after === now) return text;
  check(after);
  const settings = objectIn(text);
  const raw = isObject(settings['permissions']) ? settings['permissions'] : {};
  const permissions = {
    ...raw,
    ...(after.preset !== now.preset && { preset: after.preset }),
    ...(after.scopes !== now.scopes && {
      scopes: kept(after.scopes, now.scopes, raw['scopes']),
    }),
    ...(after.rules !== now.rules && {
      rules: kept(after.rules, now.rules, flattenRules(raw['rules'])),
    }),
  };
  return written({ ...settings, permissions });
}

/**
 * Puts permissions into the text of the shared settings, whatever stands there for them.
 * @throws StoreError where the text is no JSON object
 */
export function replacePermissions(text: string | undefined, permissions: Permissions): string {
  return written({ ...objectIn(text), permissions });
}

/** Whether the settings could be followed with these permissions in the place of theirs. */
export function canReplace(text: string | undefined, permissions: Permissions): boolean {
  if (text !== undefined && !isObject(parsed(text))) return false;
  return sharedSettingsOf(replacePermissions(text, permissions)).permissions !== ASK_FOR_ALL;
}

/** What was not changed is written as it was read. */
function kept(after: readonly unknown[], now: readonly unknown[], raw: unknown): unknown[] {
  const texts: readonly unknown[] = Array.isArray(raw) ? raw : [];
  return after.map((one) => texts[now.indexOf(one)] ?? one);
}

/** What the file would not be followed with is not written. */
function check(permissions: Permissions): void {
  const read = readPermissions(JSON.parse(JSON.stringify(permissions)));
  if (!('ok' in read)) return;
  const words = read.message.replace(/^[^.]*\. /, '');
  throw new StoreError('denied', `This can't be saved: ${words}.`);
}

function objectIn(text: string | undefined): Record<string, unknown> {
  const value = text === undefined ? {} : parsed(text);
  if (isObject(value)) return value;
  const message = `${SHARED_SETTINGS_PATH} is no JSON object. Mend it or remove it.`;
  throw new StoreError('denied', message);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    return undefined;
  }
}

function written(settings: object): string {
  return `${JSON.stringify(settings, null, 2)}\n`;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
