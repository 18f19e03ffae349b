import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Contender } from './contender';

/** `agent-boards`, on one board with so many tasks. Needs `npm run build`. */
export function ours(tasks: number): Contender {
  const cwd = mkdtempSync(join(tmpdir(), 'atb-bench-'));
  const folder = join(cwd, '.opencode/todos/ses_bench');
  const note = join(folder, 'build-tasks.md');
  mkdirSync(folder, { recursive: true });
  const lines = Array.from({ length: tasks }, (_, at) => {
    const n = at + 1;
    return `- [ ] Build part ${n} of the index 🆔 k3f9-${n} ^k3f9-${n}\n`;
  });
  const header = `---\nboard: 1\nsession: ses_bench\nagent: build\ntitle: Bench\nprefix: k3f9\nnext: ${tasks + 1}\nrev: 1\n---\n\n# Bench\n\n`;
  writeFileSync(note, header + lines.join(''));
  const run = (...args: readonly string[]) => ({
    file: process.execPath,
    args: [resolve('dist/cli.js'), ...args],
    cwd,
  });
  return {
    list: () => run('list', '--session', 'ses_bench'),
    status: (id) => ({
      ...run('ops', '--session', 'ses_bench', '--agent', 'build'),
      input: JSON.stringify({ operations: [{ type: 'update', id, status: 'in_progress' }] }),
    }),
    started: () => readFileSync(note, 'utf8').split('- [/]').length - 1,
    close: () => rmSync(cwd, { recursive: true, force: true }),
  };
}
