import { jsonAs, parseJson } from './json';
import * as z from 'zod/mini';
import { lazy } from './lazy';
import { StateFiles } from './board/state-file';
import { BOARD_ROOT, STATE_ROOT } from './board/todo-manager';
import { pathFault } from './board/vault-path';
import { storeSentence } from './fault/store-faults';
import { LIMITS, limitsSchema } from './orchestrator/limits';
import {
  ASK_FOR_ALL,
  DEFAULT_PERMISSIONS,
  readPermissions,
  type Permissions,
} from './permission/permissions';
import { compilePolicy, type AccessPolicy } from './permission/policy';
import { ProtectedPlaces } from './permission/protected-places';
import { StoreError, type NoteStore } from './ports';

/** The settings that plugin, bridge and command line share. */
export const SHARED_SETTINGS_PATH = '.opencode/agent-task-boards.json';

/** Defaults of a run, for what the person does not set. */
const runDefaults = lazy(() => {
  const { shape } = limitsSchema();
  return z.object({
    /** whether the person approves the plan before it is carried out */
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
    /** whether the files of new boards are named after their titles */
    nameByTitle: z._default(z.boolean(), false),
    /** how a call without a session id is handled */
    defaultSession: z._default(z.enum(['isolate', 'refuse']), 'isolate'),
    /** whether OpenCode offers models the deprecated tools beside `tasks`; read when it starts */
    aliases: z._default(z.boolean(), false),
    /**
     * Whether subagents may use the task tools, each on its own board. If not, the tools are denied
     * to them, as OpenCode denies them `todowrite`; read when OpenCode starts.
     */
    subagents: z._default(z.boolean(), false),
    /** whether agents of model sessions may start subagents, with the tool `task` */
    modelSubagents: z._default(z.boolean(), true),
    /**
     * OpenCode's own list. `mirror`: it is mirrored to the board; `replace`: the tool is denied, and the
     * board replaces it; `leave`: it is ignored. Read when OpenCode starts.
     */
    todowrite: z._default(z.enum(['mirror', 'replace', 'leave']), 'mirror'),
    /** whether OpenCode offers models the tools for notes; read when it starts */
    noteTools: z._default(z.boolean(), true),
    /**
     * commands to run on events, see `readHookCommands`; validated only by the program that runs
     * them
     */
    hooks: z.optional(z.unknown()),
    /**
     * see `permissions`; validated separately, so that an error in it leaves the other settings
     * valid
     */
    permissions: z.optional(z.unknown()),
    /** minutes after which an unanswered request is denied; 0: never */
    askMinutes: z._default(z.int().check(z.minimum(0), z.maximum(10_080)), 10),
    /** months for which the audit is kept, including the current one; 0: forever */
    auditMonths: z._default(z.int().check(z.minimum(0), z.maximum(1200)), 12),
    runs: z._default(runDefaults(), { approve: true, ...LIMITS }),
    /** how the parts of a run's prompt are joined: each under a heading, or one after another */
    runPrompts: z._default(z.enum(['headings', 'plain']), 'headings'),
    /**
     * whether notes that the goal names, or that contain its words, are sent with the prompt for a
     * plan
     */
    runNotes: z._default(z.boolean(), true),
  }),
);

export type SharedSettings = Readonly<
  Omit<z.infer<ReturnType<typeof sharedSettings>>, 'permissions'>
> & {
  readonly permissions: Permissions;
  /** why the file, or a part of it, is not used; one sentence for the person */
  readonly problem?: string;
};

export const defaultSettings = lazy((): SharedSettings => ({
  ...sharedSettings().parse({}),
  permissions: DEFAULT_PERMISSIONS,
}));

/** For a file that can't be used: what it denies is unknown, so everything asks. */
const unknownSettings = lazy((): SharedSettings => ({
  ...defaultSettings(),
  permissions: ASK_FOR_ALL,
}));

/**
 * Reads the current settings. A missing or invalid setting has its default; `problem` says why.
 * @param configFolder where Obsidian keeps the vault's settings, if the caller knows
 * @throws StoreError if the file exists and can't be read
 */
export async function readSharedSettings(
  store: NoteStore,
  configFolder?: string,
): Promise<SharedSettings> {
  return sharedSettingsOf(await store.read(SHARED_SETTINGS_PATH), configFolder);
}

/** The settings if their file can't be read: everything asks. @throws any error but a StoreError */
export function unreadSettings(error: unknown): SharedSettings {
  if (!(error instanceof StoreError)) throw error;
  return { ...unknownSettings(), problem: error.message };
}

/**
 * Parses the settings; `text` is undefined if there is no file. If the permissions are invalid,
 * they are {@link ASK_FOR_ALL} itself.
 */
export function sharedSettingsOf(text: string | undefined, configFolder?: string): SharedSettings {
  if (text === undefined) return defaultSettings();
  const parsed = parseJson(text.replace(/^\uFEFF/, ''));
  // Deeper nesting than any setting has is refused: writing or comparing it could overflow the
  // stack.
  const deep = isDeeper(parsed, MAX_LEVELS);
  if (parsed === undefined || deep) {
    const what = deep ? `has more than ${MAX_LEVELS} levels` : 'is not JSON';
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
  const problem = `${SHARED_SETTINGS_PATH}: "root" is not used. ${fault[0]}`;
  return { ...settings, root: defaultSettings().root, problem };
}

/** Maximum levels of nested lists and objects in the settings. */
const MAX_LEVELS = 64;

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1));
}

/** Why a folder can't hold boards; undefined if it can. */
export function boardRootFault(root: string, configFolder?: string): ReturnType<typeof pathFault> {
  const fault = pathFault(root);
  if (fault !== undefined) return fault;
  const folder = folded(root);
  const taken = [configFolder, STATE_ROOT, RUN_FOLDER, PLUGIN_FOLDER].find(
    (one) => one !== undefined && `${folder}/`.startsWith(`${folded(one)}/`),
  );
  if (taken !== undefined) return storeSentence('rootTaken', { folder: taken });
  const hidden = folder.split('/').find((name) => name.startsWith('.'));
  if (hidden === undefined || folder.startsWith('.opencode/')) return undefined;
  return storeSentence('rootHidden', { folder: hidden });
}

const RUN_FOLDER = '.opencode/run';
const PLUGIN_FOLDER = '.opencode/plugin';

/** Normalizes case and Unicode form, which some disks ignore in names. */
function folded(path: string): string {
  return path.normalize('NFC').toLowerCase();
}

/**
 * The permission policy from the settings, for programs that run without Obsidian. They don't know
 * where Obsidian keeps its settings; hidden folders are protected in any case.
 * @param held folders that hold or held boards
 */
export function policyOf(
  { permissions, root }: SharedSettings,
  held: readonly string[] = [],
): AccessPolicy {
  const leftRoots = held.filter((folder) => folder !== root);
  return compilePolicy(permissions, new ProtectedPlaces({ boardRoot: root, leftRoots }));
}

/** In the state folder, which no tool for notes can access. */
const BOARD_FOLDERS = 'board-folders.json';

const boardFolders = lazy(() => z.array(z.string()));

/**
 * The folders that are known to hold boards or to have held them; they may contain notes as well.
 */
export async function boardFoldersIn(store: NoteStore): Promise<readonly string[]> {
  return foldersIn(await new StateFiles(store, STATE_ROOT).text(BOARD_FOLDERS));
}

/**
 * Updates the list of folders that hold or held boards. Hidden folders are left out, as they are
 * protected anyway.
 * @returns the list
 * @throws StoreError
 */
export async function changeBoardFolders(
  store: NoteStore,
  edit: (before: readonly string[]) => readonly string[],
): Promise<readonly string[]> {
  const open = (before: readonly string[]) => edit(before).filter((folder) => !HIDDEN.test(folder));
  const known = await boardFoldersIn(store);
  if (JSON.stringify(open(known)) === JSON.stringify(known)) return known;
  const changed = await new StateFiles(store, STATE_ROOT).change(
    BOARD_FOLDERS,
    (text) => `${JSON.stringify(open(foldersIn(text)))}\n`,
  );
  return foldersIn(changed);
}

/**
 * Adds the folder of the current settings to the known folders, and returns all.
 * @throws StoreError
 */
export function followBoardFolders(
  store: NoteStore,
  { root }: SharedSettings,
): Promise<readonly string[]> {
  return changeBoardFolders(store, (before) =>
    before.includes(root) ? before : [...before, root],
  );
}

const HIDDEN = /(?:^|\/)\./;

function foldersIn(text: string | undefined): readonly string[] {
  return jsonAs(boardFolders(), text) ?? [];
}
