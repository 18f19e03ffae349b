import type { MoveAnswer } from '../../core/board/move-boards';

/** What came of a move, for the person. */
export function moveWords(answer: MoveAnswer): string {
  if (!answer.ok) return answer.message;
  const { from, to, count, besides, problem } = answer;
  const files = count === 1 ? '1 file was' : `${count} files were`;
  const done =
    count === 0
      ? `New boards go to ${to}.`
      : `${files} moved to ${to}. The old ones are in the trash.`;
  const moved = problem === undefined ? done : `The boards are in ${to} now. ${problem}`;
  const copies =
    besides.length === 0
      ? ''
      : ` Written in ${from} and in ${to} at the same time, so both are kept: ${besides.join(', ')}.`;
  return `${moved}${copies} An OpenCode that runs uses the new folder at once; restart it to have agents ask before they edit these notes by hand.`;
}
