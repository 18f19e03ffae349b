import type { BoardChange } from '../../../src/core/board/board-change';
import { BOARD_ROOT, TodoManager } from '../../../src/core/board/todo-manager';
import { Orchestrator } from '../../../src/core/orchestrator/drive/orchestrator';
import type {
  FindNotes,
  OrchestratorDeps,
  ToolRequest,
  Program as Kind,
} from '../../../src/core/orchestrator/drive/orchestrator-deps';
import type { RunUpdate } from '../../../src/core/orchestrator/command';
import { structuredTemplate } from '../../../src/core/orchestrator/run-prompt';
import type { RunView } from '../../../src/core/orchestrator/runs';
import type { NoteStore } from '../../../src/core/ports';
import { Listeners } from '../../../src/core/session/listeners';
import { SessionEventBus } from '../../../src/core/session/session-event-bus';
import { CurrentManager } from '../../../src/obsidian/board/board-root';
import { seededIds } from '../../board/manager-fixture';
import { MemoryStore } from '../../store/memory-store';
import { ManualClock, flushPromises } from '../../wire/manual-clock';
import { FakeOpenCode, type AgentBehaviour } from './fake-opencode';
import { MemoryLocks } from './memory-lock';
import { obedientAgent, type Plan } from './scripted-agent';

/** A vault, an OpenCode, and the programs that start and end around them. */
export class Machine {
  readonly store = new MemoryStore();
  readonly clock = new ManualClock();
  readonly locks = new MemoryLocks();
  /** the tools run in another program, as in a bridge without Obsidian */
  tools: TodoManager;
  readonly code: FakeOpenCode;
  #programs = 0;

  constructor(plan: Plan, play?: (tools: TodoManager, plan: Plan) => AgentBehaviour) {
    this.tools = this.#toolsIn(BOARD_ROOT);
    this.code = new FakeOpenCode((play ?? obedientAgent)(this.tools, plan));
  }

  /** Moves all boards to another folder, and makes the tools use it. */
  moveBoards(to: string): void {
    const { files } = this.store;
    for (const [path, { text }] of [...files]) {
      if (!path.startsWith(`${BOARD_ROOT}/`)) continue;
      this.store.put(to + path.slice(BOARD_ROOT.length), text);
      files.delete(path);
    }
    this.tools = this.#toolsIn(to);
  }

  #toolsIn(root: string): TodoManager {
    const { store, clock } = this;
    return new TodoManager({ store, clock, ids: seededIds(77), root });
  }

  program(kind: Kind = 'obsidian', store: NoteStore = this.store): Program {
    this.#programs += 1;
    return new Program(this, kind, store, this.#programs);
  }
}

/** One program with its orchestrator. */
export class Program {
  readonly bus = new SessionEventBus();
  readonly boards: CurrentManager;
  readonly runs: Orchestrator;
  readonly updates: [string, RunUpdate][] = [];
  readonly logged: string[] = [];
  readonly asks = new TestAsks();
  readonly #die: () => void;
  knowsKeys = true;
  /** notes to add to the planning prompt */
  notesFor: FindNotes = () => Promise.resolve(undefined);

  constructor(
    readonly machine: Machine,
    kind: Kind,
    store: NoteStore,
    n: number,
  ) {
    const { clock, code } = machine;
    const ids = seededIds(n * 1_000 + 1);
    const unique = (): string => `p${n}-${ids.unique()}`;
    const changed = new Listeners<BoardChange>();
    this.boards = new CurrentManager(
      (root) => new TodoManager({ store, clock, ids: { ...ids, unique }, root }),
      BOARD_ROOT,
      (change) => changed.call(change),
    );
    const { lock, die } = machine.locks.program();
    this.#die = die;
    code.addListener(this.bus);
    const deps: OrchestratorDeps = {
      ...{
        store,
        lock,
        clock,
        bus: this.bus,
        runtime: code,
        program: kind,
        toolRequests: this.asks,
      },
      ids: { ...ids, unique },
      log: {
        note: (message, context) => this.logged.push(`${message} ${JSON.stringify(context)}`),
      },
      sessions: () => code.known(),
      link: {
        isUp: () => code.isConnected,
        supportsKeys: () => this.knowsKeys,
        onChange: (listener) => code.onLink(listener),
      },
      boards: {
        manager: () => this.manager,
        onChange: (listener) => changed.add(listener),
      },
      strategy: structuredTemplate,
      findNotes: (...asked) => this.notesFor(...asked),
      notify: (run, what) => this.updates.push([run, what]),
      formatTime: (at) => new Date(at).toISOString(),
    };
    this.runs = new Orchestrator(deps);
  }

  /** the manager of the current boards folder */
  get manager(): TodoManager {
    return this.boards.now;
  }

  /** The run begun last. */
  get run(): RunView {
    const run = this.runs.all()[0];
    if (run === undefined) throw new Error('there is no run');
    return run;
  }

  /** Advances the time until a run is over or waits for something other than time. */
  async advanceUntilRest(id: string, most = 600): Promise<RunView> {
    for (let round = 0; round < most; round += 1) {
      await flushPromises();
      const view = this.runs.get(id);
      if (view !== undefined && !ACTIVE_STATES.has(view.state.kind)) break;
      await this.machine.clock.advance(500);
    }
    await flushPromises();
    const view = this.runs.get(id);
    if (view === undefined) throw new Error('the run is gone');
    return view;
  }

  /** As after a long sleep of the machine: others consider the program dead. */
  loseLocks(): void {
    this.#die();
  }

  /** Kills the process: its locks are released and it has no further effect. */
  async die(): Promise<void> {
    this.#die();
    this.machine.code.buses.delete(this.bus);
    await Promise.race([this.runs.close(), flushPromises()]);
  }
}

const ACTIVE_STATES: ReadonlySet<string> = new Set(['idle', 'going', 'paused']);

class TestAsks {
  readonly waiting: ToolRequest[] = [];
  readonly #asked = new Set<(ask: ToolRequest) => void>();
  readonly #ended = new Set<(ask: ToolRequest, lapsed: boolean) => void>();

  pending(): readonly ToolRequest[] {
    return this.waiting;
  }

  onRequest(listener: (ask: ToolRequest) => void): () => void {
    this.#asked.add(listener);
    return () => void this.#asked.delete(listener);
  }

  onEnd(listener: (ask: ToolRequest, lapsed: boolean) => void): () => void {
    this.#ended.add(listener);
    return () => void this.#ended.delete(listener);
  }

  ask(ask: ToolRequest): void {
    this.waiting.push(ask);
    for (const listener of [...this.#asked]) listener(ask);
  }

  end(ask: ToolRequest, lapsed: boolean): void {
    this.waiting.splice(this.waiting.indexOf(ask), 1);
    for (const listener of [...this.#ended]) listener(ask, lapsed);
  }
}
