import type { Finding } from '../core/board/board-findings';
import { NamedStore } from '../core/board/names/named-store';
import { TodoManager } from '../core/board/todo-manager';
import { loadMarkUnchecked } from '../core/orchestrator/drive/run-files';
import { readSharedSettings, SHARED_SETTINGS_PATH, unreadSettings } from '../core/shared-settings';
import { DiskStore } from '../node/disk-store';
import { nodeClock, nodeIds } from '../node/node-ports';
import type { OpenVault } from './command';
import { access, constants, realpath, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { STATE_ROOT } from '../core/board/state-file';
import { AUDIT_FOLDER } from '../core/permission/audit/audit-store';
import { notAFolderError } from '../core/board/vault-path';

/** What a run reports besides its result. */
interface VaultNotices {
  /** which settings can't be followed, and why */
  readonly problem: string | undefined;
  /** notes that were written in this run and no longer exist */
  readonly removed: () => Promise<readonly string[]>;
}

/**
 * Opens a folder as a vault with its shared settings.
 * @param waitMs maximum wait for another program that writes a note; undefined: the default
 * @param anyway whether to replace unreadable settings by ones that allow nothing
 * @throws StoreError if the settings can't be read
 */
export async function openVault(
  folder: string,
  waitMs: number | undefined,
  anyway = false,
): Promise<OpenVault & VaultNotices> {
  const disk = new DiskStore(folder, { waitMs });
  const read = readSharedSettings(disk);
  const settings = await (anyway ? read.catch(unreadSettings) : read);
  const { problem, root, defaultSession, nameByTitle } = settings;
  const store = new NamedStore(disk, root, nameByTitle);
  const clock = nodeClock;
  const unchecked = () => loadMarkUnchecked(store);
  const ids = nodeIds;
  const manager = new TodoManager({ store, clock, ids, root, defaultSession, unchecked });
  const removed = async () => {
    const gone = await disk.removedByOthers();
    // A renamed note is not gone.
    const stats = await Promise.all(gone.map((path) => store.stat(store.plainPath(path))));
    return gone.filter((_, at) => stats[at] === undefined);
  };
  return { folder, store, root, settings, manager, problem, removed };
}

/** What makes the home folder a vault: OpenCode itself is installed to `.opencode` there. */
const HOME_MARKS = ['.obsidian', '.opencode/todos', STATE_ROOT, SHARED_SETTINGS_PATH];

/**
 * Finds the vault: the named folder, else the nearest one with `.opencode`, upwards from `cwd`.
 * @param acceptsNew whether to accept a vault of Obsidian that has no `.opencode` yet
 */
export async function findVault(
  cwd: string,
  named: string | undefined,
  acceptsNew = false,
): Promise<
  { readonly ok: true; readonly vault: string } | { readonly ok: false; message: string }
> {
  if (named !== undefined) {
    const vault = resolve(cwd, named);
    if (await isFolder(vault)) return { ok: true, vault };
    return { ok: false, message: `there is no folder ${vault}.` };
  }
  for (let folder = cwd; ; folder = dirname(folder)) {
    const isNew = acceptsNew && (await isFolder(join(folder, '.obsidian')));
    if (isNew || (await isVault(folder))) return { ok: true, vault: folder };
    const state = join(folder, '.opencode');
    const found = await ifThere(state);
    if (found?.isFile() === true) return { ok: false, message: notAFolderError(state).message };
    if (dirname(folder) === folder) break;
  }
  return {
    ok: false,
    message: `no vault found: no .opencode in ${cwd} or above. Name the vault with --vault DIR, or create one: agent-boards init TITLE --agent A, with --vault . outside an Obsidian vault.`,
  };
}

async function isVault(folder: string): Promise<boolean> {
  if (!(await isFolder(join(folder, '.opencode')))) return false;
  if (folder !== (await homeFolder().catch(() => undefined))) return true;
  const marks = await Promise.all(HOME_MARKS.map((mark) => ifThere(join(folder, mark))));
  return marks.some((found) => found !== undefined);
}

/** @throws if this user has none */
async function homeFolder(): Promise<string> {
  return realpath(homedir());
}

/** Warnings before a folder is used as a vault: nothing marks it as one, or it is not writable. */
export async function vaultWarnings(vault: VaultPlaces): Promise<readonly string[]> {
  const locked = await unwritableFolder(vault);
  const words = [await noVaultWarning(vault.folder), locked && `${locked.path}: ${locked.text}`];
  return words.filter((one) => one !== undefined);
}

type VaultPlaces = Pick<OpenVault, 'folder' | 'root'>;

const LOCKED =
  'This user cannot write there, so boards cannot be changed. Agents cannot read notes either, because each call is written to the audit. Check who owns the folder and its permissions.';

/** The first folder for boards, state or audit that this user can't write to. */
export async function unwritableFolder({
  folder,
  root,
}: VaultPlaces): Promise<Finding | undefined> {
  for (const path of [STATE_ROOT, AUDIT_FOLDER, root]) {
    let place = join(folder, path);
    while (place !== folder && !(await isFolder(place))) place = dirname(place);
    const isOpen = await access(place, constants.W_OK | constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isOpen) continue;
    return { kind: 'not-writable', path: relative(folder, place) || '.', line: 0, text: LOCKED };
  }
  return undefined;
}

async function noVaultWarning(folder: string): Promise<string | undefined> {
  for (const name of ['.obsidian', '.opencode']) {
    if (await isFolder(join(folder, name))) return undefined;
  }
  return `${folder} does not look like a vault: it has neither .obsidian nor .opencode. If your vault is another folder, name that: --vault DIR.`;
}

async function isFolder(path: string): Promise<boolean> {
  return (await ifThere(path))?.isDirectory() === true;
}

function ifThere(path: string) {
  return stat(path).catch(() => undefined);
}
