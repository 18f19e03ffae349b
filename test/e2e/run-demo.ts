import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Result } from '../../workbench/demo/result';
import type { Script } from '../../workbench/demo/script';

export const ROOT = join(import.meta.dirname, '../..');

export interface DemoRun {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
  readonly vault: string;
}

const folders: string[] = [];

/** A folder that `removeFolders` deletes. */
export function temporaryFolder(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `agent-task-boards-e2e-${name}-`));
  folders.push(folder);
  return folder;
}

export function removeFolders(): void {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
}

/** Runs the built demo as its users do. */
export function runDemo(args: readonly string[], vault = ''): Promise<DemoRun> {
  const program = join(ROOT, 'workbench', 'build', 'demo.js');
  const child = spawn(process.execPath, [program, ...args, ...(vault ? ['--vault', vault] : [])]);
  let out = '';
  let err = '';
  child.stdout.on('data', (data: Buffer) => (out += data.toString('utf8')));
  child.stderr.on('data', (data: Buffer) => (err += data.toString('utf8')));
  return new Promise((resolve) => {
    child.once('close', (code) => resolve({ code, out, err, vault }));
  });
}

/** Plays a script to its end, in a vault that the test can read afterwards or that it names. */
export async function playInVault(
  script: Partial<Script> | string,
  ...options: readonly string[]
): Promise<DemoRun & { readonly result: Result }> {
  const folder = temporaryFolder('script');
  const file = join(folder, 'script.json');
  writeFileSync(file, typeof script === 'string' ? script : JSON.stringify(script));
  const named = options.indexOf('--vault');
  const vault = named < 0 ? join(folder, 'vault') : '';
  const run = await runDemo(['--headless', '--script', file, ...options], vault);
  const lines = run.out.trim().split('\n');
  if (lines.length !== 1) throw new Error(`No single line of JSON:\n${run.out}\n${run.err}`);
  return { ...run, result: JSON.parse(lines[0] ?? '') as Result };
}

/** Every board's text by session title and file, with times and ids normalised. */
export function plainBoards({
  vault,
  result,
}: {
  vault: string;
  result: Result;
}): Record<string, string> {
  const entries = result.boards.map(({ path, session, sessionTitle }) => {
    const text = readFileSync(join(vault, path), 'utf8');
    const prefix = /^prefix: (\S+)$/m.exec(text)?.[1] ?? 'none';
    const plain = text
      .replaceAll(session, '<session>')
      .replaceAll(new RegExp(`\\b${prefix}\\b`, 'g'), '<prefix>')
      .replaceAll(/\d{4}-\d{2}-\d{2}/g, '<date>');
    return [`${sessionTitle ?? ''} / ${path.split('/').at(-1) ?? ''}`, plain] as const;
  });
  return Object.fromEntries(entries);
}
