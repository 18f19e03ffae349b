import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const folder = mkdtempSync(join(tmpdir(), 'agent-task-boards-reaper-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

beforeAll(async () => {
  const reaper = join(import.meta.dirname, '../../workbench/demo/reaper.ts');
  await build({
    stdin: { contents: PROGRAM(reaper), resolveDir: folder, loader: 'ts' },
    ...{ bundle: true, platform: 'node', format: 'cjs', outfile: join(folder, 'run.cjs') },
  });
});

/** Starts a process that never ends, registers both with the reaper, and waits to be killed. */
const PROGRAM = (reaper: string) => `
import { spawn } from 'node:child_process';
import { startReaper } from ${JSON.stringify(reaper)};
const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { detached: true, stdio: 'ignore' });
const reaper = startReaper();
const kept = reaper.addFolder(process.argv[3]);
reaper.addProcess(child.pid);
reaper.addFolder(process.argv[2]);
kept();
process.stdout.write(String(child.pid) + '\\n');
setInterval(() => {}, 1000);
`;

function alive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

describe('the reaper', () => {
  test('[DEMO20] kill -9 of the demo leaves no process and no folder behind', async () => {
    const [gone, kept] = ['gone', 'kept'].map((name) => join(folder, name)) as [string, string];
    for (const path of [gone, kept]) {
      mkdirSync(path);
      writeFileSync(join(path, 'file'), 'x');
    }
    const program = spawn(process.execPath, [join(folder, 'run.cjs'), gone, kept]);
    const [line] = (await once(program.stdout, 'data')) as [Buffer];
    const pid = Number(line.toString());
    expect(alive(pid)).toBe(true);
    program.kill('SIGKILL');
    await expect.poll(() => alive(pid) || existsSync(gone)).toBe(false);
    expect(existsSync(kept)).toBe(true);
  });
});
