import type { Turn } from './turn-schema';

/** For an engine whose turns end with an answer that calls nothing: each such answer is said with the next one. */
export function joinedTurns(turns: readonly Turn[]): readonly Turn[] {
  return turns.reduce<readonly Turn[]>((all, turn) => {
    const last = all.at(-1);
    if (last === undefined || (last.tools?.length ?? 0) > 0) return [...all, turn];
    const text = [last.text, turn.text].filter((one) => one !== undefined).join('\n\n');
    return [...all.slice(0, -1), { ...last, ...turn, text }];
  }, []);
}
