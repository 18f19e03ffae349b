import { MarkdownRenderer, setIcon, type App, type Component } from 'obsidian';
import { parseNote } from '../../core/board/note/parse-note';
import type { Task } from '../../core/board/task';
import { NotePieces } from './note-pieces';
import { showSource } from './note-source';

export interface ReadingPaneDeps {
  readonly app: App;
  readonly owner: Component;
  readonly path: string;
  readonly today: () => string;
  readonly onTick: (task: Task) => void;
}

/** A note in reading mode. */
export class ReadingPane {
  private readonly pieces: NotePieces;
  /** what is drawn, to draw nothing twice */
  private drawn: string | undefined;
  private touchedAtFirst: ReadonlyMap<string, number> | undefined;

  constructor(
    private readonly root: HTMLElement,
    private readonly deps: ReadingPaneDeps,
  ) {
    const { app, owner, path, today, onTick } = deps;
    root.empty();
    this.pieces = new NotePieces(root, {
      render: (markdown, into) => MarkdownRenderer.render(app, markdown, into, path, owner),
      drawIcon: setIcon,
      onTick,
      today,
    });
    owner.registerDomEvent(root, 'click', (event) => this.followLink(event));
  }

  /** @param touched how often others changed each task, by key */
  async show(text: string, touched: ReadonlyMap<string, number>): Promise<void> {
    this.touchedAtFirst ??= touched;
    const state = `${text}\n${JSON.stringify([...touched])}`;
    if (state === this.drawn) return;
    this.drawn = state;
    const note = parseNote(this.deps.path, text);
    const { broken } = note.board;
    if (broken === null) await this.pieces.show(note, this.news(touched));
    else showSource(this.root, text, broken.line);
  }

  reveal(key: string): void {
    const items = this.root.querySelectorAll<HTMLElement>('[data-key]');
    const item = [...items].find((one) => one.dataset['key'] === key);
    item?.scrollIntoView({ block: 'center' });
    item?.querySelector<HTMLElement>('.atb-mark input')?.focus({ preventScroll: true });
  }

  /** What changed since the view opened: that alone is tinted. */
  private news(touched: ReadonlyMap<string, number>): ReadonlyMap<string, number> {
    const first = this.touchedAtFirst;
    return new Map([...touched].filter(([key, count]) => (first?.get(key) ?? 0) !== count));
  }

  private followLink(event: MouseEvent): void {
    const { target } = event;
    if (!(target instanceof HTMLElement)) return;
    const link = target.closest<HTMLElement>('a.internal-link');
    const address = link?.dataset['href'] ?? link?.getAttribute('href') ?? '';
    if (address === '') return;
    event.preventDefault();
    const { app, path } = this.deps;
    void app.workspace.openLinkText(address, path, event.ctrlKey || event.metaKey);
  }
}
