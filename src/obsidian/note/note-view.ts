import {
  ItemView,
  Scope,
  setIcon,
  setTooltip,
  type App,
  type Menu,
  type ViewStateResult,
  type WorkspaceLeaf,
} from 'obsidian';
import type { Drafts, UnsavedDraft } from '../../core/board/merge/note-draft';
import type { Board, Task } from '../../core/board/task';
import { StoreError, type Clock, type NoteStore, type Undo } from '../../core/ports';
import { followCurrentTask, type CurrentTask } from '../model/current-task';
import type { Overview } from '../model/overview';
import type { Intents } from '../board/intents';
import { followTitle } from '../ui/preact-view';
import { addActionItems, type ViewWithActions, type ViewActions } from '../ui/view-actions';
import type { ProblemsPanel } from '../problems/problems-panel';
import { NoteHead } from './note-head';
import { ReadingPane } from './reading-pane';
import { openSourcePane, type SourcePane } from './source-pane';
import { t } from '../language/text';
import { plainLine } from '../ui/text';

export const NOTE_VIEW = 'agent-task-boards-note';

/** Notes with more lines than this open in source mode. */
const MAX_READING_LINES = 5_000;

const EDIT_LABEL = t('note.editAsText');

export interface NoteViewDeps {
  readonly current: CurrentTask;
  readonly overview: Overview;
  readonly store: NoteStore;
  readonly drafts: Drafts;
  readonly clock: Clock;
  readonly intents: Intents;
  readonly today: () => string;
  /** problems of a file */
  readonly problems: Pick<ProblemsPanel, 'problems' | 'banner'>;
}

/** A live view of a board's note, as reading mode or text, if the app itself can't show it. */
export class NoteView extends ItemView implements ViewWithActions {
  override navigation = true;
  private path = '';
  private mode: NoteMode = 'reading';
  /** the person wants to read a note although it is long */
  private readAnyway = false;
  /** the person asked for the editor: focus it once it is open */
  private takesFocus = false;
  private long = false;
  /** nothing of this note is drawn in this mode yet */
  private isFresh = true;
  private reading: ReadingPane | undefined;
  /** the editor, in source mode */
  source: SourcePane | undefined;
  private running = Promise.resolve();
  private waiting: Promise<void> | undefined;
  private readonly news: NoteNews;
  private readonly unsavedDrafts: UnsavedDrafts;
  private head!: NoteHead;
  private body!: HTMLElement;
  private toggle!: HTMLElement;

  constructor(
    leaf: WorkspaceLeaf,
    private readonly deps: NoteViewDeps,
  ) {
    super(leaf);
    this.icon = 'list-checks';
    this.scope = new Scope(this.app.scope);
    this.news = new NoteNews(deps.clock, () => this.drawHead());
    this.unsavedDrafts = new UnsavedDrafts(this.app);
  }

  get acts(): ViewActions {
    return this.source?.acts ?? {};
  }

  override onPaneMenu(menu: Menu, source: string): void {
    super.onPaneMenu(menu, source);
    addActionItems(menu, this.acts, 'view');
  }

  override getViewType(): string {
    return NOTE_VIEW;
  }

  override getDisplayText(): string {
    return plainLine(this.board()?.title ?? '') || t('note.agentTasks');
  }

  override getState(): Record<string, unknown> {
    return { ...super.getState(), path: this.path, mode: this.mode };
  }

  override async setState(state: unknown, result: ViewStateResult): Promise<void> {
    const wanted = readViewState(state);
    await super.setState(state, result);
    await this.showState(wanted);
    if (wanted.line !== undefined) this.source?.goToLine(wanted.line);
    if (wanted.key !== undefined) this.reveal(wanted.key);
  }

  override async onOpen(): Promise<void> {
    this.contentEl.addClass('atb-note-view');
    const scroll = this.contentEl.createDiv({ cls: 'atb-note-scroll' });
    const banner = scroll.createDiv({ cls: 'atb-note-banner' });
    this.head = new NoteHead(this.contentEl, banner, this.deps);
    this.body = scroll.createDiv();
    this.toggle = this.addAction('pencil', EDIT_LABEL, () => void this.toggleMode());
    this.scope?.register(['Mod'], 'e', () => {
      void this.toggleMode();
      return false;
    });
    this.followCurrent();
    this.register(this.deps.overview.onChange(() => void this.refresh()));
    followTitle(this, this.deps.overview);
    this.register(this.deps.problems.problems.onChange(() => this.drawHead()));
    this.registerEvent(
      this.app.workspace.on('quit', (tasks) => tasks.add(async () => this.source?.flush())),
    );
    onWindowClose(this, () => this.keepUnsaved());
    await this.refresh();
  }

  override async onClose(): Promise<void> {
    this.news.close();
    await this.closeSource();
    this.head.close();
  }

  /** Switches between reading and source mode; saves the text first. */
  async toggleMode(): Promise<void> {
    this.readAnyway = this.mode === 'source';
    this.takesFocus = this.mode !== 'source';
    await this.showState({ mode: this.mode === 'source' ? 'reading' : 'source' });
    this.takesFocus = false;
    this.app.workspace.requestSaveLayout();
  }

  private async showState({ path = this.path, mode = this.mode }: NoteViewState): Promise<void> {
    if (path !== this.path || mode !== this.mode) {
      await this.closeSource();
      if (path !== this.path) this.readAnyway = false;
      [this.path, this.mode] = [path, mode];
      this.reading = undefined;
      this.isFresh = true;
    }
    await this.refresh();
  }

  private async closeSource(): Promise<void> {
    const { source } = this;
    if (source === undefined) return;
    await source.flush();
    // If it can't be saved now, the next view that opens the note takes it over.
    this.keepUnsaved();
    this.source = undefined;
    source.close();
  }

  private keepUnsaved(): void {
    if (this.source !== undefined)
      this.unsavedDrafts.put(this.source.path, this.source.unsavedText());
  }

  /** Draws the note, one run at a time; later changes are drawn by a following run. */
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
    const board = this.board();
    if (board === undefined) return;
    const touched = this.deps.overview.state.changes.get(this.path) ?? new Map<string, number>();
    this.news.update(board, touched);
    if (this.mode !== 'source' || this.source?.path !== this.path) await this.closeSource();
    if (this.source !== undefined) await this.source.pull();
    else await this.drawText(touched);
    this.showCurrent(this.isFresh);
    this.isFresh = false;
    this.drawHead();
  }

  private async drawText(touched: ReadonlyMap<string, number>): Promise<void> {
    const text = await readOrUndefined(this.deps.store, this.path);
    if (text === undefined) return;
    this.long = text.split('\n').length > MAX_READING_LINES;
    if (this.long && !this.readAnyway) this.mode = 'source';
    const [icon, name] =
      this.mode === 'source' ? ['book-open', t('note.read')] : ['pencil', EDIT_LABEL];
    setIcon(this.toggle, icon);
    setTooltip(this.toggle, name);
    if (this.mode === 'source') await this.openSource();
    else await this.readingPane().show(text, touched);
  }

  private readingPane(): ReadingPane {
    if (this.reading !== undefined) return this.reading;
    this.body.className = 'atb-note-text markdown-rendered markdown-preview-view-content';
    this.reading = new ReadingPane(this.body, {
      app: this.app,
      owner: this,
      path: this.path,
      today: this.deps.today,
      onTick: (task) => this.tick(task),
    });
    return this.reading;
  }

  private async openSource(): Promise<void> {
    this.body.empty();
    this.body.className = 'atb-note-editor';
    const { path, unsavedDrafts } = this;
    this.source = await openSourcePane(this.body, {
      path,
      name: t('note.noteOf', { title: this.getDisplayText() }),
      drafts: this.deps.drafts,
      clock: this.deps.clock,
      tasks: () => this.board()?.tasks ?? [],
      agent: () => this.board()?.agent ?? '',
      unsavedDraft: unsavedDrafts.take(path),
      foldHeader: unsavedDrafts.headerSeen(),
      onChange: () => this.drawHead(),
      onTask: (id) => {
        const task = this.board()?.tasks.find((one) => one.id === id);
        if (task !== undefined) this.deps.current.move(`${this.path}\n${task.key}`, this.body);
      },
      onSaved: () => {
        unsavedDrafts.forget(path);
        this.deps.intents.checkAgain();
      },
    });
    // Focus it here, not after the refresh: an earlier `draw` may already open the editor.
    if (!this.takesFocus) return;
    this.showCurrent(true);
    this.source?.view.focus();
  }

  private followCurrent(): void {
    const { current } = this.deps;
    const idOf = (element: Element) => {
      const key = element.closest<HTMLElement>('[data-key]')?.dataset['key'];
      return key === undefined ? undefined : `${this.path}\n${key}`;
    };
    this.register(
      followCurrentTask(current, this.body, { idOf, show: () => this.showCurrent(true) }),
    );
    this.register(current.onChange((_, by) => by === this.body && this.showCurrent(false)));
  }

  /** @param go whether to scroll to the current task, too */
  private showCurrent(go: boolean): void {
    const at = this.deps.current.id;
    const task = this.board()?.tasks.find(({ key }) => at === `${this.path}\n${key}`);
    this.source?.showCurrent(task?.id ?? undefined, go);
    if (this.source === undefined) this.reading?.showCurrent(task?.key, go);
  }

  private drawHead(): void {
    const board = this.board();
    if (board === undefined) return;
    this.head.draw({
      board,
      mode: this.mode,
      long: this.long,
      news: this.news.text,
      source: this.source,
      problems: this.mode === 'source' && this.deps.problems.banner(board.path),
      onOpenAt: (line) => void this.openAt(line),
      onCheckAgain: () => this.deps.intents.checkAgain(),
      onReadAnyway: () => void this.toggleMode(),
    });
  }

  private async openAt(line: number): Promise<void> {
    await this.showState({ mode: 'source' });
    this.source?.goToLine(line);
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
    const line = this.board()?.tasks.find((task) => task.key === key)?.line;
    if (this.source !== undefined && line !== undefined) this.source.goToLine(line);
    else this.reading?.reveal(key);
  }
}

const HEADER_SEEN_KEY = 'agent-task-boards-header-seen';

/**
 * Texts that a window could not save before it closed, in the app's local storage, the only place
 * that can be written while a window closes. Kept until they are merged into their notes. Each view
 * has its own instance: another view may leave a text of the same note.
 */
export class UnsavedDrafts {
  /** notes whose text this view left or took */
  private readonly ownPaths = new Set<string>();

  constructor(private readonly app: App) {}

  /** @param draft undefined: nothing to keep */
  put(path: string, draft: UnsavedDraft | undefined): void {
    if (draft === undefined) return;
    this.ownPaths.add(path);
    this.app.saveLocalStorage(draftKey(path), draft);
  }

  /** Removes a text that this view left or took, once it is saved. */
  forget(path: string): void {
    if (this.ownPaths.delete(path)) this.app.saveLocalStorage(draftKey(path), null);
  }

  /** Reads the text that was left for a note; it is kept until it is saved. */
  take(path: string): UnsavedDraft | undefined {
    const left: unknown = this.app.loadLocalStorage(draftKey(path));
    if (typeof left !== 'object' || left === null) return undefined;
    const { base, mine } = left as Partial<UnsavedDraft>;
    if (typeof base !== 'string' || typeof mine !== 'string') return undefined;
    this.ownPaths.add(path);
    return { base, mine };
  }

  /** Whether a header was shown on this device before; from now on it counts as shown. */
  headerSeen(): boolean {
    const seen: unknown = this.app.loadLocalStorage(HEADER_SEEN_KEY);
    this.app.saveLocalStorage(HEADER_SEEN_KEY, true);
    return seen === true;
  }
}

/** Calls `listener` when the window that shows a view closes, also after a move to another one. */
export function onWindowClose(view: ItemView, listener: () => void): void {
  const listen = (win: Window) => view.registerDomEvent(win, 'pagehide', listener);
  listen(view.contentEl.win);
  view.register(view.contentEl.onWindowMigrated(listen));
}

function draftKey(path: string): string {
  return `agent-task-boards-left:${path}`;
}

/** ms for which the bar shows what changed. */
const NEWS_DURATION = 5_000;

/** Text for the bar about what others just changed in one board. */
export class NoteNews {
  /** undefined: no recent change */
  text: string | undefined;
  private counts: ReadonlyMap<string, number> | undefined;
  private timer: Undo = () => undefined;

  constructor(
    private readonly clock: Clock,
    private readonly onExpired: () => void,
  ) {}

  /**
   * @param counts number of changes by others, by task key; the counts of the first call are not
   * reported
   */
  update(board: Board, counts: ReadonlyMap<string, number>): void {
    const before = this.counts ?? counts;
    this.counts = counts;
    const keys = [...counts].filter(([key, count]) => (before.get(key) ?? 0) < count);
    const titles = board.tasks.filter((task) => keys.some(([key]) => key === task.key));
    const [first] = titles;
    if (first === undefined) return;
    const { agent } = board;
    const count = titles.length;
    this.text =
      count === 1
        ? t('note.changedTitle', { agent, title: first.title })
        : t('note.changedTasks', { agent, count });
    this.timer();
    this.timer = this.clock.after(NEWS_DURATION, () => {
      this.text = undefined;
      this.onExpired();
    });
  }

  close(): void {
    this.timer();
  }
}

type NoteMode = 'reading' | 'source';

/** What a note view should show; missing fields keep their value. */
interface NoteViewState {
  readonly path?: string;
  readonly mode?: NoteMode;
  /** key of a task to scroll to */
  readonly key?: string;
  /** 1-based; only source mode has lines */
  readonly line?: number;
}

/** Reads a state stored by the app or given by another part of the plugin. */
export function readViewState(state: unknown): NoteViewState {
  if (typeof state !== 'object' || state === null) return {};
  const given = new Map<string, unknown>(Object.entries(state));
  const [path, mode, key, line] = ['path', 'mode', 'key', 'line'].map((name) => given.get(name));
  return {
    ...(typeof path === 'string' && { path }),
    ...((mode === 'reading' || mode === 'source') && { mode }),
    ...(typeof key === 'string' && { key }),
    ...(typeof line === 'number' && line > 0 && { line, mode: 'source' as const }),
  };
}

/** Returns undefined if a file can't be read just now; its view then stays as it is. */
async function readOrUndefined(store: NoteStore, path: string): Promise<string | undefined> {
  try {
    return await store.read(path);
  } catch (error) {
    if (error instanceof StoreError) return undefined;
    throw error;
  }
}
