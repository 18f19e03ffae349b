import type { Priority } from '../task';
import { dataviewWords, priorityWord } from './dataview';
import { priorityEmoji } from './line-facts';
import type { TaskLine } from './task-line';

/** Fields with a value that a program writes. */
type WrittenKind = 'id' | 'dependsOn' | 'due' | 'done' | 'cancelled';

const EMOJI_OF: Readonly<Record<WrittenKind, string>> = {
  id: '🆔',
  dependsOn: '⛔',
  due: '📅',
  done: '✅',
  cancelled: '❌',
};

/** A new field as it is written into a line, in the dialect that the line has. */
export function writtenField(line: TaskLine, kind: WrittenKind, value: string): string {
  return speaksDataview(line) ? dataviewWords(kind, value) : `${EMOJI_OF[kind]} ${value}`;
}

/** The same of a priority; undefined for the normal one, which is written nowhere. */
export function writtenPriority(line: TaskLine, priority: Priority): string | undefined {
  const word = priorityWord(priority);
  if (word === undefined || !speaksDataview(line)) return priorityEmoji(priority);
  return dataviewWords('priority', word);
}

/** A line with fields of the Dataview dialect, and none with an emoji. */
function speaksDataview({ tail, dataview }: TaskLine): boolean {
  return dataview.length > 0 && tail.fields.length === 0;
}
