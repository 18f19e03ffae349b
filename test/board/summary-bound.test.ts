import { expect, test } from 'vitest';
import { boardSummaryText } from '../../src/core/board/answer/board-lines';
import type { TaskChange } from '../../src/core/board/digest';
import { parseNote } from '../../src/core/board/note/parse-note';

const MARKS = [' ', '/', '!'];

/** A board of `size` tasks, and a person's changes to all of them. */
function sample(size: number, title: (n: number) => string) {
  const lines = Array.from(
    { length: size },
    (_, n) => `- [${MARKS[n % 3]}] ${title(n)} 🆔 k3f9-${n + 1} ^k3f9-${n + 1}`,
  );
  const head = ['---', 'board: 1', 'session: s', 'agent: build', 'prefix: k3f9', `next: ${size}`];
  const note = [...head, 'rev: 0', '---', '', `# ${title(0)}`, '', ...lines, ''].join('\n');
  const { board } = parseNote('.opencode/todos/s/build-tasks.md', note);
  const changes = board.tasks.map(({ id, n, title: now }): TaskChange => {
    return { id, n, title: now, field: 'title', before: `${now}, once`, after: now };
  });
  return { board, changes };
}

const bytes = (text: string): number => Buffer.byteLength(text, 'utf8');

test('[TASKS72] the summary of 10,000 tasks is under 4,096 bytes, and still says what runs', () => {
  const { board, changes } = sample(10_000, (n) => `Build the index of part ${n} of the archive`);
  expect(board.tasks).toHaveLength(10_000);
  const text = boardSummaryText(board, changes);
  expect(bytes(text)).toBeLessThan(4_096);
  expect(text.split('\n').length).toBeLessThanOrEqual(40);
  expect(text).toContain('In progress:\n- #2 Build the index of part 1 of the archive');
  expect(text).toContain('- and 3327 more');
});

test('[TASKS72] titles of the widest characters, long and many, leave fewer lines, not more bytes', () => {
  for (const letter of ['🜁', '𒀀', '漢', 'Ω', 'e\u0301']) {
    const { board, changes } = sample(500, (n) => `${letter.repeat(400)} ${n}`);
    const text = boardSummaryText(board, changes, { tasks: board.tasks.slice(0, 1), under: false });
    expect(bytes(text)).toBeLessThanOrEqual(4_096);
    expect(text).toContain('500');
    expect(text).not.toMatch(/\p{Surrogate}/u);
  }
});

test('[TASKS72] a reason why a note can’t be read is bounded too', () => {
  const { board } = sample(1, () => 'x');
  const broken = { reason: '漢'.repeat(5_000), line: 1 };
  expect(bytes(boardSummaryText({ ...board, broken }, []))).toBeLessThanOrEqual(4_096);
});
