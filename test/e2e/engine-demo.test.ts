import { afterAll, expect, test } from 'vitest';
import { playInVault, removeFolders } from './run-demo';

afterAll(removeFolders);

for (const engine of ['http', 'acp']) {
  test(`[DEMO40] with --engine ${engine} a script is played on an OpenCode without the bridge, and the result says so`, async () => {
    const operations = [
      { type: 'add', title: 'Paint the fence' },
      { type: 'complete', id: '1' },
    ];
    const turns = [
      { tools: [{ name: 'bash', args: { command: 'ls', description: 'Lists' } }] },
      { tools: [{ name: 'tasks', args: { operations } }] },
      { text: 'Done.' },
    ];
    const answers = [{ permission: 'bash', reply: 'once' as const }];
    const prompts = [{ text: 'Plan', turns, person: [], answers }];
    const { code, result } = await playInVault(
      { sessions: [{ title: 'Fence', prompts }] },
      ...['--engine', engine, '--no-plugin'],
    );
    expect(result.errors).toEqual([]);
    expect(code).toBe(0);
    expect(result).toMatchObject({ engine, calls: { websocket: 0, headless: 1 } });
    expect(result.boards).toMatchObject([
      { agent: 'build', sessionTitle: 'Fence', tasks: [{ status: 'completed' }] },
    ]);
  });
}

test('[DEMO39] with --engine model a script is played without OpenCode, and the result says so', async () => {
  const operations = [
    { type: 'add', title: 'Paint the fence' },
    { type: 'complete', id: '1' },
  ];
  const questions = [{ question: 'Which colour?', options: [{ label: 'Red' }] }];
  const turns = [
    { tools: [{ name: 'bash', args: { command: 'ls' } }] },
    { text: 'First I ask.', tools: [{ name: 'question', args: { questions } }] },
    { tools: [{ name: 'tasks', args: { operations } }] },
    { text: 'Done.' },
  ];
  const answers = [{ question: 'Which colour?', reply: 'Red' }];
  const prompts = [{ text: 'Plan', turns, person: [], answers }];
  const { code, result } = await playInVault(
    { sessions: [{ title: 'Fence', prompts }] },
    ...['--engine', 'model', '--no-plugin'],
  );
  expect(result.errors).toEqual([]);
  expect(code).toBe(0);
  expect(result).toMatchObject({ engine: 'model', calls: { websocket: 0, headless: 1 } });
  expect(result.boards).toMatchObject([
    { agent: 'build', sessionTitle: 'Fence', tasks: [{ status: 'completed' }] },
  ]);
});
