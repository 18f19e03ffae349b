import './board/jitless';
import * as z from 'zod/mini';
import { BOARD_ROOT, STATE_ROOT } from './board/todo-manager';
import { pathFault } from './board/vault-path';
import type { NoteStore } from './ports';

/** What plugin, bridge and command line must agree on. */
export const SHARED_SETTINGS_PATH = '.opencode/agent-task-boards.json';

export const sharedSettings = z.object({
  /** folder of the boards, relative to the vault */
  root: z.optional(z.string()),
  /** what a call without a session id gets */
  defaultSession: z.optional(z.enum(['isolate', 'refuse'])),
  /** whether OpenCode shows models the deprecated tools beside `tasks`; read when it starts */
  aliases: z.optional(z.boolean()),
});

export interface SharedSettings {
  readonly root: string;
  readonly defaultSession: 'isolate' | 'refuse';
  readonly aliases: boolean;
  /** why the file, or a part of it, is not followed; one sentence for the person */
  readonly problem?: string;
}

const DEFAULTS: SharedSettings = { root: BOARD_ROOT, defaultSession: 'isolate', aliases: false };

/**
 * The settings as they stand. What is missing or can't be followed has its default; why is in
 * `problem`.
 * @param configFolder where Obsidian keeps the vault's settings, if the caller knows
 * @throws StoreError where the file is there and can't be read
 */
export async function readSharedSettings(
  store: NoteStore,
  configFolder?: string,
): Promise<SharedSettings> {
  const text = await store.read(SHARED_SETTINGS_PATH);
  if (text === undefined) return DEFAULTS;
  const parsed = parseJson(text);
  if (parsed === undefined) return { ...DEFAULTS, problem: `${SHARED_SETTINGS_PATH} is no JSON.` };
  const read = sharedSettings.safeParse(parsed.value);
  if (!read.success) {
    const where = read.error.issues[0]?.path.join('.') ?? '';
    const what = where === '' ? 'it must be an object.' : `"${where}" is not understood.`;
    return { ...DEFAULTS, problem: `${SHARED_SETTINGS_PATH}: ${what}` };
  }
  const { defaultSession = DEFAULTS.defaultSession, aliases = DEFAULTS.aliases } = read.data;
  const root = (read.data.root ?? DEFAULTS.root).replace(/\/+$/, '');
  const fault = boardRootFault(root, configFolder);
  if (fault === undefined) return { root, defaultSession, aliases };
  const problem = `${SHARED_SETTINGS_PATH}: "root" is not used. ${fault}`;
  return { ...DEFAULTS, defaultSession, aliases, problem };
}

/** Why boards can't live in a folder, or undefined where they can. */
export function boardRootFault(root: string, configFolder?: string): string | undefined {
  const fault = pathFault(root);
  if (fault !== undefined) return fault;
  const folder = folded(root);
  const taken = [configFolder, STATE_ROOT, RUN_FOLDER, PLUGIN_FOLDER].find(
    (one) => one !== undefined && `${folder}/`.startsWith(`${folded(one)}/`),
  );
  if (taken !== undefined) return `Boards can't live in ${taken}.`;
  const hidden = folder.split('/').find((name) => name.startsWith('.'));
  if (hidden === undefined || folder.startsWith('.opencode/')) return undefined;
  return `Boards can't live in ${hidden}: the only hidden place for them is a folder in .opencode.`;
}

const RUN_FOLDER = '.opencode/run';
const PLUGIN_FOLDER = '.opencode/plugin';

/** Case and Unicode form: on some disks they name one folder. */
function folded(path: string): string {
  return path.normalize('NFC').toLowerCase();
}

function parseJson(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text.replace(/^\uFEFF/, '')) as unknown };
  } catch {
    return undefined;
  }
}
