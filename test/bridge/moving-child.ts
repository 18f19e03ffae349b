// Moves the task "Write" from one board to another, and hangs before it writes the second note:
// its parent kills it there.
import { TodoManager } from '../../src/core/board/todo-manager';
import { DiskStore } from '../../src/node/disk-store';
import { nodeClock, nodeIds } from '../../src/node/node-ports';

const [vault = '', from = '', to = ''] = process.argv.slice(2);

class HangingStore extends DiskStore {
  override async update(...[path, edit]: Parameters<DiskStore['update']>) {
    if (path !== from) return super.update(path, edit);
    process.stdout.write('half\n');
    setInterval(() => undefined, 60_000);
    return new Promise<never>(() => undefined);
  }
}

const manager = new TodoManager({ store: new HangingStore(vault), clock: nodeClock, ids: nodeIds });
const tasks = (await manager.load(from))?.tasks.filter(({ title }) => title === 'Write') ?? [];
await manager.transfer(from, tasks, to);
