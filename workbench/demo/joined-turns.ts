import type { Turn } from './turn-schema';

/**
 * Joins each answer without a tool call with the next one, for an engine whose turns end at such an
 * answer.
 */
export function joinedTurns(turns: readonly Turn[]): readonly Turn[] {
  return turns.reduce<readonly Turn[]>((all, turn) => {
    const last = all.at(-1);
    if (last === undefined || (last.tools?.length ?? 0) > 0) return [...all, turn];
    const text = [last.text, turn.text].filter((one) => one !== undefined).join('\n\n');
    return [...all.slice(0, -1), { ...last, ...turn, text }];
  }, []);
}
