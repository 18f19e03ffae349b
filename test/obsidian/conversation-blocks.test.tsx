// @vitest-environment happy-dom
import { render } from 'preact';
import { act } from 'preact/test-utils';
import { afterEach, describe, expect, test } from 'vitest';
import type { Block } from '../../src/core/session/transcript/transcript';
import { BlockView } from '../../src/obsidian/conversation/block-view';
import type { BlockActions } from '../../src/obsidian/conversation/conversation-actions';
import { MarkdownContext } from '../../src/obsidian/conversation/markdown/markdown';
import { transcriptItems } from '../../src/obsidian/conversation/transcript-list';

const copied: string[] = [];
const opened: string[] = [];
const means: BlockActions = {
  review: () => undefined,
  allowOnce: () => undefined,
  connected: () => true,
  tryAgain: () => undefined,
  copy: (text) => void copied.push(text),
  openSession: (id) => void opened.push(id),
};
const root = document.body.appendChild(document.createElement('div'));

afterEach(() => {
  void act(() => render(null, root));
  copied.length = 0;
  opened.length = 0;
});

/** Draws the blocks as a transcript does, and unfolds everything. */
function draw(...blocks: Block[]): readonly string[] {
  const links = { openNote: () => undefined, images: () => false, copy: means.copy };
  void act(() =>
    render(
      <MarkdownContext.Provider value={links}>
        {transcriptItems(blocks).map((item) => (
          <section key={item.key}>
            <BlockView
              {...{
                block: item.block,
                board: item.board,
                id: item.key,
                agentName: null,
                pending: false,
                last: false,
                actions: means,
                open: true,
                onToggle: () => undefined,
              }}
            />
          </section>
        ))}
      </MarkdownContext.Provider>,
      root,
    ),
  );
  return [...root.querySelectorAll('section')].map((section) => section.textContent);
}

const call = (more: Partial<Block & { kind: 'tool' }> = {}): Block => ({
  ...{ kind: 'tool', id: 'c', at: 1_000, ended: 1_041, tool: 'tasks', status: 'completed' },
  ...more,
});
const changes = [
  { key: '1', title: 'Read', status: 'completed' as const, what: 'status' as const },
];

describe('a call on the board', () => {
  test('[CONV32] is one line with the tasks that it changed, what was sent and what was answered', () => {
    const board: Block = {
      kind: 'board',
      id: 'b',
      at: 1_010,
      path: 'p',
      by: 'agent',
      call: 'c',
      changes,
    };
    const drawn = draw(call({ input: '{"operations":[]}', output: 'All of it' }), board);
    expect(drawn).toHaveLength(1);
    expect(drawn[0]).toContain('Updated the board1 change');
    expect(drawn[0]).toContain('ReadDone');
    expect(drawn[0]).toContain('All of it');
  });

  test('[CONV32] changes that no call made stand in a line of their own', () => {
    const board: Block = { kind: 'board', id: 'b', at: 1_010, path: 'p', by: 'person', changes };
    expect(draw(call(), board)).toHaveLength(2);
  });

  test('[CONV33] of which a part was refused says so, and why, folded or not', () => {
    const refusals = { done: 1, refused: 1, reason: 'complete: There is no task 9.' };
    const [line = ''] = draw(call({ refusals }));
    expect(line).toContain('1 done, 1 refused');
    expect(line).toContain('Refused: complete: There is no task 9.');
  });
});

test('[CONV34] a change of a task says what changed', () => {
  const changed = (
    details: { field: string; before: string | null; after: string | null }[],
  ): Block => ({
    ...{ kind: 'board', id: 'b', at: 1, path: 'p', by: 'person' },
    changes: [{ key: '1', title: 'Sign', status: 'pending', what: 'changed', details }],
  });
  const words = (field: string, before: string | null, after: string | null) =>
    draw(changed([{ field, before, after }]))[0]
      ?.split('Sign')
      .at(-1);
  expect(words('title', 'Sing', 'Sign')).toBe('Renamed, was “Sing”');
  expect(words('dependsOn', null, 'Build, Test')).toBe('Waits for Build, Test');
  expect(words('dependsOn', 'Build', null)).toBe('No longer waits for anything');
  expect(words('phase', 'Now', 'Later')).toBe('Moved to Later');
  expect(words('due', null, '2026-11-28')).toBe('Due 2026-11-28');
  expect(words('due', '2026-11-28', null)).toBe('Due: none');
  expect(words('body', 'a', 'b')).toBe('Text changed');
});

test('[CONV35] an answered question shows its answers, one that nobody answered none', () => {
  const questions = [
    { question: 'Which folder?', options: [{ label: 'Plans' }] },
    { question: 'And when?', options: [] },
  ];
  const request = { requestId: 'q', questions };
  const asked: Block = { kind: 'question', id: 'q', at: 1, request, resolved: true };
  expect(draw({ ...asked, answers: [['Plans', 'Notes'], ['Today']] })).toEqual([
    'Answered: Which folder? Plans, NotesAnswered: And when? Today',
  ]);
  expect(draw(asked)).toEqual(['No longer asked: Which folder?']);
});

test('[CONV36] code in an answer has a button that copies it', () => {
  const text = 'Run this:\n\n```sh\nnpm ci\nnpm test\n```\n';
  draw({ kind: 'text', id: 't', messageId: 'm', at: 1, live: false, text });
  const button = root.querySelector<HTMLButtonElement>('pre button, .atb-code button');
  expect(button?.getAttribute('aria-label')).toBe('Copy code');
  button?.click();
  expect(copied).toEqual(['npm ci\nnpm test']);
});

test('[CONV37] the line of a subagent opens its session', () => {
  draw(call({ tool: 'task', input: '{"description":"Look"}', child: 'ses_2' }));
  const button = [...root.querySelectorAll('button')].find(
    (one) => one.textContent === 'Open session',
  );
  button?.click();
  expect(opened).toEqual(['ses_2']);
});
