import {
  ItemView,
  MarkdownRenderer,
  setIcon,
  type ViewStateResult,
  type WorkspaceLeaf,
} from 'obsidian';
import { render } from 'preact';
import { parseNote } from '../../core/board/note/parse-note';
import type { Board, Task } from '../../core/board/task';
import type { NoteStore } from '../../core/ports';
import type { Overview } from '../model/overview';
import { IconDrawer } from '../part/icon';
import type { Intents } from '../sidebar/intents';
import { RepairBanner } from '../sidebar/repair-banner';
import { NoteBar } from './note-bar';
import { NotePieces } from './note-pieces';
import { showSource } from './note-source';

export const NOTE_VIEW = 'agent-task-boards-note';

export interface NoteViewDeps {
  readonly overview: Overview;
  readonly store: NoteStore;
  readonly intents: Intents;
  readonly today: () => string;
}

/** A board's note in reading mode, for boards that the app itself does not show. Live. */
export class NoteView extends ItemView {
  override navigation = true;
  private path = '';
  /** the text that is drawn, to draw nothing twice */
  private drawn: string | undefined;
  private touchedAtFirst: ReadonlyMap<string, number> | undefined;
  private running = Promise.resolve();
  private waiting: Promise<void> | undefined;
  private bar!: HTMLElement;
  private banner!: HTMLElement;
  private text!: HTMLElement;
  private pieces!: NotePieces;

  constructor(
    leaf: WorkspaceLeaf,
    private readonly deps: NoteViewDeps,
  ) {
    super(leaf);
    this.icon = 'list-checks';
  }

  override getViewType(): string {
    return NOTE_VIEW;
  }

  override getDisplayText(): string {
    return this.board()?.title ?? 'Agent tasks';
  }

  override getState(): Record<string, unknown> {
    return { ...super.getState(), path: this.path };
  }

  override async setState(state: unknown, result: ViewStateResult): Promise<void> {
    const given = typeof state === 'object' && state !== null ? state : {};
    const path = 'path' in given && typeof given.path === 'string' ? given.path : this.path;
    if (path !== this.path) this.begin(path);
    await super.setState(state, result);
    await this.refresh();
    if ('key' in given && typeof given.key === 'string') this.reveal(given.key);
  }

  override async onOpen(): Promise<void> {
    this.contentEl.addClass('atb-note-view');
    this.bar = this.contentEl.createDiv();
    const scroll = this.contentEl.createDiv({ cls: 'atb-note-scroll' });
    this.banner = scroll.createDiv({ cls: 'atb-note-banner' });
    this.text = scroll.createDiv({
      cls: 'atb-note-text markdown-rendered markdown-preview-view-content',
    });
    this.begin(this.path);
    this.register(this.deps.overview.onChange(() => void this.refresh()));
    this.registerDomEvent(this.text, 'click', (event) => this.followLink(event));
    await this.refresh();
  }

  override onClose(): Promise<void> {
    render(null, this.bar);
    render(null, this.banner);
    return Promise.resolve();
  }

  private begin(path: string): void {
    this.path = path;
    this.drawn = undefined;
    this.touchedAtFirst = undefined;
    this.text.empty();
    this.pieces = new NotePieces(this.text, {
      render: (markdown, into) =>
        MarkdownRenderer.render(this.app, markdown, into, this.path, this),
      drawIcon: setIcon,
      onTick: (task) => this.tick(task),
      today: this.deps.today,
    });
  }

  /** One at a time; what changes meanwhile is drawn afterwards. */
  private refresh(): Promise<void> {
    if (this.waiting === undefined) {
      const next = this.running.then(() => {
        this.waiting = undefined;
        return this.draw();
      });
      this.waiting = next;
      this.running = next;
    }
    return this.waiting;
  }

  private async draw(): Promise<void> {
    const { overview, store } = this.deps;
    const board = this.board();
    if (board === undefined) return;
    this.drawBar(board);
    const touched = overview.state.changes.get(this.path) ?? new Map<string, number>();
    this.touchedAtFirst ??= touched;
    const text = await readQuietly(store, this.path);
    const state = `${text ?? ''}\n${JSON.stringify([...touched])}`;
    if (text === undefined || state === this.drawn) return;
    this.drawn = state;
    const note = parseNote(this.path, text);
    if (note.board.broken !== null) showSource(this.text, text, note.board.broken.line);
    else await this.pieces.show(note, this.news(touched));
  }

  /** What changed since the view opened: that alone is tinted. */
  private news(touched: ReadonlyMap<string, number>): ReadonlyMap<string, number> {
    const first = this.touchedAtFirst;
    return new Map([...touched].filter(([key, count]) => (first?.get(key) ?? 0) !== count));
  }

  private drawBar(board: Board): void {
    const { overview, intents, today } = this.deps;
    const { sessions, connection } = overview.state;
    render(
      <IconDrawer.Provider value={setIcon}>
        <NoteBar
          board={board}
          session={sessions.find((session) => session.id === board.session)}
          online={connection.kind === 'connected'}
          today={today()}
        />
      </IconDrawer.Provider>,
      this.bar,
    );
    render(
      <IconDrawer.Provider value={setIcon}>
        <RepairBanner board={board} intents={intents} />
      </IconDrawer.Provider>,
      this.banner,
    );
  }

  private tick(task: Task): void {
    const board = this.board();
    const now = board?.tasks.find((one) => one.key === task.key);
    if (board !== undefined && now !== undefined) this.deps.intents.tick(board, now);
  }

  private board(): Board | undefined {
    return this.deps.overview.state.boards.find((board) => board.path === this.path);
  }

  private reveal(key: string): void {
    const items = this.text.querySelectorAll<HTMLElement>('[data-key]');
    const item = [...items].find((one) => one.dataset['key'] === key);
    item?.scrollIntoView({ block: 'center' });
    item?.querySelector<HTMLElement>('.atb-mark input')?.focus({ preventScroll: true });
  }

  private followLink(event: MouseEvent): void {
    const target = event.target;
    if (!(target instanceof HTMLElement)) return;
    const link = target.closest<HTMLElement>('a.internal-link');
    const address = link?.dataset['href'] ?? link?.getAttribute('href') ?? '';
    if (address === '') return;
    event.preventDefault();
    void this.app.workspace.openLinkText(address, this.path, event.ctrlKey || event.metaKey);
  }
}

/** A file that can't be read just now is left as it is drawn. */
async function readQuietly(store: NoteStore, path: string): Promise<string | undefined> {
  try {
    return await store.read(path);
  } catch {
    return undefined;
  }
}
