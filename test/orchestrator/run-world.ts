import { owedCommands, type KeyedCommand } from '../../src/core/orchestrator/command';
import type { EventRecord, RunEvent } from '../../src/core/orchestrator/event';
import type { Limits } from '../../src/core/orchestrator/limits';
import { planSnapshotOf } from '../../src/core/orchestrator/plan-snapshot';
import { logText, readState, stateText } from '../../src/core/orchestrator/serialise';
import { IDLE, type RunState } from '../../src/core/orchestrator/state';
import { step } from '../../src/core/orchestrator/step';
import { board } from './plan-board';
import { runOptions } from './run-fixture';
import { WorldAgents } from './world-agents';
import { isKeyed, needsLink, type WorldSession } from './world-session';

/**
 * A board, an OpenCode and a driver that executes commands once per key, as `command.ts` asks. Its
 * user decides what happens next; `onStep` is called with each state.
 */
export class RunWorld extends WorldAgents {
  state: RunState = IDLE;
  stored = stateText(IDLE);
  at = 1_000;
  isConnected = true;
  readonly log: EventRecord[] = [];
  commands: KeyedCommand[] = [];
  /** keys of the sent prompts */
  readonly prompted = new Set<string>();
  readonly turnEnds: RunEvent[] = [];
  readonly #started = new Map<string, string>();
  /** sessions by the keys of their prompts, once requested */
  readonly #promptOf = new Map<string, string>();
  #storedBefore = this.stored;
  #fresh = false;

  constructor(
    private readonly onStep: (before: RunState, after: RunState, world: RunWorld) => void,
    readonly limits: Partial<Limits>,
  ) {
    super();
  }

  /** @param on `session`: in an existing session, `plan`: with a plan on its board */
  start(approve: boolean, on: 'nothing' | 'session' | 'plan'): void {
    const session = on === 'nothing' ? null : 's0';
    if (session !== null) this.#open(session, 'plan', null);
    if (on === 'plan') this.addPlan();
    this.dispatch({
      type: 'start',
      run: 'r1',
      wish: runOptions({ approve }, this.limits),
      session,
    });
  }

  #open(id: string, role: WorldSession['role'], bound: string | null): void {
    const fresh = { running: false, told: [], asks: [], verdict: false };
    this.sessions.set(id, { id, role, task: bound, ...fresh });
  }

  get logText(): string {
    return this.log.map((one, at) => logText(one, this.log[at - 1])).join('');
  }

  dispatch(event: RunEvent): void {
    const plan = planSnapshotOf(this.tasks.length === 0 ? undefined : board(this.tasks));
    const happening: EventRecord = { at: this.at, plan, event };
    const before = this.state;
    this.#storedBefore = this.stored;
    this.#fresh = true;
    const [next, commands] = step(before, happening);
    this.log.push(happening);
    this.state = next;
    if (commands[0]?.type === 'store') this.stored = stateText(next);
    for (const command of commands) if (isKeyed(command)) this.#ask(command);
    this.onStep(before, next, this);
  }

  /** A pending or answered command is not executed twice. */
  #ask(command: KeyedCommand): void {
    if (command.type === 'prompt') this.#promptOf.set(command.key, command.session);
    const known = [...this.commands, ...this.answers].some(
      (one) => 'key' in one && one.key === command.key,
    );
    if (!known) this.commands.push(command);
  }

  /** Executes the first possible command; without a connection none to sessions. */
  executeNext(refuse: boolean): boolean {
    const at = this.commands.findIndex((one) => this.isConnected || !needsLink(one));
    const [command] = at < 0 ? [] : this.commands.splice(at, 1);
    if (command === undefined) return false;
    this.#fresh = false;
    const known = this.prompted.has(command.key) || this.#started.has(command.key);
    if (refuse && !known) {
      this.answers.push({ type: 'refused', key: command.key, message: 'It was refused.' });
      return true;
    }
    const answer = this.#run(command);
    if (answer !== undefined) this.answers.push(answer);
    return true;
  }

  #run(command: KeyedCommand): RunEvent | undefined {
    const { key } = command;
    switch (command.type) {
      case 'start_session': {
        const id = this.#started.get(key) ?? `s${this.#started.size + 1}`;
        this.#started.set(key, id);
        if (!this.sessions.has(id)) this.#open(id, command.role, command.task);
        return { type: 'opened', key, sessionId: id };
      }
      case 'prompt':
        return this.#prompt(command);
      case 'interrupt': {
        const session = this.sessions.get(command.session);
        if (session?.running === true) this.end(session, 'interrupted');
        return { type: 'done', key };
      }
      case 'checkpoint':
        return { type: 'done', key };
      case 'number':
        this.number(command.line);
        return { type: 'done', key };
      case 'plan_text':
        this.addPlan();
        return { type: 'done', key };
      case 'write':
        return this.#isOwed(key) ? this.write(command) : { type: 'done', key };
    }
  }

  #isOwed(key: string): boolean {
    return owedCommands(this.state).some((one) => one.key === key);
  }

  #prompt(command: Extract<KeyedCommand, { type: 'prompt' }>): RunEvent {
    const { key } = command;
    if (this.prompted.has(key)) return { type: 'done', key };
    const session = this.sessions.get(command.session);
    if (session === undefined) return { type: 'refused', key, message: 'No such session.' };
    if (session.running) throw new Error('a prompt went to a session in which a turn runs');
    for (const other of this.sessions.values()) {
      if (command.task !== null && other.running && other.task === command.task) {
        throw new Error(`${command.task} is worked on twice at once`);
      }
    }
    this.prompted.add(key);
    session.running = true;
    session.task = command.task;
    return { type: 'done', key };
  }

  /** The person marks a task done; ignored unless it is in progress. */
  markDone(id: string): void {
    const { state } = this;
    const steps = 'stage' in state && state.stage.kind === 'executing' ? state.stage.steps : [];
    if (steps.some(({ task: one }) => one === id)) this.byPerson.add(id);
    this.dispatch({ type: 'mark_done', task: id });
  }

  /** Kills OpenCode's process: its turns end without an event. */
  killOpenCode(): void {
    this.isConnected = false;
    for (const session of this.sessions.values()) {
      Object.assign(session, { running: false, asks: [], verdict: false });
      session.told.length = 0;
    }
    this.dispatch({ type: 'linked', up: false });
  }

  /** Reconnects: missed events arrive, then reports of idle sessions. */
  connect(): void {
    this.isConnected = true;
    this.dispatch({ type: 'linked', up: true });
    this.catchUp();
  }

  /** Delivers the next answer, if any. A prompt's says whether its turn ended without an event. */
  deliverAnswer(): boolean {
    const event = this.answers.shift();
    if (event === undefined) return false;
    const session = event.type === 'done' ? this.#promptOf.get(event.key) : undefined;
    const there = session === undefined ? undefined : this.sessions.get(session);
    const gone = session !== undefined && there === undefined;
    const silent =
      there?.running === false && !there.told.some(({ type }) => type === 'turn_ended');
    this.dispatch((gone || silent) && 'key' in event ? { type: 'over', key: event.key } : event);
    return true;
  }

  catchUp(): void {
    for (const session of this.sessions.values()) {
      for (const event of session.told.splice(0)) this.receive(event);
      for (const request of session.asks) {
        this.dispatch({ type: 'asked', sessionId: session.id, request });
      }
      const unanswered = [...this.commands, ...this.answers].some(
        (one) => 'key' in one && this.#promptOf.get(one.key) === session.id,
      );
      if (!session.running && !unanswered) {
        this.dispatch({ type: 'at_rest', sessionId: session.id });
      }
    }
  }

  /** Restarts Obsidian: only stored state survives; events missed meanwhile are not repeated. */
  restart(): void {
    const read = readState(this.stored);
    if (!read.ok) throw new Error(read.message);
    this.state = read.value;
    this.commands = [];
    this.answers.length = 0;
    for (const session of this.sessions.values()) session.told.length = 0;
    this.dispatch({ type: 'restarted' });
    if (this.isConnected) this.catchUp();
  }

  /**
   * Obsidian ends before the effect of the last event was stored, which loses the event. It was
   * stored if a command was executed since.
   */
  restartUnsaved(): void {
    if (this.#fresh) {
      this.stored = this.#storedBefore;
      this.log.pop();
    }
    this.restart();
  }

  receive(event: RunEvent): void {
    if (event.type === 'turn_ended') this.turnEnds.push(event);
    this.dispatch(event);
  }
}
