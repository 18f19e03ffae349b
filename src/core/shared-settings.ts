import { jsonAs, parseJson } from './json';
import * as z from 'zod/mini';
import { lazy } from './lazy';
import { StateFiles } from './board/state-file';
import { BOARD_ROOT, STATE_ROOT } from './board/todo-manager';
import { pathFault } from './board/vault-path';
import { LIMITS, limitsSchema } from './orchestrator/limits';
import {
  ASK_FOR_ALL,
  DEFAULT_PERMISSIONS,
  readPermissions,
  type Permissions,
} from './permission/permissions';
import { makePolicy, type AccessPolicy } from './permission/policy';
import { ProtectedPlaces } from './permission/protected-places';
import { StoreError, type NoteStore } from './ports';

/** What plugin, bridge and command line must agree on. */
export const SHARED_SETTINGS_PATH = '.opencode/agent-task-boards.json';

/** How a run goes where the person says nothing else. */
const runDefaults = lazy(() => {
  const { shape } = limitsSchema();
  return z.object({
    /** whether the person sees the plan before it is carried out */
    approve: z._default(z.boolean(), true),
    turns: z._default(shape.turns, LIMITS.turns),
    tokens: z._default(shape.tokens, LIMITS.tokens),
    minutes: z._default(shape.minutes, LIMITS.minutes),
    attempts: z._default(shape.attempts, LIMITS.attempts),
    parallel: z._default(shape.parallel, LIMITS.parallel),
  });
});

const sharedSettings = lazy(() =>
  z.object({
    /** folder of the boards, relative to the vault */
    root: z._default(z.string(), BOARD_ROOT),
    /** whether the files of new boards are named by their titles */
    nameByTitle: z._default(z.boolean(), false),
    /** what a call without a session id gets */
    defaultSession: z._default(z.enum(['isolate', 'refuse']), 'isolate'),
    /** whether OpenCode shows models the deprecated tools beside `tasks`; read when it starts */
    aliases: z._default(z.boolean(), false),
    /**
     * Whether sub-agents may use the task tools, each on its own board. If not, the tools are denied
     * to them, as OpenCode denies them `todowrite`; read when OpenCode starts.
     */
    subagents: z._default(z.boolean(), false),
    /** whether agents of sessions on a model may start sub-agents, by the tool `task` */
    modelSubagents: z._default(z.boolean(), true),
    /**
     * OpenCode's own list. `mirror`: it is mirrored to the board; `replace`: the tool is denied, and the
     * board replaces it; `leave`: it is ignored. Read when OpenCode starts.
     */
    todowrite: z._default(z.enum(['mirror', 'replace', 'leave']), 'mirror'),
    /** whether OpenCode shows models the tools for notes; read when it starts */
    noteTools: z._default(z.boolean(), true),
    /** commands that take part in events, see `readHookCommands`; only what runs them reads them */
    hooks: z.optional(z.unknown()),
    /** see `permissions`; read by itself, so that a fault in it spares the rest */
    permissions: z.optional(z.unknown()),
    /** minutes after which what nobody answered is denied; 0: never */
    askMinutes: z._default(z.int().check(z.minimum(0), z.maximum(10_080)), 10),
    /** months the audit is kept, this one included; 0: for ever */
    auditMonths: z._default(z.int().check(z.minimum(0), z.maximum(1200)), 12),
    runs: z._default(runDefaults(), { approve: true, ...LIMITS }),
    /** how the parts of a run's prompt are joined: each under a heading, or one after another */
    runPrompts: z._default(z.enum(['headings', 'plain']), 'headings'),
    /** whether notes that a goal names, or with its words, go along with the prompt for a plan */
    runNotes: z._default(z.boolean(), true),
  }),
);

export type SharedSettings = Readonly<
  Omit<z.infer<ReturnType<typeof sharedSettings>>, 'permissions'>
> & {
  readonly permissions: Permissions;
  /** why the file, or a part of it, is not followed; one sentence for the person */
  readonly problem?: string;
};

export const defaultSettings = lazy((): SharedSettings => ({
  ...sharedSettings().parse({}),
  permissions: DEFAULT_PERMISSIONS,
}));

/** For a file that can't be followed: what it denied is not known. */
const unknownSettings = lazy((): SharedSettings => ({
  ...defaultSettings(),
  permissions: ASK_FOR_ALL,
}));

/**
 * The current settings. A missing or invalid setting has its default; `problem` says why.
 * @param configFolder where Obsidian keeps the vault's settings, if the caller knows
 * @throws StoreError if the file exists and can't be read
 */
export async function readSharedSettings(
  store: NoteStore,
  configFolder?: string,
): Promise<SharedSettings> {
  return sharedSettingsOf(await store.read(SHARED_SETTINGS_PATH), configFolder);
}

/** The settings where their file can't be read: nothing is taken for allowed. */
export function unreadSettings(error: unknown): SharedSettings {
  if (!(error instanceof StoreError)) throw error;
  return { ...unknownSettings(), problem: error.message };
}

/**
 * The settings in the text of their file; undefined: there is none. Permissions that can't be followed
 * are {@link ASK_FOR_ALL} itself.
 */
export function sharedSettingsOf(text: string | undefined, configFolder?: string): SharedSettings {
  if (text === undefined) return defaultSettings();
  const parsed = parseJson(text.replace(/^\uFEFF/, ''));
  // What is deeper than any setting is not kept: to write or compare it would not end well.
  const deep = isDeeper(parsed, MOST_LEVELS);
  if (parsed === undefined || deep) {
    const what = deep ? `has more than ${MOST_LEVELS} levels` : 'is not JSON';
    const problem = `${SHARED_SETTINGS_PATH} ${what}. Repair it or remove it.`;
    return { ...unknownSettings(), problem };
  }
  const read = sharedSettings().safeParse(parsed);
  if (!read.success) {
    const where = read.error.issues[0]?.path.join('.') ?? '';
    const what = where === '' ? 'it must be an object.' : `"${where}" is not understood.`;
    return { ...unknownSettings(), problem: `${SHARED_SETTINGS_PATH}: ${what}` };
  }
  const { permissions = {} } = read.data;
  const rules = readPermissions(permissions);
  const followed = 'ok' in rules ? { permissions: ASK_FOR_ALL } : { permissions: rules };
  const settings = {
    ...{ ...read.data, ...followed },
    ...('ok' in rules && { problem: `${SHARED_SETTINGS_PATH}: ${rules.message}` }),
  };
  const root = settings.root.replace(/\/+$/, '');
  const fault = boardRootFault(root, configFolder);
  if (fault === undefined) return { ...settings, root };
  const problem = `${SHARED_SETTINGS_PATH}: "root" is not used. ${fault}`;
  return { ...settings, root: defaultSettings().root, problem };
}

/** Lists and objects in each other that the settings may have. */
const MOST_LEVELS = 64;

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1));
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

/**
 * The rules as the settings say, for what runs without Obsidian. Which folder that keeps its own settings
 * in, nobody can say here; hidden folders are protected, whatever they hold.
 * @param held folders that hold or held boards
 */
export function policyOf(
  { permissions, root }: SharedSettings,
  held: readonly string[] = [],
): AccessPolicy {
  const leftRoots = held.filter((folder) => folder !== root);
  return makePolicy(permissions, new ProtectedPlaces({ boardRoot: root, leftRoots }));
}

/** In the state, which no tool for notes reaches. */
const BOARD_FOLDERS = 'board-folders.json';

const boardFolders = lazy(() => z.array(z.string()));

/** The folders that are known to hold boards or to have held them, in which notes might be as well. */
export async function boardFoldersIn(store: NoteStore): Promise<readonly string[]> {
  return foldersIn(await new StateFiles(store, STATE_ROOT).text(BOARD_FOLDERS));
}

/**
 * Changes which folders hold or held boards. Hidden ones are protected anyway, and not kept.
 * @throws StoreError
 */
export async function changeBoardFolders(
  store: NoteStore,
  edit: (before: readonly string[]) => readonly string[],
): Promise<void> {
  const open = (before: readonly string[]) => edit(before).filter((folder) => !HIDDEN.test(folder));
  const known = await boardFoldersIn(store);
  if (JSON.stringify(open(known)) === JSON.stringify(known)) return;
  await new StateFiles(store, STATE_ROOT).change(
    BOARD_FOLDERS,
    (text) => `${JSON.stringify(open(foldersIn(text)))}\n`,
  );
}

/** The known folders, with the one that the settings name now. @throws StoreError */
export async function followBoardFolders(
  store: NoteStore,
  { root }: SharedSettings,
): Promise<readonly string[]> {
  await changeBoardFolders(store, (before) => (before.includes(root) ? before : [...before, root]));
  return boardFoldersIn(store);
}

const HIDDEN = /(?:^|\/)\./;

function foldersIn(text: string | undefined): readonly string[] {
  return jsonAs(boardFolders(), text) ?? [];
}
