// A process that adds numbered lines to a note, and prints each once it is on disk.
import { DiskStore } from '../../src/node/disk-store';

const [root = '', path = '', name = '', count = '0', padding = '0'] = process.argv.slice(2);
const store = new DiskStore(root, { waitMs: 60_000 });
for (let n = 1; n <= Number(count); n += 1) {
  const line = `${name}-${n} ${'x'.repeat(Number(padding))} end\n`;
  if (path.endsWith('.jsonl') && (await store.append(path, line, 1_000_000))) continue;
  await store.update(path, (text) => `${text ?? ''}${line}`);
  process.stdout.write(`${name}-${n}\n`);
}
