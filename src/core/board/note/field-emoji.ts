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

/** The lowest UTF-16 code unit that one of them begins or ends with; ordinary text is below. */
export const FIRST_EMOJI_UNIT = 0x23eb;

/** The field that a code point begins, undefined for none. */
export function tailKind(codePoint: number): TailKind | undefined {
  switch (codePoint) {
    case 0x1f194:
      return 'id';
    case 0x26d4:
      return 'dependsOn';
    case 0x1f53a:
    case 0x23eb:
    case 0x1f53c:
    case 0x1f53d:
    case 0x23ec:
      return 'priority';
    case 0x2795:
      return 'created';
    case 0x1f6eb:
      return 'start';
    case 0x23f3:
      return 'scheduled';
    case 0x1f4c5:
      return 'due';
    case 0x2705:
      return 'done';
    case 0x274c:
      return 'cancelled';
    case 0x1f501:
      return 'recurrence';
    case 0x1f3c1:
      return 'onCompletion';
    default:
      return undefined;
  }
}
