import { PERSON } from '../../src/core/board/history/actor';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { open, rename } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TodoManager } from '../../src/core/board/todo-manager';
import { DiskStore } from '../../src/node/disk-store';
import { nodeClock, nodeIds } from '../../src/node/node-ports';
import { compareAsync, type AsyncWork, type Rounds } from '../measure-async';
import type { Measured, Row } from '../row';

/** The size of an agent's board: the longest in the authors' vaults has about half as many tasks. */
const TASKS = 100;
const SESSIONS = (boards: number): number => boards / 10;

const BOARD = 'build-tasks.md';

/** Rounds are short, so that both meet the same disk; the code is compiled only after the warm-up. */
const DISK_ROUNDS: Rounds = { rounds: 121, times: 4, warmUp: 400 };

/** A vault of `boards` boards, ten per session, and a manager that has scanned it. */
async function makeVault(boards: number): Promise<{ root: string; manager: TodoManager }> {
  const root = mkdtempSync(join(tmpdir(), 'atb-bench-'));
  for (let session = 0; session < SESSIONS(boards); session += 1) {
    const folder = join(root, `.opencode/todos/s${session}`);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, BOARD), boardText(session, TASKS));
    for (let agent = 1; agent < 10; agent += 1) {
      writeFileSync(join(folder, `a${agent}-tasks.md`), boardText(session, 3));
    }
  }
  const deps = { clock: nodeClock, ids: nodeIds };
  const manager = new TodoManager({ store: new DiskStore(root), ...deps });
  await manager.scan();
  return { root, manager };
}

function boardText(session: number, tasks: number): string {
  const lines = Array.from({ length: tasks }, (_, at) => {
    const id = `k3f9-${at + 1}`;
    return `- [ ] Build part ${at + 1} of the index 🆔 ${id} ^${id}`;
  });
  const header = `---\nboard: 1\nsession: s${session}\nagent: build\ntitle: Bench\nprefix: k3f9\nnext: ${tasks + 1}\nrev: 1\n---\n\n# Bench\n\n`;
  return `${header}${lines.join('\n')}\n`;
}

/** A person ticks and unticks a task: one write of the note, as for an agent's call. */
function editWork({ manager }: { manager: TodoManager }): AsyncWork {
  let done = false;
  const target = { id: 'k3f9-50', line: 0, title: '' };
  return async () => {
    done = !done;
    const status = done ? 'completed' : 'pending';
    const path = `.opencode/todos/s1/${BOARD}`;
    const answer = await manager.commit(path, PERSON, [{ type: 'update', id: target, status }]);
    if (!answer.ok) throw new Error(answer.message);
  };
}

/**
 * The minimum for an atomic write: a temporary file, flushed, then renamed. It is in the board's
 * folder, since the cost of creating a file differs more between folders than everything else here.
 */
function rawWriteWork(root: string): AsyncWork {
  const folder = join(root, '.opencode/todos/s1');
  const file = join(folder, 'raw.md');
  const text = readFileSync(join(folder, BOARD), 'utf8');
  return async () => {
    const handle = await open(`${file}.tmp`, 'w');
    await handle.writeFile(text, 'utf8');
    await handle.sync();
    await handle.close();
    await rename(`${file}.tmp`, file);
  };
}

async function measureEdit(): Promise<Measured> {
  const vault = await makeVault(100);
  try {
    return await compareAsync(editWork(vault), rawWriteWork(vault.root), DISK_ROUNDS);
  } finally {
    rmSync(vault.root, { recursive: true, force: true });
  }
}

async function measureScale(): Promise<Measured> {
  const [many, few] = [await makeVault(10_000), await makeVault(100)];
  try {
    return await compareAsync(editWork(many), editWork(few), DISK_ROUNDS);
  } finally {
    for (const { root } of [many, few]) rmSync(root, { recursive: true, force: true });
  }
}

export function storeRows(): Row[] {
  return [
    {
      name: 'store.edit',
      against: 'raw temporary file, flush and rename of the same bytes',
      target: 2.5,
      note: 'beside the one flush an edit takes two locks, reads the note twice, parses it and adds to its history; done by hand these steps come to 1.7 to 2.3 where the disk is quick; where the machine is busy all of it waits for the processor (docs/adr/0025)',
      measure: measureEdit,
    },
    {
      name: 'store.edit.scale',
      against: 'the same among 100 boards, here among 10,000',
      target: 1.2,
      measure: measureScale,
    },
  ];
}
