import { ItemView, type App, type ViewStateResult, type WorkspaceLeaf } from 'obsidian';
import { render } from 'preact';
import { Drafts, KeptVersions } from '../../core/board/merge/note-draft';
import { STATE_ROOT, StateFiles } from '../../core/board/state-file';
import { refusal } from '../../core/fault';
import type { Clock, NoteStore } from '../../core/ports';
import { onWindowClose, UnsavedDrafts } from '../note/note-view';
import { openSourcePane, type SourcePane } from '../note/source-pane';
import type { ProblemsPanel } from '../problems/problems-panel';
import { Banner } from '../ui/banner';
import { keepFocus } from '../ui/focus';
import type { ViewWithActions, ViewActions } from '../ui/view-actions';
import { faultText, t } from '../language/text';
import type { ConfigSource } from './config-source';

export const CONFIG_NOTE_VIEW = 'agent-task-boards-config-note';

export interface ConfigNoteDeps {
  readonly store: NoteStore;
  readonly clock: Clock;
  readonly config: ConfigSource;
  readonly problems: Pick<ProblemsPanel, 'problems' | 'banner'>;
}

/**
 * A file of the configuration as text, for files that the app can't open itself: hidden ones and
 * JSON.
 */
export class ConfigNoteView extends ItemView implements ViewWithActions {
  override navigation = true;
  private path = '';
  private line = 0;
  private source: SourcePane | undefined;
  private opening = Promise.resolve();
  /** why the file can't be read, if it is there */
  private unreadable: string | undefined;
  private banner!: HTMLElement;
  private body!: HTMLElement;
  private readonly left: UnsavedDrafts;

  constructor(
    leaf: WorkspaceLeaf,
    private readonly deps: ConfigNoteDeps,
  ) {
    super(leaf);
    this.icon = 'file-code';
    this.left = new UnsavedDrafts(this.app);
  }

  get acts(): ViewActions {
    return this.source?.acts ?? {};
  }

  override getViewType(): string {
    return CONFIG_NOTE_VIEW;
  }

  override getDisplayText(): string {
    return this.path === '' ? t('config.file') : this.path;
  }

  override getState(): Record<string, unknown> {
    return { ...super.getState(), path: this.path };
  }

  override async setState(state: unknown, result: ViewStateResult): Promise<void> {
    const given = new Map<string, unknown>(Object.entries(state ?? {}));
    const [path, line] = [given.get('path'), given.get('line')];
    await super.setState(state, result);
    this.line = typeof line === 'number' ? line : 0;
    if (typeof path === 'string') await this.show(path);
    if (this.line > 0) this.source?.goToLine(this.line);
  }

  override onOpen(): Promise<void> {
    this.contentEl.addClass('atb-note-view');
    this.register(keepFocus(this.contentEl));
    const scroll = this.contentEl.createDiv({ cls: 'atb-note-scroll' });
    this.banner = scroll.createDiv({ cls: 'atb-note-banner' });
    this.body = scroll.createDiv({ cls: 'atb-note-editor' });
    // Shows changes by other programs, too.
    this.register(this.deps.config.subscribe(() => void this.show(this.path)));
    this.register(this.deps.problems.problems.onChange(() => this.draw()));
    this.registerEvent(
      this.app.workspace.on('quit', (tasks) => tasks.add(async () => this.source?.flush())),
    );
    onWindowClose(this, () => this.leave());
    return Promise.resolve();
  }

  override async onClose(): Promise<void> {
    await this.closeSource();
    render(null, this.banner);
  }

  /** Opens a file; calls run one at a time. */
  private show(path: string): Promise<void> {
    this.opening = this.opening.then(async () => {
      if (path !== this.path) await this.closeSource();
      this.path = path;
      if (path === '') return;
      const { source } = this;
      const refused = await refusal(() => (source === undefined ? this.open() : source.pull()));
      this.unreadable = refused && faultText(refused);
      this.draw();
    });
    return this.opening;
  }

  private async open(): Promise<void> {
    const { path, left } = this;
    const { store, clock, config } = this.deps;
    const drafts = new Drafts({
      ...{ store, root: () => '', commit: undefined },
      versions: new KeptVersions(new StateFiles(store, STATE_ROOT)),
      typing: { typed: () => undefined, left: () => undefined },
    });
    this.body.empty();
    this.source = await openSourcePane(this.body, {
      ...{ path, drafts, clock, unsavedDraft: left.take(path), foldHeader: false },
      name: t('config.textOf', { file: path }),
      tasks: () => [],
      agent: () => t('config.onDisk'),
      onChange: () => this.draw(),
      onTask: () => undefined,
      onSaved: () => {
        left.forget(path);
        void config.read();
      },
    });
  }

  private async closeSource(): Promise<void> {
    const { source } = this;
    if (source === undefined) return;
    await source.flush();
    this.leave();
    this.source = undefined;
    source.close();
  }

  /** Keeps unsaved text for the next view that opens the file. */
  private leave(): void {
    if (this.source !== undefined) this.left.put(this.source.path, this.source.unsavedText());
  }

  private draw(): void {
    const { source, path, unreadable } = this;
    const fault = source?.fault ?? null;
    const again = { label: t('common.tryAgain'), onClick: () => void this.show(path) };
    render(
      source === undefined ? (
        <Banner
          icon="file-x"
          label={t(unreadable === undefined ? 'config.noFile' : 'config.fileUnreadable')}
          text={unreadable ?? t('config.fileGone', { file: path })}
          buttons={unreadable === undefined ? [] : [again]}
        />
      ) : (
        <>
          {fault !== null && (
            <Banner
              icon="circle-alert"
              tone="error"
              label={t('config.notSaved')}
              text={t('note.changeIsKept', { fault })}
              buttons={[again]}
            />
          )}
          {this.deps.problems.banner(path)}
        </>
      ),
      this.banner,
    );
  }
}

/**
 * Whether a file of the configuration can be opened here; files of the person's own folder are
 * outside the vault.
 */
export function canOpen(file: string): boolean {
  return !file.startsWith('~/') && !/^https?:\/\//.test(file);
}

/** Opens a file of the configuration: in the app's own editor if that can show it, else as text. */
export async function openConfigFile(app: App, file: string, line = 0): Promise<void> {
  const { vault, workspace } = app;
  const known = file.endsWith('.md') ? vault.getFileByPath(file) : null;
  if (known !== null) {
    const leaf = workspace.getLeaf('tab');
    await leaf.openFile(known, { active: true, eState: { line: Math.max(0, line - 1) } });
    return;
  }
  const there = workspace
    .getLeavesOfType(CONFIG_NOTE_VIEW)
    .find((leaf) => leaf.getViewState().state?.['path'] === file);
  const leaf = there ?? workspace.getLeaf('tab');
  const state = { path: file, line };
  await leaf.setViewState({ type: CONFIG_NOTE_VIEW, active: true, state });
  await workspace.revealLeaf(leaf);
}
