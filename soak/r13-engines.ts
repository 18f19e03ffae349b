import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { parseNote } from '../src/core/board/note/parse-note';
import { readBoards } from '../test/mcp/mcp-rig';
import { startReaper } from '../workbench/demo/reaper';
import { isRunning, ServedEngine } from './engines/served-engine';
import { StepModel } from './engines/step-model';
import { StepSession, type StepEnd } from './engines/step-session';
import type { Run, RunOptions, RunReport } from './report';

/** Number of sessions, and prompts in each; `least`: at any share. */
const SESSIONS = { full: 50, least: 6 };
const STEPS = { full: 12, least: 2 };

/** Most requests to an engine's model between two blows; fewer for a short run. */
const BETWEEN_FAULTS = { full: 10, least: 4 };

/** Concurrent turns on agents over ACP, each a process of 300 MB that takes seconds to start. */
const MAX_AGENTS = { full: 4, least: 1 };

/** Number of blows to each engine. */
const MAX_FAULTS = { full: Infinity, least: 2 };

/** Agents that may still run at the end: the idle ones. */
const MAX_IDLE_AGENTS = 3;

/** Limits of handles and MiB for one `agent-boards serve`. */
const MAX_HANDLES = 250;
const MAX_MEBIBYTES = 600;

/** ms within which an agent must exit after its `agent-boards serve` was killed */
const ORPHAN_TIMEOUT_MS = 30_000;

type Kind = 'model' | 'opencode' | 'acp';

/** Engines of ten sessions. */
const ENGINE_MIX: readonly Kind[] = [
  ...(['model', 'opencode', 'acp', 'model', 'opencode', 'acp'] as const),
  ...(['model', 'opencode', 'model', 'model'] as const),
];

const END_LABELS: Readonly<Record<StepEnd, string>> = {
  completed: 'turns completed',
  interrupted: 'turns interrupted',
  error: 'turns that failed with words',
  gone: 'turns gone with a process',
  never: 'turns without an end',
};

/**
 * R13, for all engines at once: `agent-boards serve` on a model, on a real `opencode serve` and on
 * real `opencode acp`, in one vault. Each is killed and disconnected while it works, on a model
 * half of whose answers are bad. What was reported as done is on its board once, each prompt is
 * stored once, and all sessions continue.
 */
export const runEngines: Run = async ({
  share,
  seed,
  progress,
}: RunOptions): Promise<RunReport> => {
  const count = (of: typeof SESSIONS): number => Math.max(of.least, Math.ceil(of.full * share));
  const lost: string[] = [];
  const lose = (what: string): void => {
    if (lost.length < 200) lost.push(`${what} (--seed ${seed})`);
    progress(`R13 lost: ${what}`);
  };
  const soak = await EngineSoak.open(count(SESSIONS), seed, lose);
  try {
    await soak.work(count(STEPS), progress);
    await soak.check();
    return {
      name: 'R13',
      what: 'sessions on three engines that are killed and cut off',
      injected: soak.counts,
      lost,
    };
  } finally {
    await soak.close();
  }
};

class EngineSoak {
  readonly #counts: Record<string, number> = {};
  #injectsFaults = true;

  private constructor(
    private readonly base: string,
    private readonly model: Awaited<ReturnType<typeof StepModel.start>>,
    private readonly engines: ReadonlyMap<Kind, ServedEngine>,
    private readonly sessions: readonly StepSession[],
    private readonly closeReaper: () => void,
    private readonly seed: number,
    private readonly lose: (what: string) => void,
  ) {
    for (const engine of engines.values()) {
      engine.link.bus.onAll((event) => {
        const session = sessions.find(({ id }) => id === event.sessionId);
        if (session?.engine === engine) session.handleEvent(event);
        // What is told of a start comes before its answer.
        else if (session !== undefined) lose(`${event.type} of ${session.tag} came elsewhere.`);
      });
    }
  }

  static async open(
    count: number,
    seed: number,
    lose: (what: string) => void,
  ): Promise<EngineSoak> {
    const base = await mkdtemp(join(tmpdir(), 'atb-engines-'));
    await mkdir(join(base, 'vault/.opencode'), { recursive: true });
    await mkdir(join(base, 'home'));
    const reaper = startReaper();
    reaper.addFolder(base);
    let soak: EngineSoak | undefined;
    const model = await StepModel.start({
      ...{ seed, lose },
      onRequest: async (tag) => soak?.onModelRequest(tag),
      onStall: (tag) => soak?.sessions.find((one) => one.tag === tag)?.markStalled(),
    });
    const [onModel, onOpencode, onAgents] = await Promise.all([
      ServedEngine.model(base, model.url, reaper),
      ServedEngine.opencode(base, model.url, reaper),
      ServedEngine.acp(base, model.url, reaper),
    ]);
    const engines = new Map<Kind, ServedEngine>([
      ['model', onModel],
      ['opencode', onOpencode],
      ['acp', onAgents],
    ]);
    const sessions = Array.from({ length: count }, (_, at) => {
      const engine = engines.get(ENGINE_MIX[at % ENGINE_MIX.length] ?? 'model');
      if (engine === undefined) throw new Error('There is no such engine.');
      return new StepSession(`s${at + 1}`, engine, lose);
    });
    soak = new EngineSoak(base, model, engines, sessions, () => reaper.close(), seed, lose);
    return soak;
  }

  get counts(): Record<string, number> {
    return { sessions: this.sessions.length, ...this.#counts, ...this.model.model.counts };
  }

  /** Runs all sessions concurrently, step by step; the last step has no blows and no bad answers. */
  async work(steps: number, progress: RunOptions['progress']): Promise<void> {
    await Promise.all([...this.engines.values()].map(({ link }) => link.connected()));
    await Promise.all(this.sessions.map((session) => session.start()));
    const agents = semaphore(this.#limitOf(MAX_AGENTS));
    const runStep = async (session: StepSession, step: number): Promise<StepEnd> => {
      const isAgent = session.engine === this.engines.get('acp');
      const end = await (isAgent ? agents(() => session.step(step)) : session.step(step));
      this.#count(END_LABELS[end]);
      return end;
    };
    let done = 0;
    await Promise.all(
      this.sessions.map(async (session) => {
        for (let step = 1; step <= steps; step += 1) {
          await runStep(session, step);
          done += 1;
          if (done % 10 === 0) progress(`R13 ${done} of ${steps * this.sessions.length} turns`);
        }
      }),
    );
    this.#injectsFaults = false;
    this.model.model.isGood = true;
    await Promise.all(
      this.sessions.map(async (session) => {
        const end = await runStep(session, steps + 1);
        if (end !== 'completed') this.lose(`${session.tag} did not go on: ${end}.`);
      }),
    );
  }

  /**
   * Called when a session's model is asked: now and then strikes the engine, before or during the
   * answer.
   */
  async onModelRequest(tag: string): Promise<void> {
    const engine = this.sessions.find((one) => one.tag === tag)?.engine;
    if (engine === undefined || engine.isInjecting || !this.#injectsFaults) return;
    if (engine.faultCount >= this.#limitOf(MAX_FAULTS)) return;
    const blow = engine.nextFault(this.seed, this.#limitOf(BETWEEN_FAULTS));
    if (blow === undefined) return;
    this.#count(blow.what);
    const struck = engine.inject(blow.what);
    if (blow.isBefore) await struck;
    else struck.catch((error: unknown) => this.lose(`It did not start again: ${String(error)}`));
  }

  async check(): Promise<void> {
    const says = new Map<string, string>();
    for (const session of this.sessions) await session.check(says);
    await this.#checkBoards();
    for (const [kind, engine] of this.engines) {
      const now = await engine.measure();
      const { handles, mebibytes } = engine.peakUse;
      this.#counts[`handles of ${kind} at most`] = handles;
      this.#counts[`MiB of ${kind} at most`] = mebibytes;
      if (handles > MAX_HANDLES) this.lose(`${kind} had ${handles} handles, now ${now.handles}.`);
      if (mebibytes > MAX_MEBIBYTES) this.lose(`${kind} had ${mebibytes} MiB in use.`);
      const agents = await engine.agents();
      if (agents.length > MAX_IDLE_AGENTS) this.lose(`${agents.length} agents of ${kind} go on.`);
      const late = await killSurvivors(engine.orphans);
      if (late.length > 0) this.lose(`${late.length} agents outlast a killed ${kind}.`);
    }
  }

  async #checkBoards(): Promise<void> {
    const { called, answered } = this.model.model;
    const tags = new Map(this.sessions.map(({ id, tag }) => [id, tag]));
    const found: string[] = [];
    for (const [path, text] of await readBoards(join(this.base, 'vault'))) {
      const tag = tags.get(basename(dirname(path)));
      const { board } = parseNote(path, text);
      if (board.broken !== null) this.lose(`${path} is torn: ${board.broken.reason}`);
      for (const { title } of board.tasks) {
        if (!called.has(title)) this.lose(`${title} is on a board, and nobody wrote it.`);
        if (!title.startsWith(`${tag}-`)) this.lose(`${title} is on the board of ${tag}.`);
        found.push(title);
      }
    }
    const there = new Set(found);
    for (const title of answered) if (!there.has(title)) this.lose(`${title} is gone.`);
    const twice = found.filter((title, at) => found.indexOf(title) !== at);
    for (const title of twice) this.lose(`${title} is there twice.`);
    this.#counts['calls of the model'] = called.size;
    this.#counts['calls answered as done'] = answered.size;
    this.#counts['tasks on boards'] = there.size;
  }

  async close(): Promise<void> {
    this.#injectsFaults = false;
    for (const engine of this.engines.values()) await engine.close();
    await this.model.close();
    await rm(this.base, { recursive: true, force: true, maxRetries: 5 });
    this.closeReaper();
  }

  #limitOf({ full, least }: typeof SESSIONS): number {
    return this.sessions.length > SESSIONS.least ? full : least;
  }

  #count(what: string): void {
    this.#counts[what] = (this.#counts[what] ?? 0) + 1;
  }
}

/** A semaphore: runs at most `most` tasks at the same time. */
function semaphore(most: number): <T>(task: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let inside = 0;
  return async (task) => {
    if (inside >= most) await new Promise<void>((resolve) => waiting.push(resolve));
    else inside += 1;
    try {
      return await task();
    } finally {
      const next = waiting.shift();
      if (next === undefined) inside -= 1;
      else next();
    }
  };
}

/** Returns the processes that do not exit in time, and kills them. */
async function killSurvivors(pids: readonly number[]): Promise<readonly number[]> {
  const until = Date.now() + ORPHAN_TIMEOUT_MS;
  while (pids.some(isRunning) && Date.now() < until) {
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  const late = pids.filter(isRunning);
  for (const pid of late) process.kill(pid, 'SIGKILL');
  return late;
}
