import { VaultStore } from '../src/obsidian/adapter/vault-store';
import { ExpectedTasks } from './expected-tasks';
import { FAULT_KINDS, WRITE_MODES, type Fault, type WriteMode } from './fault';
import { FaultyAdapter } from './faulty-adapter';
import { WORK_NOTE, workOnBoard } from './fault-work';
import { MemoryDisk } from './memory-disk';
import type { Run, RunOptions, RunReport } from './report';
import { SeededRandom } from './seeded';
import { fixedClock, seededIds } from './fixed-ports';

/** More than the goal asks for: each call meets each kind of fault in each mode, see `pickCall`. */
const FULL = 30_000;

/** R2: one fault at every call of the adapter, for each write mode and kind of fault. */
export const runFaults: Run = async ({ share, seed, progress }: RunOptions): Promise<RunReport> => {
  const wanted = Math.max(24, Math.ceil(FULL * share));
  const injected: Record<string, number> = {};
  const lost: string[] = [];
  const calls = await Promise.all(WRITE_MODES.map(callsWithoutFault));
  // With two threads, one takes the even calls and the other the odd ones.
  const half = Math.floor(seed / 10_000_000) % 2;
  let done = 0;
  for (let n = 0; done < wanted; n += 1) {
    const at = n % WRITE_MODES.length;
    const mode = WRITE_MODES[at] ?? 'truncates in place';
    const kind = FAULT_KINDS[Math.floor(n / WRITE_MODES.length) % FAULT_KINDS.length] ?? 'death';
    const round = Math.floor(n / (WRITE_MODES.length * FAULT_KINDS.length));
    const random = new SeededRandom(seed + n);
    const call = pickCall(calls[at] as Calls, round, half, random);
    const fault: Fault = { kind, call, fraction: random.next(), duration: 1 + random.below(8) };
    const one = await runOnce(mode, fault, random);
    if (!one.injected) continue;
    done += 1;
    injected[kind] = (injected[kind] ?? 0) + 1;
    if (one.recoveryDied) injected['death in recovery'] = (injected['death in recovery'] ?? 0) + 1;
    const where = `${mode}, ${kind} at call ${call}, --seed ${seed}, run ${n}`;
    lost.push(...one.lost.map((what) => `${what} (${where})`));
    if (done % 2000 === 0) progress(`R2 ${done} of ${wanted}`);
  }
  const most = Math.max(...calls.map(({ count }) => count));
  return {
    name: 'R2',
    what: `a fault at every one of ${most} calls of the adapter`,
    injected,
    lost,
  };
};

/** The calls of the work when no fault is injected. */
interface Calls {
  readonly count: number;
  readonly writes: readonly number[];
}

/** Alternates between every second call in turn and a random one that writes, where most can break. */
function pickCall(
  { count, writes }: Calls,
  round: number,
  half: number,
  random: SeededRandom,
): number {
  return round % 2 === 0 ? (round + half) % count : random.pick(writes);
}

async function callsWithoutFault(mode: WriteMode): Promise<Calls> {
  const adapter = new FaultyAdapter(new MemoryDisk(), mode);
  await workOnBoard(new VaultStore(adapter), fixedClock, seededIds(1), new ExpectedTasks());
  return { count: adapter.calls, writes: adapter.writes };
}

interface Outcome {
  readonly injected: boolean;
  /** whether the recovery died half-way, too */
  readonly recoveryDied: boolean;
  readonly lost: readonly string[];
}

async function runOnce(mode: WriteMode, fault: Fault, random: SeededRandom): Promise<Outcome> {
  const disk = new MemoryDisk();
  const expected = new ExpectedTasks();
  const adapter = new FaultyAdapter(disk, mode, fault, () => appendForeignLine(disk, expected));
  const work = workOnBoard(new VaultStore(adapter), fixedClock, seededIds(1), expected);
  await Promise.race([work, adapter.died]);
  if (!adapter.injected) return { injected: false, recoveryDied: false, lost: [] };
  const again = await recoverWithDeath(disk, mode, random);
  const faults: string[] = [];
  for (let times = 0; times < 2; times += 1) {
    const store = new VaultStore(new FaultyAdapter(disk, mode));
    faults.push(...(await store.recover()));
  }
  return {
    injected: true,
    recoveryDied: again,
    lost: [...faults, ...expected.findLosses(WORK_NOTE, disk.text(WORK_NOTE))],
  };
}

/** Appends a line, as an editor without our lock does. */
function appendForeignLine(disk: MemoryDisk, expected: ExpectedTasks): boolean {
  const text = disk.text(WORK_NOTE);
  if (text === undefined || text === '') return false;
  const line = 'A line of another program.';
  expected.addLine(line);
  disk.put(WORK_NOTE, new TextEncoder().encode(`${text}${line}\n`));
  return true;
}

async function recoverWithDeath(
  disk: MemoryDisk,
  mode: WriteMode,
  random: SeededRandom,
): Promise<boolean> {
  const fault: Fault = {
    kind: 'death',
    call: random.below(12),
    fraction: random.next(),
    duration: 1,
  };
  const adapter = new FaultyAdapter(disk, mode, fault);
  await Promise.race([new VaultStore(adapter).recover(), adapter.died]);
  return adapter.injected;
}
