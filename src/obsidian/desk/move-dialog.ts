import { ButtonComponent, Modal, TextComponent, type App } from 'obsidian';
import type { MoveAnswer } from '../../core/board/move-boards';
import type { MoveControl } from '../../core/board/move/copy-boards';
import { BOARD_ROOT } from '../../core/board/todo-manager';

export interface MoveDialogDeps {
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
export class MoveDialog extends Modal {
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
        text: `A move to ${unfinished} was not finished. Move there again to finish it; with another folder its copies are taken back.`,
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
      words.setText('Taking the copies back…');
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
