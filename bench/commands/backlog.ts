import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Contender } from './contender';

/** Backlog.md: a markdown file for each task, in a git repository. */
export function backlog(tasks: number): Contender {
  const cwd = mkdtempSync(join(tmpdir(), 'atb-bench-'));
  const file = resolve('bench/node_modules/.bin/backlog');
  for (const [program, args] of [
    ['git', ['init', '-q', '.']],
    [file, ['init', 'Bench', '--defaults']],
    [file, ['config', 'set', 'remoteOperations', 'false']],
  ] as const) {
    const { status, stderr } = spawnSync(program, args, { cwd, encoding: 'utf8' });
    if (status !== 0) throw new Error(`${program} ${args.join(' ')}: ${stderr}`);
  }
  const folder = join(cwd, 'backlog/tasks');
  for (let n = 1; n <= tasks; n += 1) {
    const text = `---\nid: TASK-${n}\ntitle: Build part ${n}\nstatus: To Do\nassignee: []\ncreated_date: '2026-11-21 12:00'\nlabels: []\ndependencies: []\nordinal: ${n * 1000}\n---\n`;
    writeFileSync(join(folder, `task-${n} - Build-part-${n}.md`), text);
  }
  const run = (...args: readonly string[]) => ({ file, args, cwd });
  return {
    list: () => run('task', 'list', '--plain'),
    status: (task) => run('task', 'edit', String(task), '-s', 'In Progress', '--plain'),
    started: () =>
      readdirSync(folder).filter((name) =>
        readFileSync(join(folder, name), 'utf8').includes('status: In Progress'),
      ).length,
    close: () => rmSync(cwd, { recursive: true, force: true }),
  };
}
