import type { Plugin, TAbstractFile } from 'obsidian';
import { BoardMover, type MoveAnswer } from '../../core/board/move-boards';
import type { MoveControl } from '../../core/board/move/copy-boards';
import type { MoveFiles } from '../../core/board/move/move-files';
import { STATE_ROOT } from '../../core/board/todo-manager';
import { StoreError, type Log, type NoteStore } from '../../core/ports';
import { boardRootFault, readSharedSettings } from '../../core/shared-settings';
import { followNotes } from './follow-notes';
import { MoveDialog } from './move-dialog';
import { moveWords } from './move-words';
import type { Notify } from './notify';
import { saveRoot } from './save-root';

export interface BoardMovesDeps {
  readonly plugin: Plugin;
  readonly store: NoteStore;
  readonly files: MoveFiles;
  readonly log: Log;
  readonly notify: Notify;
  /** the root that the plugin works with */
  readonly root: () => string;
  /** Looks at the settings and the boards now. */
  readonly look: () => Promise<void>;
  /** There are no boards in a folder any more. */
  readonly left: (root: string) => void;
}

const UNSEEN: MoveControl = { progress: () => undefined, cancelled: () => false };

/** Moves all boards for the person, ends what a crash left open, and follows a folder they rename. */
export class BoardMoves {
  private readonly mover: BoardMover;

  constructor(private readonly deps: BoardMovesDeps) {
    const { store, files, plugin } = deps;
    const { configDir } = plugin.app.vault;
    this.mover = new BoardMover({
      store,
      files,
      stateRoot: STATE_ROOT,
      root: async () => (await readSharedSettings(store, configDir)).root,
      setRoot: async (root) => {
        const problem = await saveRoot(store, root);
        if (problem !== undefined) throw new StoreError('io', problem);
        // Before the old files go: what was typed into them counts as a change that came late.
        await followNotes(plugin.app, this.deps.root(), root);
        await this.deps.look();
      },
      rootFault: (root) => boardRootFault(root, configDir),
    });
  }

  /** At the start of the plugin: the old folder of a move that was switched is cleared. */
  async finish(): Promise<void> {
    const open = await this.unfinished();
    if (open === undefined) return;
    if (open.switched) {
      this.deps.notify(moveWords(await this.move(open.to, UNSEEN)));
      return;
    }
    const text = `A move of the boards to ${open.to} was not finished. They are still in ${this.deps.root()}.`;
    this.deps.notify(text, { label: 'Finish…', onClick: () => void this.ask() });
  }

  /** Opens the dialog that moves them. */
  async ask(): Promise<void> {
    const { plugin, root, notify } = this.deps;
    const { app } = plugin;
    const open = await this.unfinished();
    new MoveDialog(app, {
      root: root(),
      unfinished: open?.switched === false ? open.to : undefined,
      rootProblem: (folder) => boardRootFault(folder, app.vault.configDir),
      move: (to, control) => this.move(to, control),
      done: (answer) => notify(moveWords(answer)),
    }).open();
  }

  /** The person renamed a visible folder that the boards are in: the setting goes with it. */
  async renamed(file: TAbstractFile, before: string): Promise<void> {
    const { root, store, look, notify, plugin } = this.deps;
    const was = root();
    if (!`${was}/`.startsWith(`${before}/`)) return;
    const now = `${file.path}${was.slice(before.length)}`;
    const problem = boardRootFault(now, plugin.app.vault.configDir) ?? (await saveRoot(store, now));
    await look();
    if (problem === undefined) this.deps.left(was);
    notify(
      problem === undefined
        ? `The boards are in ${now} now, and the setting says so.`
        : `The boards are in ${now} now, where they can't be used. ${problem} Rename the folder back to ${was}.`,
    );
  }

  private async move(to: string, control: MoveControl): Promise<MoveAnswer> {
    const answer = await this.mover.move(to, control);
    await this.deps.look();
    if (answer.ok && answer.problem === undefined) this.deps.left(answer.from);
    return answer;
  }

  /** Where the journal can't be read, a move finds that out again and says it. */
  private async unfinished(): Promise<{ to: string; switched: boolean } | undefined> {
    try {
      return await this.mover.unfinished();
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      this.deps.log.note('The journal of a move could not be read.', { error: error.message });
      return undefined;
    }
  }
}
