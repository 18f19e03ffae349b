import type { NoteStore } from '../../ports';
import { catchStoreError, fault, refusal, storeFault, type Fault } from '../../fault';
import { storeSentence } from '../../fault/store-faults';
import { foldedPath } from '../journal';
import {
  BoardCopies,
  fileTree,
  MoveJournal,
  OldRoot,
  withCopy,
  type FileTree,
  type Journal,
  type MoveControl,
  type MoveFiles,
} from './copy-boards';

interface MoveDeps {
  readonly files: MoveFiles;
  readonly store: NoteStore;
  /** folder of the state, relative to the vault */
  readonly stateRoot: string;
  /** the board root in the shared settings */
  readonly root: () => Promise<string>;
  /** Writes the board root into the shared settings. */
  readonly setRoot: (root: string) => Promise<void>;
  /** Why a folder can't be the board root. */
  readonly rootFault: (root: string) => ReturnType<typeof storeSentence> | undefined;
}

interface Moved {
  readonly ok: true;
  readonly from: string;
  readonly to: string;
  /** number of files in the new folder */
  readonly count: number;
  /** copies beside boards that changed in both folders */
  readonly besides: readonly string[];
  /** why the old folder is not cleared yet, and what to do */
  readonly problem?: ReturnType<typeof storeSentence>;
}

export type MoveAnswer = Moved | Fault;

/**
 * Moves the board root with all its files: copies them, verifies each copy by its digest, switches
 * the setting, moves the old files to the trash. The folder in the setting has every board at any
 * time; a journal lets the next run finish, or remove the copies.
 */
export class BoardMover {
  private readonly journal: MoveJournal;

  constructor(private readonly deps: MoveDeps) {
    this.journal = new MoveJournal(deps.store, deps.stateRoot);
  }

  /** The move that an earlier run did not finish. `switched`: only clearing is left. */
  async unfinished(): Promise<{ to: string; switched: boolean } | undefined> {
    const open = await this.openMove();
    if (open === undefined) return undefined;
    const root = await this.deps.root();
    if (open.to !== root && open.from !== root) return undefined;
    return { to: open.to, switched: open.to === root };
  }

  /** Never throws for errors of the disk: the answer then says so, and where the boards are. */
  move(to: string, control: MoveControl): Promise<MoveAnswer> {
    return catchStoreError(
      () => this.run(to, control),
      ({ code, message, said }) =>
        fault(code, storeSentence('moveNotCompleted', { why: [message, said] })),
    );
  }

  /**
   * Reads the journal. Since it may come with a vault from anyone, one with folders that can't
   * contain boards is ignored.
   */
  private async openMove(): Promise<Journal | undefined> {
    const open = await this.journal.read();
    if (open === undefined) return undefined;
    const { rootFault } = this.deps;
    const fits = [open.from, open.to].every((root) => rootFault(root) === undefined);
    return fits && rootsFault(open.from, open.to) === undefined ? open : undefined;
  }

  private async run(to: string, control: MoveControl): Promise<MoveAnswer> {
    const { files, rootFault } = this.deps;
    const from = await this.deps.root();
    const open = await this.openMove();
    if (open?.to === from) {
      const done = await this.clear(open, true);
      if (to === from || done.problem !== undefined) return done;
    } else if (open?.from === from && open.to !== to) {
      await this.undo(open);
    }
    const wrong = rootFault(to);
    if (wrong !== undefined) return fault('bad_root', wrong);
    const nested = rootsFault(from, to);
    if (nested !== undefined) return nested;
    const journal = await this.plan(from, to, open?.to === to ? open : undefined);
    const refused = await targetFault(files, await fileTree(files, to), journal);
    if (refused !== undefined) return refused;
    await this.journal.write(journal);
    return this.copyAndSwitch(journal, control);
  }

  private async plan(from: string, to: string, open: Journal | undefined): Promise<Journal> {
    const { files } = this.deps;
    const had = open?.had ?? (await this.existingFolders(to));
    let plan: Journal = { from, to, had, copies: new Map(open?.copies) };
    for (const path of (await fileTree(files, from)).files) {
      const bytes = await files.read(`${from}/${path}`);
      if (bytes !== undefined) plan = withCopy(plan, path, await files.digest(bytes));
    }
    return plan;
  }

  private async existingFolders(to: string): Promise<readonly string[]> {
    const { files } = this.deps;
    const below = (await fileTree(files, to)).folders.map((folder) => `${to}/${folder}`);
    const above: string[] = [];
    for (const folder of withAncestors(to)) {
      if ((await files.kind(folder)) === 'folder') above.push(folder);
    }
    return [...below, ...above];
  }

  private async copyAndSwitch(journal: Journal, control: MoveControl): Promise<MoveAnswer> {
    const copies = new BoardCopies(this.deps.files, this.journal, journal);
    const copied = await catchStoreError(() => copies.make(control), storeFault);
    if (copied === undefined)
      return this.giveUp(fault('cancelled', storeSentence('moveCancelled')));
    if ('ok' in copied) return this.giveUp(copied);
    const trouble = await this.switchTo(copied.to);
    return trouble === undefined ? this.clear(copied, false) : this.giveUp(trouble);
  }

  /** @returns why the setting was not switched; a failed write may have been done nevertheless */
  private async switchTo(to: string): Promise<Fault | undefined> {
    const error = await refusal(() => this.deps.setRoot(to));
    return error === undefined || (await this.deps.root()) === to ? undefined : error;
  }

  private async giveUp({ code, message, said }: Fault): Promise<Fault> {
    const open = await this.openMove();
    const kept = open === undefined ? [] : await this.undo(open);
    const name = kept.length === 0 ? 'nothingMoved' : 'nothingMovedButKept';
    return fault(code, storeSentence(name, { why: [message, said], kept: kept.join(', ') }));
  }

  private async undo(open: Journal): Promise<readonly string[]> {
    const kept = await removeCopies(this.deps.files, open);
    await this.journal.remove();
    return kept;
  }

  /** Clears the old folder after the switch. If that fails, the boards are in the new one still. */
  private async clear(journal: Journal, resumed: boolean): Promise<Moved> {
    const { from, to, copies } = journal;
    const moved = { ok: true, from, to, count: copies.size } as const;
    const clear = async (): Promise<Moved> => {
      const { besides, left } = await new OldRoot(this.deps.files, journal, resumed).clear();
      if (left.length > 0) {
        const problem = storeSentence('notCleared', { count: left.length, from });
        return { ...moved, besides, problem };
      }
      await this.journal.remove();
      return { ...moved, besides };
    };
    return catchStoreError(clear, ({ message, said }) => {
      const problem = storeSentence('notInTrash', { from, why: [message, said] });
      return { ...moved, besides: [], problem };
    });
  }
}

/** Number of names in a refusal; the others are counted. */
const MAX_NAMED_FILES = 3;

/** Why boards can't move from one folder to the other, judged by their paths alone. */
function rootsFault(from: string, to: string): Fault | undefined {
  const [old, wanted] = [`${foldedPath(from)}/`, `${foldedPath(to)}/`];
  if (old === wanted) return fault('same_root', storeSentence('sameRoot', { from }));
  if (!old.startsWith(wanted) && !wanted.startsWith(old)) return undefined;
  return fault('nested_root', storeSentence('nestedRoot', { to, from }));
}

/** Why a folder can't take the boards: it is a file, or has files that are not copies of them. */
async function targetFault(
  files: MoveFiles,
  tree: FileTree,
  { to, copies }: Journal,
): Promise<Fault | undefined> {
  if ((await files.kind(to)) === 'file') {
    return fault('target_is_file', storeSentence('targetIsFile', { to }));
  }
  const strange: string[] = [];
  for (const path of tree.files) {
    const bytes = await files.read(`${to}/${path}`);
    if (bytes === undefined) continue;
    const ours = copies.get(path)?.includes(await files.digest(bytes)) === true;
    if (!ours) strange.push(path);
  }
  if (strange.length === 0) return undefined;
  const named = strange.slice(0, MAX_NAMED_FILES).join(', ');
  const more = strange.length - MAX_NAMED_FILES;
  const name = more > 0 ? 'targetFull' : 'targetNotEmpty';
  return fault('target_not_empty', storeSentence(name, { to, files: named, more }));
}

/**
 * Removes the copies of a move that was not switched, and the folders created for them. Files that
 * somebody has changed there stay. @returns the paths that stay
 */
async function removeCopies(files: MoveFiles, journal: Journal): Promise<readonly string[]> {
  const { to, copies, had } = journal;
  const kept: string[] = [];
  const tree = await fileTree(files, to);
  for (const path of tree.files) {
    const bytes = await files.read(`${to}/${path}`);
    if (bytes === undefined) continue;
    const digest = await files.digest(bytes);
    const ours = copies.get(path)?.includes(digest) === true;
    const removed = ours && (await files.remove(`${to}/${path}`, digest));
    if (!removed) kept.push(`${to}/${path}`);
  }
  const made = [...tree.folders.map((folder) => `${to}/${folder}`), ...withAncestors(to)];
  for (const folder of made) if (!had.includes(folder)) await files.removeEmpty(folder);
  return kept;
}

/** A folder and those above it, deepest first. */
function withAncestors(folder: string): readonly string[] {
  const names = folder.split('/');
  return names.map((_, at) => names.slice(0, names.length - at).join('/'));
}
