import type { SeededRandom } from './seeded';

/** Notes that calls change; writing to the second asks the person. */
export const WRITABLE_NOTES = ['Notes/free.md', 'Notes/asked.md'] as const;

/** The permission rules, in order. */
export const NOTE_RULES = [
  { permission: 'write', pattern: '**', action: 'allow' },
  { permission: '*', pattern: 'Private/**', action: 'deny' },
  { permission: 'write', pattern: WRITABLE_NOTES[1], action: 'ask' },
];

interface NoteCall {
  readonly tool: string;
  readonly args: unknown;
}

/** A random call of an agent. If it writes, it writes a line with the call's id. */
export function randomNoteCall(random: SeededRandom, callId: string): NoteCall {
  const chance = random.next();
  const write = (path: string, dryRun: boolean): NoteCall => ({
    tool: 'obsidian.update_note',
    args: { path, mode: 'append', content: lineOf(callId), dryRun },
  });
  if (chance < 0.6) return write(random.pick(WRITABLE_NOTES), false);
  if (chance < 0.7) return write(random.pick(WRITABLE_NOTES), true);
  if (chance < 0.8) return write(random.pick(REFUSED_PATHS), random.next() < 0.5);
  if (chance < 0.95) return { tool: 'obsidian.read_note', args: { path: WRITABLE_NOTES[0] } };
  return random.pick(INVALID_CALLS);
}

/** The line that a call adds to the note, once. */
export function lineOf(callId: string): string {
  return `- ${callId}`;
}

const REFUSED_PATHS = ['Private/diary.md', '.git/config', '../outside.md', '.obsidian/app.json'];

const INVALID_CALLS: readonly NoteCall[] = [
  { tool: 'obsidian.update_note', args: { path: 5 } },
  { tool: 'obsidian.read_note', args: null },
  { tool: 'obsidian.none', args: {} },
];
