import { parseNote } from '../src/core/board/note/parse-note';

export const BOARD_NOTE = '.opencode/todos/s1/build-tasks.md';

/** Checks the note of a board that `grow` children wrote. Returns one sentence per problem. */
export function checkGrownBoard(
  text: string | undefined,
  acknowledged: readonly string[],
): string[] {
  if (text === undefined || text === '') return ['The note is empty or gone.'];
  const { board } = parseNote(BOARD_NOTE, text);
  if (board.broken !== null) return [`The note is torn: ${board.broken.reason}`];
  if (!text.endsWith('\n')) return ['The last line is cut.'];
  const titles = board.tasks.map(({ title }) => title);
  const there = new Set(titles);
  const lost = acknowledged.filter((name) => !there.has(name)).map((name) => `${name} is gone.`);
  const twice = titles.filter((title, at) => titles.indexOf(title) !== at);
  const numbers = new Set(board.tasks.map(({ id }) => id));
  return [
    ...lost,
    ...twice.map((title) => `${title} is there twice.`),
    ...(numbers.size < titles.length ? ['A number was given twice.'] : []),
    ...titles.filter((title) => !/^[a-z0-9]+-\d+$/.test(title)).map((title) => `${title} is torn.`),
  ];
}
