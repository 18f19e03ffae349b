import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { ModelAnswer } from './model';
import { startRun, type OpencodeRun } from './opencode-run';
import {
  boardFile,
  LIST,
  newestContent,
  promptByHttp,
  requestsOf,
  sessionByHttp,
  tasksCall,
} from './opencode-steps';

let run: OpencodeRun;

beforeAll(async () => {
  run = await startRun();
});

afterAll(() => run.close());

/** ms: generous, since the machine runs much at the same time. */
const WAIT = { timeout: 60_000 };

type Entry = readonly [content: string, status: string, priority: string];

function todowrite(...entries: readonly Entry[]): ModelAnswer {
  const todos = entries.map(([content, status, priority]) => ({ content, status, priority }));
  return { tools: [{ name: 'todowrite', args: { todos } }] };
}

/** The board's text with its prefix as `k3f9` and today's date as `DATE`. */
function shown(sessionId: string): string {
  const text = readFileSync(boardFile(run, sessionId), 'utf8');
  const prefix = /^prefix: "?([a-z0-9]{4})/m.exec(text)?.[1] ?? '';
  return text.replaceAll(prefix, 'k3f9').replace(/\d{4}-\d\d-\d\d/g, 'DATE');
}

async function turn(sessionId: string, ...answers: ModelAnswer[]): Promise<void> {
  run.model.play(sessionId, ...answers, { text: 'done' });
  await promptByHttp(run, sessionId, 'go on');
}

describe('lists of todowrite', () => {
  test('[BRIDGE60] stand live on the board, what the person changed stays, until tasks is called', async () => {
    const sessionId = await sessionByHttp(run, 'Old habits');
    await turn(
      sessionId,
      todowrite(['Read', 'in_progress', 'high'], ['Write', 'pending', 'medium']),
    );
    const first = [
      '---',
      'board: 1',
      `session: ${sessionId}`,
      'agent: build',
      'title: Old habits',
      'prefix: k3f9',
      'next: 3',
      'rev: 0',
      '---',
      '',
      '# Old habits',
      '',
      '## Todos',
      '',
      '- [/] Read 🆔 k3f9-1 ⏫ ^k3f9-1',
      '- [ ] Write 🆔 k3f9-2 🔼 ^k3f9-2',
      '',
    ].join('\n');
    await vi.waitFor(() => expect(shown(sessionId)).toBe(first), WAIT);

    const file = boardFile(run, sessionId);
    const typed = readFileSync(file, 'utf8').replace('[/] Read', '[>] Read, all of it');
    writeFileSync(file, `${typed}\nMy own words.\n`);
    await turn(
      sessionId,
      todowrite(
        ['Read', 'completed', 'high'],
        ['Write it down', 'in_progress', 'low'],
        ['Test', 'pending', 'medium'],
      ),
      todowrite(['Read', 'completed', 'high'], ['Test', 'in_progress', 'medium']),
    );
    const second = first
      .replace('[/] Read', '[>] Read, all of it')
      .replace('[ ] Write 🆔 k3f9-2 🔼', '[-] Write it down 🆔 k3f9-2 🔽 ❌ DATE')
      .concat('- [/] Test 🆔 k3f9-3 🔼 ^k3f9-3\n\nMy own words.\n')
      .replace('next: 3', 'next: 4');
    await vi.waitFor(
      () => expect(shown(sessionId).replace(/rev: \d/, 'rev: 0')).toBe(second),
      WAIT,
    );

    await turn(sessionId, tasksCall(LIST));
    expect(newestContent(requestsOf(run, sessionId).at(-1), 'tool')).toContain('Test');
    const before = shown(sessionId);
    await turn(sessionId, todowrite(['Something else', 'pending', 'low']), tasksCall(LIST));
    expect(shown(sessionId)).toBe(before);
  });

  test('[BRIDGE60] a list right before the first call of tasks is on the board by then', async () => {
    const sessionId = await sessionByHttp(run, 'Both at once');
    await turn(sessionId, todowrite(['One', 'pending', 'high']), tasksCall(LIST));
    expect(newestContent(requestsOf(run, sessionId).at(-1), 'tool')).toContain('#1 One');
  });

  test('[BRIDGE60] a session that calls tasks first is never mirrored, also after a restart', async () => {
    const sessionId = await sessionByHttp(run, 'New habits');
    await turn(sessionId, tasksCall(LIST));
    await run.opencode.kill();
    run = await run.restart();
    await turn(sessionId, todowrite(['One', 'pending', 'high']), tasksCall(LIST));
    expect(newestContent(requestsOf(run, sessionId).at(-1), 'tool')).toContain('no board yet');
    expect(existsSync(boardFile(run, sessionId))).toBe(false);
  });
});
