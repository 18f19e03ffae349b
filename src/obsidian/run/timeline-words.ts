import { saidOf, span } from '../../core/orchestrator/run-words';
import type { TimelineEntry } from '../../core/orchestrator/timeline';

/** An entry of the timeline as it is drawn. */
export interface EntryWords {
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
export function entryWords(entry: TimelineEntry): EntryWords {
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
      return { title: 'The plan stands', text: words };
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
      return { title: 'Goes on', text: words };
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
