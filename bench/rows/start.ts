import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { compileMain, instantiatePlugin } from '../app-stub.js';
import { boardText } from '../board-sample.js';
import { ratioOf, type Ratio } from '../measure.js';
import type { Measured, Row } from '../row.js';

const ROUNDS = 21;
const BOARDS = 500;

/** The cost of a start. Needs `npm run build`. */
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
      against: 'compiling the same file',
      target: 0.25,
      note: 'all that it makes runs for the first time, and a vault of files on the disk is opened',
      measure: onloadOverCompiled,
    },
    {
      name: 'load.onload.scale',
      against: `the same with ${BOARDS / 100} boards`,
      target: 1.2,
      measure: manyOverFew,
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

async function onloadOverCompiled(): Promise<Measured> {
  const vault = makeVault(BOARDS);
  const rounds: LoadTimes[] = [];
  for (let round = 0; round < ROUNDS; round += 1) rounds.push(await measureOnload(vault, round));
  rmSync(vault, { recursive: true });
  const ms = ratioOf(rounds.map((one) => one.ms)).ratio.toFixed(1);
  const ratios = rounds.map((one) => one.ms / one.compiled);
  return { ...ratioOf(ratios), detail: `${ms} ms, ${BOARDS} boards` };
}

/** Alternates between the two, so that other load on the machine affects both. */
async function manyOverFew(): Promise<Measured> {
  const [many, few] = [makeVault(BOARDS), makeVault(BOARDS / 100)];
  const ratios: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const { ms } = await measureOnload(many, round * 2);
    ratios.push(ms / (await measureOnload(few, round * 2 + 1)).ms);
  }
  for (const vault of [many, few]) rmSync(vault, { recursive: true });
  return ratioOf(ratios);
}

function makeVault(boards: number): string {
  const vault = mkdtempSync(join(tmpdir(), 'atb-onload-'));
  for (let n = 0; n < boards; n += 1) {
    const session = join(vault, '.opencode/todos', `ses_${n}`);
    mkdirSync(session, { recursive: true });
    writeFileSync(join(session, 'build-tasks.md'), boardText(10));
  }
  return vault;
}

/** ms of processor time */
interface LoadTimes {
  readonly compiled: number;
  readonly ms: number;
}

/** The whole `onload`, as on a desktop. */
async function measureOnload(vault: string, round: number): Promise<LoadTimes> {
  const given = { folder: vault, adapter: new DiskAdapter(vault) };
  const [compiled, load] = processorTime(() => compileMain(round));
  const plugin = load(given);
  const start = process.cpuUsage();
  await instantiatePlugin(plugin, given).onload();
  return { compiled, ms: processorMs(start) };
}

/** ms of processor time, and the result of the work */
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
  const ratios = Array.from({ length: ROUNDS }, () => measureNode(list) / measureNode(['-e', '0']));
  rmSync(vault, { recursive: true });
  return ratioOf(ratios);
}

/** ms */
function measureNode(args: readonly string[]): number {
  const start = performance.now();
  const { status } = spawnSync(process.execPath, args);
  if (status !== 0) throw new Error(`node ${args.join(' ')} ended with ${status}.`);
  return performance.now() - start;
}
