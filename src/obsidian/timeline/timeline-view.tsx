import type { WorkspaceLeaf } from 'obsidian';
import type { Ref, RefObject } from 'preact';
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { comingTasks } from '../../core/board/graph/coming-tasks';
import type { ChangeRecord } from '../../core/board/history/change-record';
import { workSpans } from '../../core/board/history/work-spans';
import type { Checkpoint } from '../../core/board/checkpoint/checkpoints';
import type { Board } from '../../core/board/task';
import type { RunView } from '../../core/orchestrator/runs';
import type { Clock, Undo } from '../../core/ports';
import type { Block } from '../../core/session/transcript/transcript';
import { useAudit, type AuditSource } from '../audit/audit-source';
import type { CurrentTask } from '../model/current-task';
import { useOverview, type Overview } from '../model/overview';
import { moveFocus, Roving, RowText, RunRow, RunSection } from '../run/section';
import type { SessionHistory } from '../session/session-history';
import { Banner } from '../ui/banner';
import type { PickItem } from '../ui/dialog';
import { SearchField, Select } from '../ui/fields';
import { followTitle, PreactViewWithActions } from '../ui/preact-view';
import { isFieldTarget } from '../ui/focus';
import { Button, Icon, IconButton } from '../ui/icon';
import { monthWords, shortDay, timeOfDay } from '../ui/text';
import { useViewActions } from '../ui/use-view-actions';
import { useChanges } from '../ui/use-changes';
import type { ViewWithActions, ViewActions } from '../ui/view-actions';
import { filterItems, timelineItems, type TimelineFilter, type TimelineItem } from './items';
import { TIMELINE_PERIODS, WorkLane, type TimelinePeriod } from './work-lane';
import { errorText, t } from '../language/text';

export const TIMELINE_VIEW = 'agent-task-boards-timeline';

/** Data and actions of the timeline. */
export interface TimelineDeps {
  readonly overview: Overview;
  readonly current: CurrentTask;
  readonly clock: Pick<Clock, 'now' | 'after'>;
  readonly audit: AuditSource;
  readonly runs: { all(): readonly RunView[]; onChange(listener: () => void): Undo };
  readonly transcripts: SessionHistory['viewTranscripts'];
  /** loads the stored transcript of a session */
  readonly openSession: (session: string) => Promise<void>;
  /**
   * the stored history of a board.
   * @throws StoreError
   */
  readonly loadHistory: (path: string) => Promise<StoredHistory>;
  readonly open: (board: Board, item: TimelineItem) => void;
  readonly openTask: (board: Board, task: string) => void;
  readonly undo: (item: TimelineItem) => void;
  readonly pick: <T>(choices: readonly PickItem<T>[], words: string) => Promise<T | undefined>;
}

export interface StoredHistory {
  readonly records: readonly ChangeRecord[];
  readonly checkpoints: readonly Checkpoint[];
}

/** The events of a board with their times, in their own tab. */
export class TimelineView extends PreactViewWithActions {
  constructor(
    leaf: WorkspaceLeaf,
    private readonly deps: TimelineDeps,
  ) {
    super(leaf, { type: TIMELINE_VIEW, icon: 'history', class: 'atb-timeline', stateKey: 'path' });
  }

  override getDisplayText(): string {
    const board = this.deps.overview.state.boards.find(({ path }) => path === this.shownId);
    return board === undefined
      ? t('timeline.timeline')
      : t('timeline.timelineOf', { title: board.title });
  }

  override onOpen(): Promise<void> {
    followTitle(this, this.deps.overview);
    return super.onOpen();
  }

  protected override content() {
    const { deps, shownId: path, handle } = this;
    return <TimelineApp key={path} {...{ deps, path, handle }} />;
  }
}

interface TimelineProps {
  readonly deps: TimelineDeps;
  readonly handle: Ref<ViewWithActions>;
}

function TimelineApp({ deps, path, handle }: TimelineProps & { readonly path: string }) {
  const { boards, loaded } = useOverview(deps.overview);
  const board = boards.find((one) => one.path === path);
  if (board !== undefined) return <BoardTimeline {...{ deps, board, handle }} />;
  return (
    <p class="atb-audit-nothing" role="status">
      {loaded ? t('timeline.boardGone') : t('timeline.readingTheBoards')}
    </p>
  );
}

const EMPTY_HISTORY: StoredHistory = { records: [], checkpoints: [] };

/**
 * Interval in ms, and number, of further attempts to read the record of another program's change.
 */
const [RETRY_DELAY, MAX_TRIES] = [500, 4];

/** The stored history of a board, read again whenever the board changes. */
function useStoredHistory({ loadHistory, clock }: TimelineDeps, board: Board) {
  const [found, setFound] = useState<StoredHistory>();
  const [problem, setProblem] = useState<string>();
  const [tries, setTries] = useState(0);
  useLayoutEffect(() => {
    let stop: Undo = () => undefined;
    let isCurrent = true;
    const load = async (left: number): Promise<void> => {
      try {
        const read = await loadHistory(board.path);
        if (!isCurrent) return;
        setFound(read);
        setProblem(undefined);
        // Another program writes the note first, then the record.
        const behind = (read.records.at(-1)?.rev ?? 0) < board.rev;
        if (behind && left > 1) stop = clock.after(RETRY_DELAY, () => void load(left - 1));
      } catch (error) {
        if (isCurrent) setProblem(errorText(error));
      }
    };
    void load(MAX_TRIES);
    return () => {
      isCurrent = false;
      stop();
    };
  }, [loadHistory, clock, board, tries]);
  return { found, problem, again: () => setTries(tries + 1) };
}

/**
 * The blocks of a transcript that the timeline shows; keeps its identity while only the agent's
 * text grows.
 */
function useTimelineBlocks(
  transcripts: TimelineDeps['transcripts'],
  session: string,
): readonly Block[] {
  const [said, setSaid] = useState<readonly Block[]>([]);
  useLayoutEffect(() => {
    const look = (): void => {
      const relevant = transcripts
        .get(session)
        .blocks.filter(({ kind }) => TIMELINE_KINDS.has(kind));
      setSaid((before) =>
        relevant.length === before.length && relevant.every((block, at) => block === before[at])
          ? before
          : relevant,
      );
    };
    look();
    return transcripts.onChange(session, look);
  }, [transcripts, session]);
  return said;
}

const TIMELINE_KINDS: ReadonlySet<Block['kind']> = new Set(['prompt', 'turn', 'board']);

const NO_FILTER: TimelineFilter = { who: '', text: '' };

/** Entries drawn at first, and added at a time. */
const ENTRIES = 100;

/**
 * The newest entries, and a function that draws more of them and focuses the first of these. Newer
 * entries that come meanwhile take the place of none.
 */
function useOlderEntries(
  items: readonly TimelineItem[],
  filter: TimelineFilter,
  root: RefObject<HTMLElement | null>,
) {
  const now = useRef({ filter, newest: items[0]?.key, count: ENTRIES });
  const [focus, setFocus] = useState<{ readonly key: string }>();
  if (now.current.filter !== filter) now.current = { filter, newest: undefined, count: ENTRIES };
  const { current } = now;
  const added = items.findIndex(({ key }) => key === current.newest);
  // More than that were read from the disk, rather than happened.
  if (added > 0 && added < ENTRIES) current.count += added;
  current.newest = items[0]?.key;
  useLayoutEffect(() => {
    const row = `[data-run-row="${CSS.escape(focus?.key ?? '')}"]`;
    root.current?.querySelector<HTMLElement>(row)?.focus({ preventScroll: true });
  }, [focus, root]);
  const first = items[current.count];
  const showOlder =
    first &&
    (() => {
      current.count += ENTRIES;
      setFocus(first);
    });
  return { shown: items.slice(0, current.count), showOlder };
}

/** The period that the person chose for the lane of work, and the action that asks for one. */
function usePeriod(pick: TimelineDeps['pick']) {
  const [period, setPeriod] = useState<TimelinePeriod>();
  const choices = TIMELINE_PERIODS.map(([value, text]) => ({ text, value }));
  const askPeriod = async () => {
    const chosen = await pick(choices, t('timeline.period'));
    if (chosen !== undefined) setPeriod(chosen);
  };
  return { period, setPeriod, askPeriod };
}

function BoardTimeline({ deps, board, handle }: TimelineProps & { readonly board: Board }) {
  const { clock, openSession } = deps;
  const { found, problem, again } = useStoredHistory(deps, board);
  const { page } = useAudit(deps.audit);
  const { older } = page;
  useChanges(deps.runs);
  const blocks = useTimelineBlocks(deps.transcripts, board.session);
  useLayoutEffect(() => void openSession(board.session), [openSession, board.session]);
  const [filter, setFilter] = useState(NO_FILTER);
  const root = useRef<HTMLDivElement>(null);
  const field = useRef<HTMLInputElement>(null);
  const now = clock.now();
  const runs = deps.runs.all().filter((view) => view.board === board.path);
  const { records, checkpoints } = found ?? EMPTY_HISTORY;
  const all = useMemo(
    () => timelineItems({ board, records, checkpoints, runs, rows: page.rows, blocks }),
    [board, records, checkpoints, page, blocks, ...runs],
  );
  const spans = useMemo(() => workSpans(records, board), [records, board]);
  const coming = useMemo(() => comingTasks(board), [board]);
  const items = useMemo(() => filterItems(all, filter), [all, filter]);
  const { shown, showOlder } = useOlderEntries(items, filter, root);
  const { period, setPeriod, askPeriod } = usePeriod(deps.pick);
  const atOf = useMemo(() => currentTaskIds(board), [board]);
  const narrowed = items.length < all.length;
  const people = [...new Set(all.map((item) => item.who))].sort();
  useViewActions(handle, () => ({
    'filter-entries': () => field.current?.focus(),
    ...((filter.who !== '' || filter.text !== '') && {
      'clear-filter': () => setFilter(NO_FILTER),
    }),
    ...(showOlder && { 'show-older': showOlder }),
    ...((spans.length > 0 || coming.length > 0) && { 'work-period': askPeriod }),
    ...(older !== undefined && { 'load-older': () => deps.audit.load(older) }),
    ...entryActions(deps, board, items, people, (who) => setFilter({ ...filter, who })),
  }));
  return (
    <div
      class="atb-timeline-app"
      ref={root}
      onKeyDown={(event) => handleKey(event, root.current, field.current)}
    >
      <FilterBar
        {...{ filter, field, people }}
        count={narrowed ? t('problems.someOf', { shown: items.length, count: all.length }) : ''}
        onFilter={setFilter}
      />
      {problem !== undefined && (
        <Banner
          {...{ icon: 'circle-alert', tone: 'error', text: problem }}
          label={t('timeline.historyUnreadable')}
          buttons={[{ label: t('common.tryAgain'), onClick: again }]}
        />
      )}
      <div class="atb-timeline-scroll">
        <Roving
          first={items[0]?.key}
          follow={{ current: deps.current, root, drawn: found !== undefined }}
        >
          <WorkLane
            {...{ spans, coming, now, atOf, chosen: period }}
            onPeriod={setPeriod}
            onOpen={(task) => deps.openTask(board, task)}
          />
          <Entries
            {...{ shown, now, deps, board, atOf }}
            left={items.length - shown.length}
            onOlder={showOlder}
            reading={found === undefined && problem === undefined}
            narrowed={narrowed}
            onClear={() => setFilter(NO_FILTER)}
          />
        </Roving>
        <OlderAudit audit={deps.audit} now={now} />
      </div>
    </div>
  );
}

/** Loads the audit of the month before those that were read. */
function OlderAudit({ audit, now }: { readonly audit: AuditSource; readonly now: number }) {
  const { page, loading } = useAudit(audit);
  const { older } = page;
  if (older === undefined) return null;
  return (
    <MoreButton
      words={t('timeline.loadAuditOf', { month: monthWords(older, now) })}
      disabled={loading !== undefined}
      onClick={() => void audit.load(older)}
    />
  );
}

function MoreButton(props: Pick<Parameters<typeof Button>[0], 'words' | 'disabled' | 'onClick'>) {
  return <Button kind="quiet" class="atb-run-more" {...props} />;
}

function handleKey(event: KeyboardEvent, root: HTMLElement | null, field: HTMLElement | null) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === '/' && !isFieldTarget(event.target)) field?.focus();
  else if (isFieldTarget(event.target) || root === null) return;
  else if (!moveFocus(root, event.key)) return;
  event.preventDefault();
}

/**
 * Ids of tasks in the form of `CurrentTask`; undefined for tasks that are no longer on the board.
 */
function currentTaskIds({ path, tasks }: Board): (task: string | undefined) => string | undefined {
  const keys = new Map(tasks.map(({ id, key }) => [id ?? key, key]));
  return (task = '') => (keys.has(task) ? `${path}\n${keys.get(task)}` : undefined);
}

/** The actions on entries, which a picker lists. */
function entryActions(
  { pick, open, undo }: TimelineDeps,
  board: Board,
  items: readonly TimelineItem[],
  people: readonly string[],
  show: (who: string) => void,
): ViewActions {
  const choose = async (
    words: string,
    fits: (item: TimelineItem) => boolean,
    run: (item: TimelineItem) => void,
  ) => {
    const choices = items
      .filter(fits)
      .map((value) => ({ text: `${value.title} · ${value.who}, ${timeOfDay(value.at)}`, value }));
    const item = await pick(choices, words);
    if (item !== undefined) run(item);
  };
  const canUndo = (item: TimelineItem) => item.undo !== undefined;
  const filterByWho = async () => {
    const who = await pick(
      people.map((value) => ({ text: value, value })),
      t('timeline.byWho'),
    );
    if (who !== undefined) show(who);
  };
  return {
    ...(items.length > 0 && {
      'open-entry': () =>
        choose(
          t('timeline.openWhichEntry'),
          () => true,
          (item) => open(board, item),
        ),
    }),
    ...(items.some(canUndo) && {
      'undo-entry': () => choose(t('timeline.undoWhichEntry'), canUndo, undo),
    }),
    ...(people.length > 0 && { 'filter-by-who': filterByWho }),
  };
}

/** The filter controls. */
function FilterBar(props: {
  readonly filter: TimelineFilter;
  readonly field: RefObject<HTMLInputElement | null>;
  readonly people: readonly string[];
  /** "12 of 80" */
  readonly count: string;
  readonly onFilter: (filter: TimelineFilter) => void;
}) {
  const { filter, people, onFilter } = props;
  const { who, text } = filter;
  return (
    <div class="atb-audit-bar" role="search" aria-label={t('timeline.filterTimeline')}>
      <SearchField
        class="atb-audit-field"
        field={props.field}
        value={text}
        label={t('timeline.filterHint')}
        onText={(words) => onFilter({ who, text: words })}
      />
      <label class="atb-audit-choice">
        <span>{t('timeline.who')}</span>
        <Select
          value={who}
          options={[['', t('timeline.all')], ...people.map((one) => [one, one] as const)]}
          onChange={(one) => onFilter({ who: one, text })}
        />
      </label>
      <span class="atb-audit-count" role="status">
        {props.count}
      </span>
    </div>
  );
}

function Entries(props: {
  readonly shown: readonly TimelineItem[];
  /** number of entries that are not drawn */
  readonly left: number;
  readonly onOlder: (() => void) | undefined;
  readonly now: number;
  readonly deps: TimelineDeps;
  readonly board: Board;
  readonly atOf: ReturnType<typeof currentTaskIds>;
  readonly reading: boolean;
  readonly narrowed: boolean;
  readonly onClear: () => void;
}) {
  const { shown, left, now, deps, board, atOf } = props;
  if (shown.length === 0) {
    return (
      <p class="atb-audit-nothing" role="status">
        {props.reading && t('timeline.readingTheHistory')}
        {!props.reading && props.narrowed && (
          <>
            {t('timeline.nothingMatches')}{' '}
            <Button words={t('timeline.clear')} onClick={props.onClear} />
          </>
        )}
        {!props.reading && !props.narrowed && t('timeline.nothingYet')}
      </p>
    );
  }
  const isNewDay = (at: number) =>
    at === 0 || shortDay(shown[at - 1]?.at ?? 0, now) !== shortDay(shown[at]?.at ?? 0, now);
  return (
    <RunSection name={t('timeline.whatHappened')}>
      <ol class="atb-run-timeline">
        {shown.map((item, at) => (
          <li key={item.key}>
            {isNewDay(at) && <div class="atb-run-day">{shortDay(item.at, now)}</div>}
            <Entry
              item={item}
              at={item.target.kind === 'board' ? atOf(item.target.task) : undefined}
              onOpen={() => deps.open(board, item)}
              onUndo={() => deps.undo(item)}
            />
          </li>
        ))}
      </ol>
      {props.onOlder && (
        <MoreButton
          words={t('timeline.showOlder', { count: Math.min(left, ENTRIES) })}
          onClick={props.onOlder}
        />
      )}
    </RunSection>
  );
}

function Entry(props: {
  readonly item: TimelineItem;
  readonly at: string | undefined;
  readonly onOpen: () => void;
  readonly onUndo: () => void;
}) {
  const { item } = props;
  return (
    <div class="atb-timeline-entry">
      <RunRow id={item.key} class="atb-run-entry" at={props.at} onClick={props.onOpen}>
        <time class="atb-run-time" dateTime={new Date(item.at).toISOString()}>
          {timeOfDay(item.at)}
        </time>
        <span class="atb-run-icon" data-tone={item.tone}>
          <Icon name={item.icon} />
        </span>
        <RowText {...item} />
        <span class="atb-timeline-who">{item.who}</span>
      </RunRow>
      {item.undo !== undefined && (
        <IconButton
          icon="undo-2"
          label={t('timeline.undoTitle', { title: item.title })}
          onClick={props.onUndo}
        />
      )}
    </div>
  );
}
