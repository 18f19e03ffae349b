import { describe, expect, test } from 'vitest';
import { parseNote } from '../../src/core/board/note/parse-note';
import type { AuditRow } from '../../src/core/permission/audit/audit-rows';
import { handoffText } from '../../src/core/tool/handoff';
import { fc } from '../seeded';

const HEAD = ['---', 'board: 1', 'session: ses_1', 'agent: build', 'prefix: k3f9', 'next: 9'];

function boardOf(title: string, lines: readonly string[]) {
  const note = [...HEAD, 'rev: 0', '---', '', `# ${title}`, '', ...lines, ''].join('\n');
  return parseNote('.opencode/todos/ses_1/build-tasks.md', note).board;
}

const task = (n: number, mark: string, title: string): string =>
  `- [${mark}] ${title} 🆔 k3f9-${n} ^k3f9-${n}`;

/** A call that read a note, in this session or another. */
const used = (path: string, sessionId = 'ses_1', result = 'done', task?: string) =>
  ({
    kind: 'call',
    intent: { kind: 'intent', sessionId, path, operation: 'read', agent: 'build', task },
    outcome: { kind: 'outcome', result },
  }) as unknown as AuditRow;

/** Quarters of a token: in o200k_base random ASCII has 3/4 per character, other text 1 per byte. */
const quarters = (text: string): number => {
  const wide = [...text].filter((letter) => letter > '\x7f').join('');
  return 3 * (text.length - wide.length) + 4 * Buffer.byteLength(wide);
};

describe('the summary for the agent that continues a plan', () => {
  test('[KEEP24] open tasks first, in progress before ready before waiting; decisions and results; notes that were used', () => {
    const board = boardOf('Search', [
      task(1, 'x', 'Choose the tokeniser'),
      '\tDecided: unicode words',
      `- [ ] Ship 🆔 k3f9-2 ⛔ k3f9-3 ^k3f9-2`,
      task(3, ' ', 'Build the index'),
      task(4, '/', 'Write it down'),
      '\tDraft stands in Notes/Draft.md',
    ]);
    const rows = [used('Notes/B.md'), used('A.md'), used('Notes/B.md'), used('C.md', 'ses_2')];
    rows.push(used('D.md', 'worker', 'done', 'k3f9-4'), used('E.md', 'worker', 'done', 'aaaa-1'));
    expect(handoffText(board, [...rows, used('No.md', 'ses_1', 'denied')]).split('\n')).toEqual([
      'You take over the work of another agent (build, session ses_1). This is what is known of it.',
      '',
      'Plan "Search" (board of build): 1 of 4 done.',
      '',
      'Open tasks:',
      '- [/] #4 Write it down (in_progress)',
      '- [ ] #3 Build the index',
      '- [ ] #2 Ship (waits for #3)',
      '',
      'Decisions and results, as the tasks say:',
      '#4 Write it down (in_progress)',
      'Draft stands in Notes/Draft.md',
      '#1 Choose the tokeniser (completed)',
      'Decided: unicode words',
      '',
      'Notes that were used:',
      '- Notes/B.md',
      '- A.md',
      '- D.md',
      '',
      'The tool `tasks` shows all of the board: {"type": "list"}.',
    ]);
  });

  test('[KEEP24] a board of 10,000 tasks stays within 2,000 tokens and says what was left out', () => {
    const lines = Array.from({ length: 10_000 }, (_, at) => [
      task(
        at + 1,
        at === 9_999 ? '/' : at % 2 === 0 ? 'x' : ' ',
        `Build part ${at} of the archive`,
      ),
      `\tDecided: ${'a word '.repeat(40)}`,
    ]).flat();
    const text = handoffText(boardOf('Large', lines), [used('Inbox.md')]);
    expect(quarters(text)).toBeLessThanOrEqual(8_000);
    const open = text.match(/^- \[[ /]\]/gm) ?? [];
    expect(open.length).toBeGreaterThan(10);
    expect(text).toContain('Open tasks:\n- [/] #10000 Build part 9999');
    expect(text).toContain(`Left out for length: ${5_000 - open.length} open tasks, `);
    expect(text).toMatch(/, \d{4} tasks with decisions or results/);
  });

  test('[KEEP24] a note that can’t be read is said, not summed up', () => {
    const board = parseNote('.opencode/todos/ses_1/build-tasks.md', '---\nboard: 7\n---\n').board;
    expect(handoffText(board, [])).toContain("can't be read");
  });

  test('[KEEP24] whatever it is made of, it stays within 2,000 tokens and counts each open task once', () => {
    const words = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 400 }),
      fc.string({ unit: 'binary', maxLength: 400 }),
      fc.constantFrom('a word', '漢'.repeat(300), '𒀀'.repeat(200), '🜁', 'x'.repeat(450)),
    );
    const one = fc.record({ title: words, body: words, mark: fc.constantFrom(' ', '/', 'x', '!') });
    const full = { cut: 0, whole: 0 };
    fc.assert(
      fc.property(
        words,
        fc.array(one, { maxLength: 120, size: 'max' }),
        fc.array(words),
        (title, all, paths) => {
          const plain = (text: string) => text.replace(/[\p{Cc}\p{Surrogate}\u2028\u2029]/gu, ' ');
          const lines = all.flatMap(({ title: name, body, mark }, at) => [
            task(at + 1, mark, plain(name)),
            `\t${plain(body)}`,
          ]);
          const board = boardOf(plain(title), lines);
          const text = handoffText(
            board,
            paths.map((path) => used(path)),
          );
          expect(quarters(text)).toBeLessThanOrEqual(8_000);
          const open = board.tasks.filter(({ status }) => !/^(completed|cancelled)$/.test(status));
          const left = Number(/Left out for length:.*?(\d+) open tasks?[,.]/.exec(text)?.[1] ?? 0);
          const part = /\nOpen tasks:\n([^]*?)\n\n/.exec(text)?.[1] ?? '';
          expect(part.match(/^- \[/gm)?.length ?? 0).toBe(open.length - left);
          full[left > 0 ? 'cut' : 'whole'] += 1;
        },
      ),
    );
    expect(full.cut).toBeGreaterThan(0);
    expect(full.whole).toBeGreaterThan(0);
  });
});
