import { PERSON } from '../src/core/board/history/actor';
import { TodoManager } from '../src/core/board/todo-manager';
import { VaultStore } from '../src/obsidian/adapter/vault-store';
import { FaultyAdapter } from './faulty-adapter';
import { hostileDocument } from './hostile-document';
import { hostileArgument } from './hostile-parts';
import { MemoryDisk } from './memory-disk';
import { findOutsideChange } from './outside-change';
import type { Run, RunOptions, RunReport } from './report';
import { SeededRandom } from './seeded';
import { fixedClock, seededIds } from './fixed-ports';

const FULL = 10_000;
const NOTE = '.opencode/todos/s1/build-tasks.md';

/** R7: hostile documents and hostile arguments; whatever an edit does not name keeps its bytes. */
export const runHostile: Run = async ({
  share,
  seed,
  progress,
}: RunOptions): Promise<RunReport> => {
  const wanted = Math.max(1, Math.ceil(FULL * share));
  const injected: Record<string, number> = {};
  const lost: string[] = [];
  const count = (what: string): void => void (injected[what] = (injected[what] ?? 0) + 1);
  for (let n = 0; n < wanted; n += 1) {
    const found = await oneDocument(new SeededRandom(seed + n), count);
    lost.push(...found.map((what) => `${what} (--seed ${seed + n})`));
    if (n % 1000 === 999) progress(`R7 ${n + 1} of ${wanted}`);
  }
  if ('polluted' in {}) lost.push('Object.prototype was changed.');
  return { name: 'R7', what: 'hostile documents and arguments', injected, lost };
};

async function oneDocument(random: SeededRandom, count: (what: string) => void): Promise<string[]> {
  const disk = new MemoryDisk();
  for (const folder of ['.opencode', '.opencode/todos', '.opencode/todos/s1']) {
    disk.folders.add(folder);
  }
  const { bytes, kind } = hostileDocument(random);
  disk.put(NOTE, bytes);
  count(`in ${kind}`);
  const lost: string[] = [];
  try {
    for (const edit of ['status', 'add', 'arguments', 'person'] as const) {
      await oneEdit(disk, edit, random, { count, lost });
    }
  } catch (error) {
    lost.push(`It threw: ${error instanceof Error ? (error.stack ?? '') : String(error)}`);
  }
  return lost;
}

interface Tally {
  readonly count: (what: string) => void;
  readonly lost: string[];
}

async function oneEdit(
  disk: MemoryDisk,
  edit: 'status' | 'add' | 'arguments' | 'person',
  random: SeededRandom,
  { count, lost }: Tally,
): Promise<void> {
  const store = new VaultStore(new FaultyAdapter(disk, 'truncates in place'));
  const manager = new TodoManager({ store, clock: fixedClock, ids: seededIds(1) });
  const before = disk.bytes(NOTE) ?? new Uint8Array();
  const done =
    edit === 'person'
      ? await editAsPerson(manager, random)
      : await editAsAgent(manager, edit, random);
  await manager.scan();
  await manager.summary({ sessionId: 's1', agent: 'build' });
  count(`${edit} ${done ? 'done' : 'refused'}`);
  const after = disk.bytes(NOTE) ?? new Uint8Array();
  const same = Buffer.from(before).equals(after);
  if (!done && edit !== 'arguments' && !same) lost.push(`A refused edit (${edit}) wrote.`);
  if (done && (edit === 'status' || edit === 'add')) {
    const [old, now] = [before, after].map((one) => Buffer.from(one).toString('utf8'));
    const changed = findOutsideChange(old ?? '', now ?? '', edit);
    if (changed !== undefined) lost.push(`${edit} ${changed}.`);
  }
}

async function editAsAgent(
  manager: TodoManager,
  edit: 'status' | 'add' | 'arguments',
  random: SeededRandom,
): Promise<boolean> {
  const operation = {
    status: { type: 'update', id: 'k3f9-2', status: 'completed' },
    add: { type: 'add', title: 'Added by the edit' },
    arguments: hostileOperation(random),
  }[edit];
  const args = { operations: [operation] };
  const { result, refused } = await manager.call({ sessionId: 's1', agent: 'build' }, args);
  const [one] = result.results;
  const error = refused ?? one?.error;
  if (one?.success === true) return true;
  if (typeof error?.code !== 'string' || error.message === '') {
    throw new Error(`No reason was given for a refusal: ${JSON.stringify(result)}`);
  }
  return false;
}

function hostileOperation(random: SeededRandom): Record<string, unknown> {
  const type = random.pick([
    'add',
    'update',
    'complete',
    'remove',
    'move',
    'depend',
    'claim',
    'list',
  ] as const);
  const fields = [
    'id',
    'title',
    'parent',
    'after',
    'dependsOn',
    'priority',
    'owner',
    'body',
    'scope',
  ];
  const more = ['risk', 'impact', 'level', 'estimate', 'due', 'reason', 'status', 'agent', 'phase'];
  const operation: Record<string, unknown> = { type, id: 'k3f9-2', title: 'Again' };
  for (let left = 1 + random.below(3); left > 0; left -= 1) {
    operation[random.pick([...fields, ...more, '__proto__', ''])] = hostileArgument(random);
  }
  return operation;
}

async function editAsPerson(manager: TodoManager, random: SeededRandom): Promise<boolean> {
  const board = await manager.load(NOTE);
  const task = board?.tasks[0];
  if (task === undefined) return false;
  const given = hostileArgument(random);
  const title = typeof given === 'string' ? given : JSON.stringify(given);
  const target = { id: task.id, line: task.line, title: task.title };
  return (await manager.commit(NOTE, PERSON, [{ type: 'update', id: target, title }])).ok;
}
