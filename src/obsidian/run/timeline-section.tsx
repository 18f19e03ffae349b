import { count, saidOf, span } from '../../core/orchestrator/run-words';
import { useMemo, useState } from 'preact/hooks';
import type { Board } from '../../core/board/task';
import { stepsOf, type RunView } from '../../core/orchestrator/runs';
import { Icon } from '../ui/icon';
import type { RunIntent } from './run-intent';
import { RunRow, RunSection, ShowMore } from './section';
import { knownRun, sessionOf } from './run-words';
import { timeOfDay, shortDay } from '../ui/text';
import type { TimelineEntry } from '../../core/orchestrator/state';

const MOST = 60;

interface Item {
  readonly key: string;
  readonly at: number;
  readonly words: EntryWords;
  readonly deed: RunIntent | undefined;
}

/** What happened, newest first. Entries lead to what they tell of. */
export function TimelineSection(props: {
  readonly view: RunView;
  readonly board: Board | undefined;
  readonly now: number;
  readonly onDo: (deed: RunIntent) => void;
}) {
  const { view, board, now, onDo } = props;
  const [all, setAll] = useState(false);
  const items = useMemo(() => itemsOf(view, board), [view, board]);
  const [newest] = items;
  if (newest === undefined) return null;
  const shown = all ? items : items.slice(0, MOST);
  const left = items.length - shown.length;
  return (
    <RunSection name="Timeline" aside={shortDay(newest.at, now)}>
      <ol class="atb-run-timeline">
        {shown.map((item, at) => (
          <li key={item.key}>
            {isNewDay(shown[at - 1], item, now) && (
              <div class="atb-run-day">{shortDay(item.at, now)}</div>
            )}
            <Entry item={item} onDo={onDo} />
          </li>
        ))}
      </ol>
      {left > 0 && <ShowMore words={`Show ${count(left)} older`} onClick={() => setAll(true)} />}
    </RunSection>
  );
}

function itemsOf(view: RunView, board: Board | undefined): readonly Item[] {
  const timeline = knownRun(view)?.timeline ?? [];
  return timeline
    .map((entry, at) => {
      const key = `${entry.at} ${entry.kind} ${entry.task ?? ''} ${timeline.length - at}`;
      return {
        key,
        at: entry.at,
        words: timelineEntryWords(entry),
        deed: entryIntent(entry, view, board),
      };
    })
    .reverse();
}

function isNewDay(before: Item | undefined, { at }: Item, now: number): boolean {
  return before !== undefined && shortDay(before.at, now) !== shortDay(at, now);
}

function Entry({ item, onDo }: { readonly item: Item; readonly onDo: (deed: RunIntent) => void }) {
  const { deed, words } = item;
  const content = (
    <>
      <time class="atb-run-time" dateTime={new Date(item.at).toISOString()}>
        {timeOfDay(item.at)}
      </time>
      <span class="atb-run-icon" data-tone={words.tone}>
        <Icon name={words.icon} />
      </span>
      <span class="atb-run-body">
        <span class="atb-title">{words.title}</span>
        {words.text !== '' && <span class="atb-run-text">{words.text}</span>}
      </span>
    </>
  );
  if (deed === undefined) return <div class="atb-run-entry">{content}</div>;
  return (
    <RunRow id={`entry ${item.key}`} class="atb-run-entry" onClick={() => onDo(deed)}>
      {content}
    </RunRow>
  );
}

/** An entry of the timeline as it is drawn. */
interface EntryWords {
  readonly icon: string;
  readonly tone: 'plain' | 'error';
  readonly title: string;
  /** the quieter line under it; may be empty */
  readonly text: string;
}

const ICONS: Readonly<Record<TimelineEntry['kind'], string>> = {
  started: 'goal',
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

/** What happened, in words. */
export function timelineEntryWords(entry: TimelineEntry): EntryWords {
  const { kind } = entry;
  const tone = kind === 'failed' || kind === 'tried_again' ? 'error' : 'plain';
  return { icon: ICONS[kind], tone, ...sentences(entry) };
}

function sentences(entry: TimelineEntry): { title: string; text: string; icon?: string } {
  const { kind, task, words } = entry;
  const name = task ?? 'The plan';
  switch (kind) {
    case 'started':
      return { title: 'The run began', text: '' };
    case 'planned':
      return { title: 'The plan is ready', text: words };
    case 'approved':
      return { title: 'You approved the plan', text: words };
    case 'checkpoint': {
      const which = `Checkpoint ${entry.checkpoint ?? ''}`.trim();
      return { title: which, text: task === null ? words : `Before ${task}` };
    }
    case 'begun':
    case 'passed':
      return { title: name, text: saidOf(entry) };
    case 'checked':
      return { title: `Checking ${name}`, text: words };
    case 'tried_again':
      return {
        title: task === null ? 'Planned again' : `Tried again: ${task}`,
        text: whyOf(entry),
      };
    case 'failed':
      return { title: `${name} failed`, text: saidOf(entry) };
    case 'person':
      return byPerson(task, words);
    case 'rolled_back':
      return {
        title: `You rolled back to checkpoint ${entry.checkpoint ?? ''}`.trim(),
        text: words,
      };
    case 'paused':
      return { title: 'Paused', text: words };
    case 'resumed':
      return { title: 'Resumed', text: words };
    case 'waits':
      return { title: 'Waits for you', text: words };
    case 'connection':
      return connection(entry);
    case 'ended':
      return { title: words === '' ? 'Done' : 'Ended', text: words };
  }
}

/** The title says that it is tried again. */
function whyOf({ words, attempt }: TimelineEntry): string {
  return attempt === undefined ? words : `Attempt ${attempt.n} failed: ${words}`;
}

function byPerson(task: string | null, words: string): { title: string; text: string } {
  if (task === null) return { title: 'You asked for another plan', text: words };
  if (words === 'marked done') return { title: `You marked ${task} done`, text: '' };
  if (words === 'tried again') return { title: `You had ${task} tried again`, text: '' };
  const skipped = /^(cancelled|deferred): ?(.*)$/.exec(words);
  if (skipped === null) return { title: `You: ${task}`, text: words };
  const [, how, reason = ''] = skipped;
  return { title: `You ${String(how)} ${task}`, text: reason };
}

function connection({ words, ms }: TimelineEntry): { title: string; text: string; icon?: string } {
  if (ms === undefined) return { icon: 'unplug', title: words.replace(/\.$/, ''), text: '' };
  return { title: `Reconnected after ${span(ms)}`, text: 'Nothing was lost.' };
}

/** What an entry of the timeline opens: a session, a task or a checkpoint; undefined: nothing. */
function entryIntent(
  entry: TimelineEntry,
  view: RunView,
  board: Board | undefined,
): RunIntent | undefined {
  const { kind, task, checkpoint } = entry;
  const planner = knownRun(view)?.planner ?? undefined;
  switch (kind) {
    case 'checkpoint':
      return checkpoint === undefined
        ? taskDeed(entry, board)
        : { kind: 'roll_back', n: checkpoint };
    case 'begun':
    case 'tried_again':
    case 'failed':
    case 'passed':
    case 'checked': {
      const session = task === null ? planner : sessionAt(entry, view);
      return session === undefined ? taskDeed(entry, board) : { kind: 'session', session };
    }
    case 'started':
    case 'planned':
      return planner === undefined ? undefined : { kind: 'session', session: planner };
    case 'approved':
    case 'rolled_back':
      return { kind: 'board' };
    case 'person':
      return task === null ? { kind: 'board' } : taskDeed(entry, board);
    case 'paused':
    case 'resumed':
    case 'waits':
    case 'connection':
    case 'ended':
      return undefined;
  }
}

function taskDeed({ id, task }: TimelineEntry, board: Board | undefined): RunIntent | undefined {
  const found = board?.tasks.find((one) => (id === undefined ? one.title === task : one.id === id));
  return found === undefined ? undefined : { kind: 'board', task: found.id };
}

/** When a step begins, its session is not there yet: the one that it has now. */
function sessionAt({ id, session }: TimelineEntry, view: RunView): string | undefined {
  if (session !== undefined) return session;
  const step = stepsOf(view).find(({ task }) => task === id);
  if (step !== undefined) return sessionOf(step);
  const later = knownRun(view)?.timeline.findLast(
    (one) => one.id === id && one.session !== undefined,
  );
  return later?.session;
}
