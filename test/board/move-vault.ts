import { expect } from 'vitest';
import type { MoveAnswer } from '../../src/core/board/move/move-boards';
import type { MoveControl } from '../../src/core/board/move/copy-boards';
import { MoveWorld } from './move-world';

export const OLD = '.opencode/todos';
export const NEW = 'Projects/Agent boards';
export const JOURNAL = '.opencode/agent-task-boards/move.json';
export const quietControl: MoveControl = { progress: () => undefined, cancelled: () => false };

/** Every kind of file that a boards folder can hold. */
export const BOARDS: Readonly<Record<string, string>> = {
  'ses_1/build-tasks.md': '\xef\xbb\xbf---\r\nboard: 1\r\n---\r\n- [ ] one\r\n',
  'ses_1/build-tasks.archive.md': '- [x] old',
  'ses_1/build-tasks (conflicted copy 2026).md': '- [ ] two',
  'ses_1/pictures/plan.png': '\x89PNG\xff\xfe\x00',
  'ses_2/~c3~a9-tasks.md': '---\nbroken: [\n- [ ] x\n\xff',
  'ses_3/empty-tasks.md': '',
};

export function makeVault(): MoveWorld {
  const world = new MoveWorld();
  world.mkdir('Projects');
  world.put('Projects/mine.md', 'untouched');
  for (const [path, content] of Object.entries(BOARDS)) {
    world.put(`${OLD}/${path}`, Buffer.from(content, 'latin1'));
  }
  return world;
}

export function snapshotOf(world: MoveWorld) {
  return {
    files: world.under('.opencode'),
    projects: world.under('Projects'),
    folders: new Set(world.folders),
  };
}

export function expectMoved(answer: MoveAnswer) {
  if (!answer.ok) throw new Error(answer.message);
  return answer;
}

/** How many calls an undisturbed move makes. */
export async function callsOfOneMove(): Promise<number> {
  const world = makeVault();
  expectMoved(await world.mover().move(NEW, quietControl));
  expect(world.calls).toBeGreaterThan(60);
  return world.calls;
}
