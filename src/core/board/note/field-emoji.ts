/** The emoji that begin a field in the tail of a task line (the syntax of the Obsidian Tasks plugin). */
export type TailKind =
  | 'id'
  | 'dependsOn'
  | 'priority'
  | 'created'
  | 'start'
  | 'scheduled'
  | 'due'
  | 'done'
  | 'cancelled'
  | 'recurrence'
  | 'onCompletion';

const KINDS: ReadonlyMap<number, TailKind> = new Map([
  [0x1f194, 'id'],
  [0x26d4, 'dependsOn'],
  [0x1f53a, 'priority'],
  [0x23eb, 'priority'],
  [0x1f53c, 'priority'],
  [0x1f53d, 'priority'],
  [0x23ec, 'priority'],
  [0x2795, 'created'],
  [0x1f6eb, 'start'],
  [0x23f3, 'scheduled'],
  [0x1f4c5, 'due'],
  [0x2705, 'done'],
  [0x274c, 'cancelled'],
  [0x1f501, 'recurrence'],
  [0x1f3c1, 'onCompletion'],
]);

/** The lowest UTF-16 code unit that one of them begins or ends with; ordinary text is below. */
export const FIRST_EMOJI_UNIT = 0x23eb;

export function tailKind(codePoint: number): TailKind | undefined {
  return KINDS.get(codePoint);
}
