import type { Seeded } from './seeded';

/** Notes that calls change; writing to the second asks the person. */
export const CHANGED = ['Notes/free.md', 'Notes/asked.md'] as const;

/** The permission rules, in order. */
export const NOTE_RULES = [
  { permission: 'write', pattern: '**', action: 'allow' },
  { permission: '*', pattern: 'Private/**', action: 'deny' },
  { permission: 'write', pattern: CHANGED[1], action: 'ask' },
];

interface NoteCall {
  readonly tool: string;
  readonly args: unknown;
}

/** A random call of an agent. If it writes, it writes a line with the call's id. */
export function anyNoteCall(random: Seeded, callId: string): NoteCall {
  const chance = random.next();
  const write = (path: string, dryRun: boolean): NoteCall => ({
    tool: 'obsidian.update_note',
    args: { path, mode: 'append', content: lineOf(callId), dryRun },
  });
  if (chance < 0.6) return write(random.pick(CHANGED), false);
  if (chance < 0.7) return write(random.pick(CHANGED), true);
  if (chance < 0.8) return write(random.pick(REFUSED), random.next() < 0.5);
  if (chance < 0.95) return { tool: 'obsidian.read_note', args: { path: CHANGED[0] } };
  return random.pick(WRONG);
}

/** The line that a call adds to the note, once. */
export function lineOf(callId: string): string {
  return `- ${callId}`;
}

const REFUSED = ['Private/diary.md', '.git/config', '../outside.md', '.obsidian/app.json'];

const WRONG: readonly NoteCall[] = [
  { tool: 'obsidian.update_note', args: { path: 5 } },
  { tool: 'obsidian.read_note', args: null },
  { tool: 'obsidian.none', args: {} },
];
