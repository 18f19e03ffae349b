import type { MoveAnswer } from '../../core/board/move-boards';

/** What came of a move, for the person. */
export function moveWords(answer: MoveAnswer): string {
  if (!answer.ok) return answer.message;
  const { from, to, count, besides, problem } = answer;
  const done =
    count === 0
      ? `New boards go to ${to}.`
      : count === 1
        ? `1 file was moved to ${to}. The old one is in the trash.`
        : `${count} files were moved to ${to}. The old ones are in the trash.`;
  const moved = problem === undefined ? done : `The boards are in ${to} now. ${problem}`;
  const copies =
    besides.length === 0
      ? ''
      : ` Written in ${from} and in ${to} at the same time, so both are kept: ${besides.join(', ')}.`;
  return `${moved}${copies} OpenCode uses the new folder from now on; restart it, so that agents ask before they edit these notes by hand.`;
}
