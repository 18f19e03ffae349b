import {
  ButtonComponent,
  TextComponent,
  type App,
  type Plugin,
  type TAbstractFile,
} from 'obsidian';
import { BoardMover, type MoveAnswer } from '../../core/board/move/move-boards';
import type { MoveControl, MoveFiles } from '../../core/board/move/copy-boards';
import { BOARD_ROOT, STATE_ROOT } from '../../core/board/todo-manager';
import { StoreError, type Log, type NoteStore } from '../../core/ports';
import { boardRootFault, readSharedSettings } from '../../core/shared-settings';
import { followNotes } from '../note/open-board';
import type { Notify } from '../ui/notify';
import { saveShared } from './board-root';
import { TabModal } from '../ui/dialog';

interface BoardMovesDeps {
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
        const problem = await saveShared(store, { root });
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
    const problem =
      boardRootFault(now, plugin.app.vault.configDir) ?? (await saveShared(store, { root: now }));
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

interface MoveDialogDeps {
  /** where the boards are now */
  readonly root: string;
  /** the folder that a move which was not finished goes to */
  readonly unfinished: string | undefined;
  /** Why a folder can't be the board root, or undefined where it can. */
  readonly rootProblem: (root: string) => string | undefined;
  readonly move: (to: string, control: MoveControl) => Promise<MoveAnswer>;
  /** Told once it is done; what was refused stands in the dialog instead. */
  readonly done: (answer: MoveAnswer) => void;
}

/** Where boards go by themselves in a vault: the other side of the hidden default. */
const VISIBLE = 'Agent boards';

/** Asks for a folder, moves all boards there, shows how far it is, and can be cancelled on the way. */
class MoveDialog extends TabModal {
  private stop = new AbortController();
  private running = false;
  private field!: TextComponent;
  private problem!: HTMLElement;
  private buttons!: HTMLElement;

  constructor(
    app: App,
    private readonly deps: MoveDialogDeps,
  ) {
    super(app);
    this.modalEl.addClass('atb-dialog');
  }

  override onOpen(): void {
    this.setTitle('Move boards to another folder');
    this.ask('');
  }

  /** Closed while it copies means cancelled: nothing was switched then. */
  override onClose(): void {
    this.stop.abort();
    this.contentEl.empty();
  }

  private ask(problem: string): void {
    const { root, unfinished } = this.deps;
    this.contentEl.empty();
    this.contentEl.createEl('p', { text: placeWords(root) });
    if (unfinished !== undefined) {
      this.contentEl.createEl('p', {
        text: `A move to ${unfinished} was not finished. Move there again to finish it; if you choose another folder, the copies made so far are removed.`,
      });
    }
    const label = this.contentEl.createEl('label', { cls: 'atb-move-field' });
    label.createSpan({ text: 'New folder' });
    this.field = new TextComponent(label);
    this.field
      .setPlaceholder(VISIBLE)
      .setValue(unfinished ?? (hidden(root) ? VISIBLE : BOARD_ROOT));
    this.problem = this.contentEl.createEl('p', {
      cls: 'atb-move-problem',
      attr: { role: 'alert' },
    });
    this.tell(problem);
    this.field.onChange(() => this.tell(this.deps.rootProblem(this.folder()) ?? ''));
    this.field.inputEl.addEventListener('keydown', (event) => {
      if (event.key === 'Enter' && !event.isComposing) void this.start();
    });
    this.buttons = this.contentEl.createDiv({ cls: 'modal-button-container' });
    new ButtonComponent(this.buttons)
      .setButtonText('Move boards')
      .setCta()
      .onClick(() => void this.start());
    new ButtonComponent(this.buttons).setButtonText('Cancel').onClick(() => this.close());
    this.field.inputEl.focus();
    this.field.inputEl.select();
  }

  private folder(): string {
    return this.field.getValue().trim().replace(/\/+$/, '');
  }

  private tell(problem: string): void {
    this.problem.setText(problem);
    this.field.inputEl.setAttr('aria-invalid', problem === '' ? null : 'true');
  }

  private async start(): Promise<void> {
    const to = this.folder();
    const problem = this.deps.rootProblem(to);
    if (problem !== undefined) return this.tell(problem);
    if (this.running) return;
    this.running = true;
    const stop = new AbortController();
    this.stop = stop;
    const progress = this.showProgress(to);
    const answer = await this.deps.move(to, { progress, cancelled: () => stop.signal.aborted });
    this.running = false;
    if (answer.ok || stop.signal.aborted) {
      this.deps.done(answer);
      this.close();
    } else this.ask(answer.message);
  }

  private showProgress(to: string): MoveControl['progress'] {
    this.contentEl.empty();
    const words = this.contentEl.createEl('p', {
      text: `Copying to ${to}…`,
      attr: { role: 'status' },
    });
    const bar = this.contentEl.createEl('progress', {
      cls: 'atb-move-bar',
      attr: { 'aria-label': 'Copied' },
    });
    const buttons = this.contentEl.createDiv({ cls: 'modal-button-container' });
    const cancel = new ButtonComponent(buttons).setButtonText('Cancel').onClick(() => {
      this.stop.abort();
      cancel.setDisabled(true);
      words.setText('Removing the copies…');
    });
    return (done, total) => {
      if (this.stop.signal.aborted) return;
      words.setText(`Copying to ${to}: ${done} of ${total} files.`);
      bar.max = Math.max(1, total);
      bar.value = done;
    };
  }
}

function placeWords(root: string): string {
  const now = `The boards are in ${root}. Each file is copied and checked, then the setting is switched, then the old files go to the trash.`;
  return hidden(root)
    ? `${now} Obsidian Sync skips hidden folders, so these boards stay on this device. Move them to a visible folder to sync them.`
    : `${now} In a hidden folder they leave search, links and Obsidian Sync.`;
}

function hidden(root: string): boolean {
  return root.split('/').some((name) => name.startsWith('.'));
}

/** What came of a move, for the person. */
export function moveWords(answer: MoveAnswer): string {
  if (!answer.ok) return answer.message;
  const { from, to, count, besides, problem } = answer;
  const done =
    count === 0
      ? `New boards go to ${to}.`
      : count === 1
        ? `1 file was moved to ${to}. The old one is in the trash.`
        : `${count} files were moved to ${to}. The old ones are in the trash.`;
  const moved = problem === undefined ? done : `The boards are in ${to} now. ${problem}`;
  const copies =
    besides.length === 0
      ? ''
      : ` Written in ${from} and in ${to} at the same time, so both are kept: ${besides.join(', ')}.`;
  return `${moved}${copies} OpenCode uses the new folder from now on. Restart it: until then its own tools can edit these notes without asking.`;
}
