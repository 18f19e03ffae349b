import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { compileMain, pluginIn } from '../app-stand-in.js';
import { boardText } from '../board-sample.js';
import { ratioOf, type Ratio } from '../measure.js';
import type { Measured, Row } from '../row.js';

const ROUNDS = 21;
const BOARDS = 500;

/** What a start costs. Needs `npm run build`. */
export function startRows(): Row[] {
  return [
    {
      name: 'load',
      against: 'compiling the same file',
      target: 0.15,
      measure: () => ratioOf(Array.from({ length: ROUNDS }, evaluatedOverCompiled)),
    },
    {
      name: 'load.onload',
      against: 'evaluating the same file',
      target: 0.5,
      note: 'all that it makes runs for the first time, and a vault of files on the disk is opened',
      measure: onloadOverEvaluated,
    },
    {
      name: 'cli.start',
      against: 'node -e 0',
      target: 2,
      measure: listOverNode,
    },
  ];
}

function evaluatedOverCompiled(_: unknown, round: number): number {
  const [compiled, load] = processorTime(() => compileMain(round));
  return processorTime(() => load({ adapter: {} }))[0] / compiled;
}

class DiskAdapter {
  constructor(private readonly folder: string) {}
  getBasePath(): string {
    return this.folder;
  }
}

/** All that `onload` does until it is done, on a desktop whose vault holds many boards. */
async function onloadOverEvaluated(): Promise<Measured> {
  const folder = mkdtempSync(join(tmpdir(), 'atb-onload-'));
  for (let n = 0; n < BOARDS; n += 1) {
    const session = join(folder, '.opencode/todos', `ses_${n}`);
    mkdirSync(session, { recursive: true });
    writeFileSync(join(session, 'build-tasks.md'), boardText(10));
  }
  const given = { folder, adapter: new DiskAdapter(folder) };
  const rounds: { readonly ratio: number; readonly ms: number }[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const load = compileMain(ROUNDS + round);
    const [evaluated, plugin] = processorTime(() => load(given));
    const start = process.cpuUsage();
    await pluginIn(plugin, given).onload();
    const ms = processorMs(start);
    rounds.push({ ratio: ms / evaluated, ms });
  }
  rmSync(folder, { recursive: true });
  const ms = ratioOf(rounds.map((one) => one.ms)).ratio.toFixed(1);
  return { ...ratioOf(rounds.map(({ ratio }) => ratio)), detail: `${ms} ms, ${BOARDS} boards` };
}

/** ms of the processor, and what the work returns */
function processorTime<T>(work: () => T): readonly [number, T] {
  const start = process.cpuUsage();
  const made = work();
  return [processorMs(start), made];
}

function processorMs(start: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}

function listOverNode(): Ratio {
  const vault = mkdtempSync(join(tmpdir(), 'atb-start-'));
  mkdirSync(join(vault, '.opencode'));
  const list = [resolve('dist/cli.js'), 'list', '--vault', vault];
  const add = [resolve('dist/cli.js'), 'add', 'A', '--session', 's', '--agent', 'a'];
  spawnSync(process.execPath, [...add, '--vault', vault]);
  const ratios = Array.from({ length: ROUNDS }, () => ran(list) / ran(['-e', '0']));
  rmSync(vault, { recursive: true });
  return ratioOf(ratios);
}

/** ms */
function ran(args: readonly string[]): number {
  const start = performance.now();
  const { status } = spawnSync(process.execPath, args);
  if (status !== 0) throw new Error(`node ${args.join(' ')} ended with ${status}.`);
  return performance.now() - start;
}
