// A process that moves tasks to another board and dies at the write that its arguments name.
import { TodoManager } from '../../src/core/board/todo-manager';
import type { NoteStore } from '../../src/core/ports';
import { DiskStore } from '../../src/node/disk-store';
import { nodeClock, nodeIds } from '../../src/node/node-ports';

const [root = '', from = '', to = '', dieAt = '0'] = process.argv.slice(2);
const disk = new DiskStore(root);
let steps = 0;

/** Dies before a write, or after it. */
async function step<T>(work: () => Promise<T>): Promise<T> {
  die();
  const done = await work();
  die();
  return done;
}

function die(): void {
  steps += 1;
  if (steps === Number(dieAt)) process.kill(process.pid, 'SIGKILL');
}

const store: NoteStore = Object.assign(Object.create(disk) as NoteStore, {
  update: (...given: Parameters<NoteStore['update']>) => step(() => disk.update(...given)),
  append: (...given: Parameters<NoteStore['append']>) => step(() => disk.append(...given)),
});
const manager = new TodoManager({ store, clock: nodeClock, ids: nodeIds });
const tasks = (await manager.load(from))?.tasks ?? [];
const done = await manager.transfer(
  from,
  tasks.filter(({ title }) => title === 'Write'),
  to,
);
process.stdout.write(JSON.stringify({ ok: done.ok, steps }));
