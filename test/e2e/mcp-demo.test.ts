import { afterAll, expect, test } from 'vitest';
import { playInVault, removeFolders } from './run-demo';

afterAll(removeFolders);

test('[DEMO36] with --client mcp a second agent works on a board of its own at the same time, and the result names both', async () => {
  const operations = [{ type: 'add', title: 'Paint the fence' }];
  const turns = [{ tools: [{ name: 'tasks', args: { operations } }] }];
  const prompts = [{ text: 'Plan', turns, person: [], answers: [] }];
  const { code, result } = await playInVault(
    { sessions: [{ title: 'Fence', prompts }] },
    ...['--client', 'mcp', '--no-plugin'],
  );
  expect(result.errors).toEqual([]);
  expect(code).toBe(0);
  expect(result).toMatchObject({
    opencode: expect.stringMatching(/^\d/) as unknown,
    client: 'Demo Client',
    calls: { websocket: 0, headless: 1, mcp: 4 },
  });
  expect(result.boards.map(({ agent, tasks }) => [agent, tasks.length])).toEqual([
    ['build', 1],
    ['demo-client', 3],
  ]);
});
