/** A part of what a prompt says, with a name that says what it is. */
export interface ContextPart {
  readonly name: 'goal' | 'task' | 'details' | 'success' | 'results' | 'wrong' | 'instructions';
  readonly lines: readonly string[];
}

/** How the parts of a prompt become one text. Parts without lines are left out. */
export interface ContextStrategy {
  join(parts: readonly ContextPart[]): string;
}
