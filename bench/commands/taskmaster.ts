import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Contender } from './contender';

/** task-master: one JSON file. */
export function taskmaster(tasks: number): Contender {
  const cwd = mkdtempSync(join(tmpdir(), 'atb-bench-'));
  mkdirSync(join(cwd, '.taskmaster/tasks'), { recursive: true });
  const store = join(cwd, '.taskmaster/tasks/tasks.json');
  const all = Array.from({ length: tasks }, (_, at) => ({
    id: at + 1,
    title: `Build part ${at + 1}`,
    description: 'Of the index.',
    status: 'pending',
    dependencies: [],
    priority: 'medium',
    details: '',
    testStrategy: '',
    subtasks: [],
  }));
  writeFileSync(store, JSON.stringify({ master: { tasks: all, metadata: {} } }, null, 2));
  const file = resolve('bench/node_modules/.bin/task-master');
  const run = (...args: readonly string[]) => ({ file, args, cwd });
  return {
    list: () => run('list'),
    status: (task) => run('set-status', `--id=${task}`, '--status=in-progress'),
    started: () => readFileSync(store, 'utf8').split('"status": "in-progress"').length - 1,
    close: () => rmSync(cwd, { recursive: true, force: true }),
  };
}
