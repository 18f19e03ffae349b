import type { App, WorkspaceLeaf } from 'obsidian';
import { useLayoutEffect, useMemo, useReducer, useState } from 'preact/hooks';
import { useAudit, type AuditSource } from '../audit/audit-source';
import type { Intents } from '../board/intents';
import { PlanTree } from '../embed/plan-tree';
import { useOverview, type Overview } from '../model/overview';
import { FilteredOverview } from '../embed/filtered-overview';
import { Placeholders } from '../sidebar/empty-state';
import type { TaskTreeRow } from '../sidebar/rows';
import { Banner } from '../ui/banner';
import { PreactView } from '../ui/preact-view';
import { noteName } from '../ui/text';
import type { NamedTasks, NoteTaskIndex, Resolve } from './note-task-index';
import { t } from '../language/text';

export const NOTE_TASKS_VIEW = 'agent-task-boards-note-tasks';

export interface NoteTasksDeps {
  readonly app: App;
  readonly overview: Overview;
  readonly intents: Intents;
  readonly audit: AuditSource;
  readonly index: NoteTaskIndex;
  readonly resolve: Resolve;
  readonly today: () => string;
  readonly phone: () => boolean;
  /** one of our views was shown */
  readonly shown: () => void;
}

/** The tasks of all boards that link to the active note. */
export class NoteTasksView extends PreactView {
  override navigation = false;

  constructor(
    leaf: WorkspaceLeaf,
    private readonly deps: NoteTasksDeps,
  ) {
    super(leaf, { type: NOTE_TASKS_VIEW, icon: 'file-check' });
  }

  override getDisplayText(): string {
    return t('noteTasks.tasksOfThisNote');
  }

  override onOpen(): Promise<void> {
    this.draw();
    this.deps.shown();
    return super.onOpen();
  }

  protected override content() {
    return <NoteTasks {...this.deps} />;
  }
}

function NoteTasks(props: NoteTasksDeps) {
  const { app, overview, index, resolve } = props;
  const { note, moves } = useActiveNote(app);
  const state = useOverview(overview);
  const { page } = useAudit(props.audit);
  const named = useMemo(() => {
    index.update(state.boards, page.rows);
    return note === undefined ? NO_TASKS : index.tasksOf(note, resolve);
  }, [index, resolve, note, moves, state.boards, page.rows]);
  return (
    <div class="atb-sidebar atb-note-tasks">
      <div class="atb-note-tasks-head">
        {note === undefined
          ? t('noteTasks.tasksOfThisNote')
          : t('noteTasks.tasksThatNameNote', { note: noteName(note) })}
      </div>
      <div class="atb-scroll">
        {state.loaded ? <NamedTaskTree key={note} {...{ props, named, note }} /> : <Placeholders />}
      </div>
    </div>
  );
}

const NO_TASKS: NamedTasks = new Map();

function NamedTaskTree(given: {
  readonly props: NoteTasksDeps;
  readonly named: NamedTasks;
  readonly note: string | undefined;
}) {
  const { props, named, note } = given;
  const { intents, today, phone } = props;
  const overview = useMemo(
    () =>
      new FilteredOverview(props.overview, ({ boards }) =>
        boards.filter(({ path, shelved }) => named.has(path) && shelved !== true),
      ),
    [props.overview, named],
  );
  const keep = useMemo(
    () => (row: TaskTreeRow) => named.get(row.board.path)?.has(row.row.task.key) === true,
    [named],
  );
  if (named.size === 0) {
    return (
      <Banner
        icon="file-check"
        label={t(note === undefined ? 'noteTasks.noNoteIsOpen' : 'noteTasks.noTaskNamesThisNote')}
        text={note === undefined ? t('noteTasks.openANote') : t('noteTasks.howTasksNameNotes')}
        buttons={[]}
      />
    );
  }
  return <PlanTree {...{ overview, intents, today, phone, keep }} scope="note-" />;
}

/** The active note, or the last one; `moves` counts events that may change where links lead. */
function useActiveNote({ workspace, vault }: App): {
  readonly note: string | undefined;
  readonly moves: number;
} {
  const [moves, countMove] = useReducer((count: number) => count + 1, 0);
  const [note, setNote] = useState(() => workspace.getActiveFile()?.path);
  useLayoutEffect(() => {
    const look = () => setNote(workspace.getActiveFile()?.path);
    const change = () => {
      countMove(undefined);
      look();
    };
    const opened = workspace.on('file-open', look);
    const files = [
      vault.on('create', change),
      vault.on('delete', change),
      vault.on('rename', change),
    ];
    look();
    return () => {
      workspace.offref(opened);
      for (const event of files) vault.offref(event);
    };
  }, [workspace, vault]);
  return { note, moves };
}
