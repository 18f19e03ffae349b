import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Command, Contender } from './contender';

/** `agent-boards` on one board with `tasks` tasks. Needs `npm run build`. */
export function ours(tasks: number): Contender {
  const cwd = mkdtempSync(join(tmpdir(), 'atb-bench-'));
  const note = writeBoard(cwd, 'ses_bench', 'k3f9', tasks);
  const run = program(cwd);
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

/** A vault with several sessions, each with a board of 30 tasks. */
export interface Sessions {
  /** reads a task of one session */
  get(): Command;
  /** creates the board of a new session; each name makes a different one */
  init(name: string): Command;
  close(): void;
}

/** `agent-boards` in a vault with `count` sessions. Needs `npm run build`. */
export function sessions(count: number): Sessions {
  const cwd = mkdtempSync(join(tmpdir(), 'atb-bench-'));
  for (let n = 0; n < count; n += 1) {
    writeBoard(cwd, `ses_${n}`, `k${n.toString(36).padStart(3, '0')}`, 30);
  }
  const run = program(cwd);
  return {
    get: () => run('get', '1', '--session', 'ses_3', '--agent', 'build'),
    init: (name) => run('init', 'Bench', '--session', name, '--agent', 'build'),
    close: () => rmSync(cwd, { recursive: true, force: true }),
  };
}

function program(cwd: string): (...args: readonly string[]) => Command {
  return (...args) => ({
    file: process.execPath,
    args: [resolve('dist/cli.js'), ...args],
    cwd,
  });
}

/** @returns the path of the note */
function writeBoard(vault: string, session: string, prefix: string, tasks: number): string {
  const folder = join(vault, '.opencode/todos', session);
  mkdirSync(folder, { recursive: true });
  const lines = Array.from({ length: tasks }, (_, at) => {
    const id = `${prefix}-${at + 1}`;
    return `- [ ] Build part ${at + 1} of the index 🆔 ${id} ^${id}\n`;
  });
  const header = `---\nboard: 1\nsession: ${session}\nagent: build\ntitle: Bench\nprefix: ${prefix}\nnext: ${tasks + 1}\nrev: 1\n---\n\n# Bench\n\n`;
  const note = join(folder, 'build-tasks.md');
  writeFileSync(note, header + lines.join(''));
  return note;
}
