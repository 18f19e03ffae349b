import { BasesView, type App, type Plugin, type QueryController } from 'obsidian';
import { render, type JSX } from 'preact';
import { BoardApp } from '../board-view/board-app';
import { BoardPrefsStore } from '../board-view/board-prefs';
import { boardDialogs } from '../board-view/board-view';
import type { Intents } from '../board/intents';
import { FilteredOverview } from '../embed/filtered-overview';
import { PlanTree } from '../embed/plan-tree';
import type { Overview } from '../model/overview';
import type { NamedStore } from '../../core/board/names/named-store';
import { Banner } from '../ui/banner';
import { keepFocus } from '../ui/focus';
import { noteIntents } from './note-intents';
import { boardOfNotes, type TaskNote } from './task-notes';
import { t } from '../language/text';

interface BasesDeps {
  readonly app: App;
  readonly overview: Overview;
  readonly intents: Intents;
  readonly today: () => string;
  readonly phone: () => boolean;
  readonly store: Pick<NamedStore, 'plainPath'>;
}

const PLANS = 'agent-task-boards-plans';
const TASK_NOTES = 'agent-task-boards-task-notes';

/**
 * Registers two views for Bases. If Bases are turned off, the app says so, and there is nothing to
 * register.
 */
export function registerBases(plugin: Plugin, deps: BasesDeps): void {
  const on = plugin.registerBasesView(PLANS, {
    name: t('bases.agentPlans'),
    icon: 'list-checks',
    factory: (controller, element) => new PlansBase(controller, element, deps),
  });
  if (!on) return;
  plugin.registerBasesView(TASK_NOTES, {
    name: t('bases.taskNotesByStatus'),
    icon: 'kanban',
    factory: (controller, element) => new TaskNotesBase(controller, element, deps),
  });
}

abstract class DrawnBase extends BasesView {
  private static count = 0;
  protected readonly scope: string;
  /** before, the app has set neither `data` nor `config` */
  private hasData = false;

  constructor(
    controller: QueryController,
    protected readonly element: HTMLElement,
    protected readonly deps: BasesDeps,
  ) {
    super(controller);
    DrawnBase.count += 1;
    this.scope = `base-${DrawnBase.count}-`;
  }

  override onload(): void {
    this.element.addClass('atb-block', 'atb-base');
    this.register(keepFocus(this.element));
    this.register(this.deps.overview.onChange(() => this.hasData && this.onDataUpdated()));
  }

  override onunload(): void {
    render(null, this.element);
  }

  onDataUpdated(): void {
    this.hasData = true;
    render(this.drawn(), this.element);
  }

  protected abstract drawn(): JSX.Element;
}

/** One row per board of the base, with the boards of one session under it. */
class PlansBase extends DrawnBase {
  override type = PLANS;
  private paths: ReadonlySet<string> = new Set();
  private readonly plans = new FilteredOverview(this.deps.overview, ({ boards }) =>
    boards.filter(({ path, shelved }) => this.paths.has(path) && shelved !== true),
  );

  override onDataUpdated(): void {
    this.paths = new Set(this.data.data.map(({ file }) => this.deps.store.plainPath(file.path)));
    this.plans.selectionChanged();
    super.onDataUpdated();
  }

  protected override drawn() {
    const { plans, scope } = this;
    const { intents, today, phone } = this.deps;
    if (plans.state.boards.length > 0) {
      return <PlanTree {...{ intents, today, phone, scope }} overview={plans} show="plans" />;
    }
    return (
      <Banner
        icon="list-checks"
        label={t('bases.noPlan')}
        text={t('bases.noPlanText')}
        buttons={[]}
      />
    );
  }
}

/** The notes of the base as a board: one card per note, in the column of its status. */
class TaskNotesBase extends DrawnBase {
  override type = TASK_NOTES;
  private drawnNotes = boardOfNotes('', []);
  private readonly notes = new FilteredOverview(this.deps.overview, () => [this.drawnNotes.board]);
  private readonly intents = noteIntents(
    this.deps.app,
    this.deps.intents,
    ({ key }) => this.drawnNotes.paths.get(key) ?? key,
  );
  private readonly prefs = new BoardPrefsStore({
    loadLocalStorage: () => this.config.get(CONFIG),
    saveLocalStorage: (_, prefs: unknown) => this.config.set(CONFIG, prefs),
  });

  override onDataUpdated(): void {
    const { metadataCache } = this.deps.app;
    const notes = this.data.data.flatMap(({ file }): TaskNote[] => {
      const properties = metadataCache.getFileCache(file)?.frontmatter ?? {};
      return 'status' in properties ? [{ path: file.path, properties }] : [];
    });
    this.drawnNotes = boardOfNotes(this.config.name, notes);
    this.notes.selectionChanged();
    super.onDataUpdated();
  }

  protected override drawn() {
    const { deps, intents, prefs, notes } = this;
    const { board } = this.drawnNotes;
    const { app, today, phone } = deps;
    return (
      <BoardApp
        {...{ intents, prefs, today, phone, ...boardDialogs(app) }}
        overview={notes}
        session={board.session}
        canInstall={false}
        inNote
      />
    );
  }
}

/** Key under which a base stores the view settings of its board. */
const CONFIG = 'agentTaskBoards';
