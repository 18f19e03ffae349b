import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { LocalBridge } from '../../soak/link/local-bridge';
import { FakeOpencode } from '../../soak/link/fake-opencode';
import bridge from '../../src/bridge/plugin';
import type { ToolCallContext } from '../../src/bridge/opencode/tool-call';

/** A line of JSON that the program writes for each step. */
export interface DiskStep {
  readonly step: string;
  /** the answer for the model, or why it was refused */
  readonly said: string;
  readonly refused: boolean;
  readonly board: string | undefined;
  /** names in the run folder */
  readonly run: readonly string[];
}

/** Runs the bridge on its own disk, which it fills and empties; the argument is the folder. */
const disk = process.argv[2] ?? '';
const vault = join(disk, 'vault');
const filler = join(disk, 'filler');

await mkdir(join(vault, '.opencode'), { recursive: true });
let hooks = await load();
await step('with room', 'First');
await fill();
await step('full', 'Second');
await hooks.dispose();
// The space of the run file is free again.
await fill();
hooks = await load();
await step('started on a full disk', 'Third');
await rm(filler);
await step('with room again', 'Fourth');
await hooks.dispose();

async function load(): Promise<LocalBridge['hooks']> {
  const opencode = new FakeOpencode(vault);
  opencode.addSession('ses_1', 'One');
  const input = { client: { _client: opencode }, directory: vault, worktree: '/' };
  return (await bridge.server(input)) as LocalBridge['hooks']; // all of them: it serves this vault
}

async function step(name: string, title: string): Promise<void> {
  const context: ToolCallContext = {
    sessionID: 'ses_1',
    messageID: 'msg_1',
    agent: 'build',
    callID: `call_${title}`,
    abort: new AbortController().signal,
    ask: () => Promise.resolve(),
  };
  let said: string;
  let refused = false;
  try {
    const args = { operations: [{ type: 'add', title }] };
    said = (await hooks.tool.tasks?.execute(args, context))?.output ?? '';
  } catch (error) {
    said = error instanceof Error ? error.message : String(error);
    refused = true;
  }
  const path = join(vault, '.opencode/todos/ses_1/build-tasks.md');
  const board = await readFile(path, 'utf8').catch(() => undefined);
  const run = await readdir(join(vault, '.opencode/run')).catch(() => []);
  const told: DiskStep = { step: name, said, refused, board, run: run.sort() };
  process.stdout.write(`${JSON.stringify(told)}\n`);
}

/** Fills the disk until not one more byte fits. */
async function fill(): Promise<void> {
  for (let size = 64 * 1024; size >= 1; size = Math.floor(size / 2)) {
    const full = await writeFile(filler, Buffer.alloc(size), { flag: 'a' }).catch(
      (error: NodeJS.ErrnoException) => error.code,
    );
    if (full === undefined) size *= 2;
    else if (full !== 'ENOSPC') throw new Error(`The disk failed with ${full}.`);
  }
}
