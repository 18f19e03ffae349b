import { useMemo } from 'preact/hooks';
import type { Board } from '../../core/board/task';
import { stepsOf, type RunView } from '../../core/orchestrator/runs';
import { Icon } from '../ui/icon';
import type { RunIntent } from './run-intent';
import { RowText, RunRow, RunSection, useTruncatedList, type RunProps } from './section';
import { attemptWords, knownRun, stepSession, waitReasonsSummary } from './run-words';
import { t, translated } from '../language/text';
import { timeOfDay, shortDay, workTime } from '../ui/text';
import type { TimelineEntry } from '../../core/orchestrator/state';

const MAX_ENTRIES = 60;

/** The timeline, newest first. Entries open what they are about. */
export function TimelineSection({ view, board, now, onDo }: RunProps) {
  const items = useMemo(() => runEntries(view, board), [view, board]);
  const [shown, more] = useTruncatedList(items, MAX_ENTRIES, (count) =>
    t('run.showOlder', { count }),
  );
  const [newest] = items;
  if (newest === undefined) return null;
  const isNewDay = (before: RunEntry | undefined, { at }: RunEntry) =>
    before !== undefined && shortDay(before.at, now) !== shortDay(at, now);
  return (
    <RunSection name={t('run.timeline')} aside={shortDay(newest.at, now)}>
      <ol class="atb-run-timeline">
        {shown.map((item, at) => (
          <li key={item.key}>
            {isNewDay(shown[at - 1], item) && (
              <div class="atb-run-day">{shortDay(item.at, now)}</div>
            )}
            <Entry item={item} onDo={onDo} />
          </li>
        ))}
      </ol>
      {more}
    </RunSection>
  );
}

/** A run's timeline, newest first; `n`: checkpoint of an entry, `person`: whether they did it. */
export function runEntries(view: RunView, board: Board | undefined) {
  const run = knownRun(view);
  const timeline = run?.timeline ?? [];
  return timeline
    .map((entry, index) => {
      const { at, kind, task, checkpoint: n, why } = entry;
      const key = `${at} ${kind} ${task ?? ''} ${timeline.length - index}`;
      const words = timelineEntryWords(
        why && run ? { ...entry, words: waitReasonsSummary(why, run.wish.limits) } : entry,
      );
      const person = kind === 'person' || kind === 'approved' || kind === 'rolled_back';
      return { key, at, n, person, words, intent: entryIntent(entry, view, board) };
    })
    .reverse();
}

type RunEntry = ReturnType<typeof runEntries>[number];

function Entry({
  item,
  onDo,
}: {
  readonly item: RunEntry;
  readonly onDo: (intent: RunIntent) => void;
}) {
  const { intent, words } = item;
  const content = (
    <>
      <time class="atb-run-time" dateTime={new Date(item.at).toISOString()}>
        {timeOfDay(item.at)}
      </time>
      <span class="atb-run-icon" data-tone={words.tone}>
        <Icon name={words.icon} />
      </span>
      <RowText {...words} />
    </>
  );
  if (intent === undefined) return <div class="atb-run-entry">{content}</div>;
  return (
    <RunRow id={`entry ${item.key}`} class="atb-run-entry" onClick={() => onDo(intent)}>
      {content}
    </RunRow>
  );
}

const ENTRY_ICONS: Readonly<Record<TimelineEntry['kind'], string>> = {
  started: 'goal',
  notes: 'library',
  planned: 'list-checks',
  approved: 'user-round',
  checkpoint: 'bookmark',
  begun: 'play',
  checked: 'clipboard-check',
  passed: 'check',
  tried_again: 'rotate-ccw',
  failed: 'circle-alert',
  person: 'user-round',
  rolled_back: 'history',
  paused: 'pause',
  resumed: 'step-forward',
  waits: 'hand',
  connection: 'plug-zap',
  ended: 'flag',
};

/** Texts of an entry; the muted line under the title may be empty. */
export function timelineEntryWords(entry: TimelineEntry) {
  const { kind } = entry;
  const tone = kind === 'failed' || kind === 'tried_again' ? 'error' : 'plain';
  const [title, text] = entryTexts(entry);
  const icon = kind === 'connection' && entry.ms === undefined ? 'unplug' : ENTRY_ICONS[kind];
  return { icon, tone, title, text };
}

function entryTexts(entry: TimelineEntry): readonly [title: string, text: string] {
  const { kind, task, attempt, ms, checkpoint: n = '', count } = entry;
  const words = translated(entry.words);
  const name = task ?? t('run.thePlan');
  switch (kind) {
    case 'started':
      return [t('run.theRunBegan'), ''];
    case 'notes':
      return [t('run.notesSentAlong'), words];
    case 'planned':
      return [
        t('run.planIsReadyEntry'),
        count === undefined ? words : t('common.tasks', { count }),
      ];
    case 'approved':
      return [t('run.youApprovedThePlan'), words];
    case 'checkpoint':
      return [
        t('board.checkpointN', { n }).trim(),
        task === null ? words : t('run.before', { task }),
      ];
    case 'begun':
    case 'passed':
      return [name, attemptWords(entry)];
    case 'checked':
      return [t('run.checkingName', { name }), words];
    case 'tried_again': {
      // The title already says that it is tried again.
      const why =
        attempt === undefined ? words : t('run.attemptFailed', { n: attempt.n, why: words });
      return [task === null ? t('run.plannedAgain') : t('run.triedAgain', { task }), why];
    }
    case 'failed':
      return [t('run.nameFailed', { name }), attemptWords(entry)];
    case 'person':
      return personActionTexts(task, words);
    case 'rolled_back':
      return [t('run.youRolledBack', { n }).trim(), words];
    case 'paused':
      return [t('run.paused'), words];
    case 'resumed':
      return [t('run.resumed'), words];
    case 'waits':
      return [t('run.waitsForYou'), words];
    case 'connection':
      if (ms === undefined) return [words.replace(/[.。]$/, ''), ''];
      return [t('run.reconnectedAfter', { time: durationText(ms) }), t('run.nothingWasLost')];
    case 'ended':
      return [words === '' ? t('common.done') : t('run.ended'), words];
  }
}

/** "8 s", "3 min", "2 h" */
function durationText(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1_000));
  return seconds < 90 ? t('dates.seconds', { n: seconds }) : workTime(Math.round(seconds / 60));
}

function personActionTexts(
  task: string | null,
  words: string,
): readonly [title: string, text: string] {
  if (task === null) return [t('run.youAskedForAnotherPlan'), words];
  if (words === 'marked done') return [t('run.youMarkedDone', { task }), ''];
  if (words === 'tried again') return [t('run.youHadTriedAgain', { task }), ''];
  const [, how, reason = ''] = /^(cancelled|deferred|sent back): ?(.*)$/.exec(words) ?? [];
  if (how === undefined) return [t('run.youDid', { task }), words];
  if (how === 'sent back') return [t('run.youSentBack', { task }), reason];
  return [
    how === 'deferred' ? t('run.youDeferred', { task }) : t('run.youCancelled', { task }),
    reason,
  ];
}

/** What an entry of the timeline opens: a session, a task or a checkpoint; undefined: nothing. */
function entryIntent(
  entry: TimelineEntry,
  view: RunView,
  board: Board | undefined,
): RunIntent | undefined {
  const { kind, task, checkpoint } = entry;
  const planner = knownRun(view)?.planner ?? undefined;
  const sessionIntent = (session: string | undefined): RunIntent | undefined =>
    session === undefined ? undefined : { kind: 'session', session };
  if (kind === 'started' || kind === 'planned') return sessionIntent(planner);
  if (STEP_KINDS.has(kind)) {
    return (
      sessionIntent(task === null ? planner : entrySession(entry, view)) ??
      openTaskIntent(entry, board)
    );
  }
  if (kind === 'checkpoint' && checkpoint !== undefined)
    return { kind: 'roll_back', n: checkpoint };
  if (kind === 'checkpoint' || (kind === 'person' && task !== null))
    return openTaskIntent(entry, board);
  const ofBoard = kind === 'person' || kind === 'approved' || kind === 'rolled_back';
  return ofBoard ? { kind: 'board' } : undefined;
}

const STEP_KINDS: ReadonlySet<TimelineEntry['kind']> = new Set([
  ...(['begun', 'tried_again', 'failed', 'passed', 'checked'] as const),
]);

function openTaskIntent(
  { id, task }: TimelineEntry,
  board: Board | undefined,
): RunIntent | undefined {
  const found = board?.tasks.find((one) => (id === undefined ? one.title === task : one.id === id));
  return found === undefined ? undefined : { kind: 'board', task: found.id };
}

/** The session of an entry; when a step starts it has none yet, so its current one. */
function entrySession({ id, session }: TimelineEntry, view: RunView): string | undefined {
  if (session !== undefined) return session;
  const step = stepsOf(view).find(({ task }) => task === id);
  if (step !== undefined) return stepSession(step);
  const later = knownRun(view)?.timeline.findLast(
    (one) => one.id === id && one.session !== undefined,
  );
  return later?.session;
}
