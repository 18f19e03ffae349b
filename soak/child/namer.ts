// Renames the files of all boards to their titles and back until it is killed.
import { TodoManager } from '../../src/core/board/todo-manager';
import { DiskStore } from '../../src/node/disk-store';
import { nodeClock, nodeIds } from '../../src/node/node-ports';
import { WAIT_SECONDS } from './edits';

const [vault = '', , , count = '0'] = process.argv.slice(2);
const store = new DiskStore(vault, { waitMs: WAIT_SECONDS * 1000 });
const { naming } = new TodoManager({ store, clock: nodeClock, ids: nodeIds });
for (let n = 1; n <= Number(count); n += 1) {
  const by = n % 2 === 1 ? 'title' : 'session';
  const done = await naming.run(by, { progress: () => undefined, cancelled: () => false });
  if (!done.ok) throw new Error(done.message);
  process.stdout.write(`${by} ${done.renamed.length}\n`);
}
