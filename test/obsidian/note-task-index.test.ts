import { describe, expect, it } from 'vitest';
import { parseNote } from '../../src/core/board/note/parse-note';
import { linksOf, NoteTaskIndex } from '../../src/obsidian/note-tasks/note-task-index';
import type { Board } from '../../src/core/board/task';

const NOTES = ['Plan.md', 'Ideas/Plan.md', 'Ideas/Ranking ideas.md'];
const resolve = (link: string) =>
  NOTES.find((path) => path === link || path === `${link}.md`) ??
  NOTES.find((path) => path.endsWith(`/${link}.md`));

function board(session: string, ...lines: readonly string[]): Board {
  const head = `---\nboard: 1\nsession: ${session}\nagent: build\nprefix: aaaa\nnext: 9\n---\n\n`;
  return parseNote(`boards/${session}/build-tasks.md`, head + lines.join('\n')).board;
}

const named = (index: NoteTaskIndex, note: string) =>
  [...index.tasksOf(note, resolve)].map(([path, keys]) => [path, [...keys]]);

describe('links of a task', () => {
  it('[ABOUT1] are those of its title and text, by wiki link or markdown, and no address of the web', () => {
    const task = {
      title:
        'See [[Plan#Goals|the plan]] and ![[Ideas/Plan]], not [this](https://example.org/Plan.md)',
      body: ['[ideas](Ideas/Ranking%20ideas.md#now) and [[Plan]]', '[[', '[x](%zz.md)'],
    };
    expect(linksOf(task)).toEqual(['Plan', 'Ideas/Plan', 'Ideas/Ranking ideas.md', '%zz.md']);
  });
});

describe('the index', () => {
  it('[ABOUT2] finds the tasks that name a note where the link leads there, and follows boards that change', () => {
    const index = new NoteTaskIndex();
    const one = board('ses_1', '- [ ] Read [[Plan]] 🆔 aaaa-1', '- [ ] Other 🆔 aaaa-2');
    const two = board('ses_2', '- [ ] Look 🆔 aaaa-3', '\tin [[Ideas/Plan]]');
    index.update([one, two], []);
    expect(named(index, 'Plan.md')).toEqual([['boards/ses_1/build-tasks.md', ['aaaa-1']]]);
    expect(named(index, 'Ideas/Plan.md')).toEqual([['boards/ses_2/build-tasks.md', ['aaaa-3']]]);
    index.update([board('ses_1', '- [ ] Other, [[Plan]] 🆔 aaaa-2')], []);
    expect(named(index, 'Plan.md')).toEqual([['boards/ses_1/build-tasks.md', ['aaaa-2']]]);
    expect(named(index, 'Ideas/Plan.md')).toEqual([]);
  });

  it('[ABOUT3] knows from the audit at which task an agent worked on a note', () => {
    const index = new NoteTaskIndex();
    const one = board('ses_1', '- [ ] Read 🆔 aaaa-1', '- [ ] Other 🆔 aaaa-2');
    const call = { sessionId: 'ses_1', agent: 'build', task: 'aaaa-2', path: 'Plan.md' };
    const row = (more: object, result = 'done') =>
      ({
        kind: 'call',
        intent: { operation: 'update', ...call, ...more },
        outcome: { result },
      }) as never;
    index.update(
      [one],
      [
        row({}),
        row({ task: 'aaaa-1' }, 'denied'),
        row({ path: 'Ideas/Plan.md', agent: 'explore', sessionId: 'worker' }),
        row({ path: 'Ideas/Plan.md', task: undefined }),
        row({ path: one.path, operation: 'tasks' }),
      ],
    );
    expect(named(index, 'Plan.md')).toEqual([['boards/ses_1/build-tasks.md', ['aaaa-2']]]);
    expect(named(index, 'Ideas/Plan.md')).toEqual([['boards/ses_1/build-tasks.md', ['aaaa-2']]]);
    const [, other] = one.tasks;
    const notes = other && index.notesOf(one, other, resolve);
    expect(notes).toEqual(['Plan.md', 'Ideas/Plan.md']);
  });

  it('[ABOUT2] reads a board that stayed the same no second time', () => {
    const index = new NoteTaskIndex();
    let reads = 0;
    const watched = (one: Board): Board => ({
      ...one,
      get tasks() {
        reads += 1;
        return one.tasks;
      },
    });
    const boards = Array.from({ length: 50 }, (_, at) =>
      watched(board(`ses_${at}`, '- [ ] Read [[Plan]] 🆔 aaaa-1')),
    );
    index.update(boards, []);
    const before = reads;
    index.update([...boards], []);
    named(index, 'Ideas/Ranking ideas.md');
    expect(reads).toBe(before);
    index.update([...boards.slice(1), watched(board('ses_0', '- [ ] No link'))], []);
    expect(reads).toBe(before + 1);
  });
});
