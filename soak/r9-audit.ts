import { appendFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AuditedCall } from '../src/core/permission/audit/explain-call';
import { newestFile, readAudit, type StoredAudit } from './audit-check';
import { BOARD_NOTE } from './board-check';
import { ChildLines } from './child-lines';
import { buildChildren, type Children } from './children';
import { WRITABLE_NOTES, lineOf } from './note-calls';
import type { Run, RunOptions, RunReport } from './report';
import { SeededRandom } from './seeded';

/** Kills of each program. */
const FULL = 1_000;
/** Kills of each program in one vault: its content grows with them. */
const IN_ONE_VAULT = 20;
/** Most calls that are answered before a kill. */
const MAX_ANSWERED = 60;
/** Every third kill leaves a torn line, as a power cut does. */
const TEAR_EVERY = 3;
/** Number of concurrent calls of the desk. */
const DESK_AT_ONCE = 4;

const PROGRAMS = ['bridge', 'cli', 'desk'] as const;
type Program = (typeof PROGRAMS)[number];

/**
 * R9: three programs call tools on one vault concurrently, each killed and restarted. Every
 * answered call has one intent and one outcome, nothing was written without an intent, and the
 * chains verify.
 */
export const runAudit: Run = async ({ share, seed, progress }: RunOptions): Promise<RunReport> => {
  const kills = Math.max(1, Math.ceil(FULL * share));
  const children = await buildChildren(process.cwd());
  const injected: Record<string, number> = {};
  const lost: string[] = [];
  const count = (what: string, by = 1): void => {
    if (by > 0) injected[what] = (injected[what] ?? 0) + by;
  };
  try {
    for (let done = 0; done < kills; done += IN_ONE_VAULT) {
      const scene = new AuditScene(children, new SeededRandom(seed + done), count);
      const found = await scene.run(Math.min(IN_ONE_VAULT, kills - done));
      lost.push(...found.map((what) => `${what} (--seed ${seed + done})`));
      progress(`R9 ${done + IN_ONE_VAULT} of ${kills} kills of each program`);
    }
  } finally {
    await children.close();
  }
  return { name: 'R9', what: 'audited calls of three programs, killed', injected, lost };
};

class AuditScene {
  #vault = '';
  /** ids of the desk's calls that were answered; for the others, titles of tasks */
  readonly #answered: Record<Program, string[]> = { bridge: [], cli: [], desk: [] };
  readonly #codes = new Map<string, string>();
  #kills = 0;

  constructor(
    private readonly children: Children,
    private readonly random: SeededRandom,
    private readonly count: (what: string, by?: number) => void,
  ) {}

  /** @returns the errors */
  async run(kills: number): Promise<readonly string[]> {
    this.#vault = await mkdtemp(join(tmpdir(), 'atb-audit-'));
    for (const folder of ['.opencode', 'Notes']) await mkdir(join(this.#vault, folder));
    for (const path of WRITABLE_NOTES) await writeFile(join(this.#vault, path), '# Lines\n\n');
    this.#kills = kills;
    const lost = (await Promise.all(PROGRAMS.map((one) => this.#killRepeatedly(one)))).flat();
    lost.push(...(await this.#finishPrograms()));
    const audit = await readAudit(this.#vault);
    this.count('calls in the audit', audit.calls.length);
    this.count('repaired lines', audit.repairs);
    lost.push(...audit.lost, ...this.#checkCalls(audit), ...(await this.#checkNotes(audit.calls)));
    await rm(this.#vault, { recursive: true, force: true });
    return lost;
  }

  async #killRepeatedly(program: Program): Promise<string[]> {
    const { random } = this;
    const lost: string[] = [];
    for (let kill = 1; kill <= this.#kills; kill += 1) {
      const child = this.#start(program, `${program}${kill}`, 1_000_000);
      const alive = await child.waitForLines(1 + random.below(MAX_ANSWERED));
      for (let turns = random.below(3_000); turns > 0; turns -= 1) await new Promise(setImmediate);
      await child.kill();
      if (!alive) lost.push(`The ${program} ended by itself: ${child.fault ?? ''}`);
      this.#collectAnswers(program, child);
      this.count(`${program} kills`);
      const file = await newestFile(this.#vault, program);
      if (file === undefined || kill % TEAR_EVERY !== 0) continue;
      await appendFile(file, TORN_RECORD.slice(0, 1 + random.below(TORN_RECORD.length)));
      this.count('torn lines');
    }
    return lost;
  }

  /** Starts each program once more and lets it exit by itself, which repairs what the last kill left. */
  async #finishPrograms(): Promise<string[]> {
    const ends = PROGRAMS.map(async (program) => {
      const child = this.#start(program, `${program}0`, 3);
      await child.ended;
      this.#collectAnswers(program, child);
      return child.fault === undefined ? [] : [`The last ${program}: ${child.fault}`];
    });
    return (await Promise.all(ends)).flat();
  }

  #start(program: Program, name: string, calls: number): ChildLines {
    const { children, random } = this;
    return new ChildLines(
      program === 'desk'
        ? children.startDesk(this.#vault, random.below(2 ** 31), name, calls)
        : children.start(program, this.#vault, 'count', name, calls),
    );
  }

  #collectAnswers(program: Program, { lines }: ChildLines): void {
    this.count(`${program} calls answered`, lines.length);
    for (const line of lines) {
      if (program !== 'desk') {
        this.#answered[program].push(line);
        continue;
      }
      const { callId, code } = JSON.parse(line) as { callId: string; code: string };
      this.#answered.desk.push(callId);
      this.#codes.set(callId, code);
    }
  }

  /**
   * Checks that each answered call is in the audit with its outcome; only calls cut by a kill have
   * none.
   */
  #checkCalls({ calls }: StoredAudit): string[] {
    const lost: string[] = [];
    const bySent = new Map<string, AuditedCall[]>();
    const titles = new Set<string>();
    for (const call of calls) {
      const { sent, args, tool } = call.intent;
      if (tool !== 'tasks') bySent.set(sent ?? '', [...(bySent.get(sent ?? '') ?? []), call]);
      else if (call.outcome?.result === 'done') for (const one of titlesIn(args)) titles.add(one);
    }
    for (const id of this.#answered.desk) {
      const [call, ...more] = bySent.get(id) ?? [];
      const code = call?.outcome?.code ?? 'ok';
      if (call?.outcome === undefined || more.length > 0 || code !== this.#codes.get(id)) {
        lost.push(`${id}, answered with ${this.#codes.get(id)}, has ${code} in the audit.`);
      }
    }
    for (const program of ['bridge', 'cli'] as const) {
      const missing = this.#answered[program].filter((title) => !titles.has(title));
      lost.push(...missing.map((title) => `${title} was done, and is not in the audit.`));
    }
    const open = calls.filter(({ outcome }) => outcome === undefined).length;
    this.count('calls cut by a kill', open);
    const most = this.#kills * (DESK_AT_ONCE + 2);
    if (open > most) lost.push(`${open} calls have no end, after ${this.#kills} kills of each.`);
    return lost;
  }

  /** Checks that each line of a note has its intent, and each acknowledged change its line, once. */
  async #checkNotes(calls: readonly AuditedCall[]): Promise<string[]> {
    const lost: string[] = [];
    const writes = new Map<string, AuditedCall>();
    for (const call of calls) {
      const { operation, dryRun, sent = '' } = call.intent;
      if (operation === 'update' && !dryRun) writes.set(sent, call);
    }
    const lines: string[] = [];
    for (const path of WRITABLE_NOTES) {
      const text = await readFile(join(this.#vault, path), 'utf8').catch(() => '');
      lines.push(...text.split('\n').filter((line) => line.startsWith(lineOf(''))));
    }
    this.count('effects on notes', lines.length);
    const there = new Set(lines);
    if (there.size !== lines.length) lost.push(`${lines.length - there.size} lines stand twice.`);
    for (const line of lines) {
      const call = writes.get(line.slice(lineOf('').length));
      const result = call?.outcome?.result ?? 'done';
      if (call === undefined) lost.push(`"${line}" stands there without an intent.`);
      else if (result !== 'done') lost.push(`"${line}" stands there, and was ${result}.`);
    }
    for (const [id, { outcome }] of writes) {
      const done = outcome?.result === 'done';
      if (done && !there.has(lineOf(id))) lost.push(`${id} was done, and its line is not there.`);
    }
    const board = await readFile(join(this.#vault, BOARD_NOTE), 'utf8');
    const asked = new Set(calls.flatMap(({ intent }) => titlesIn(intent.args)));
    for (const [, title = ''] of board.matchAll(/^- \[.\] (\S+) /gm)) {
      if (!asked.has(title)) lost.push(`Task ${title} stands there without an intent.`);
    }
    return lost;
  }
}

/** A record that a kill would cut; a prefix of it is written as the torn line. */
const TORN_RECORD =
  '{"n":7,"at":1795000000000,"prev":"9f2c","kind":"outcome","callId":"x","result":"do';

function titlesIn(args: unknown): string[] {
  return [...JSON.stringify(args ?? null).matchAll(/"title":"([^"]*)"/g)].map(
    ([, one]) => one ?? '',
  );
}
