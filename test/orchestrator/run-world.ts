import type { Task } from '../../src/core/board/task';
import type { KeyedCommand } from '../../src/core/orchestrator/command';
import type { Happening, RunEvent } from '../../src/core/orchestrator/event';
import type { Limits } from '../../src/core/orchestrator/limits';
import { lookAtPlan } from '../../src/core/orchestrator/plan-look';
import { logText, readState, stateText } from '../../src/core/orchestrator/serialise';
import { IDLE, type RunState } from '../../src/core/orchestrator/state';
import { step } from '../../src/core/orchestrator/step';
import { board, task } from './plan-board';
import { wish } from './run-fixture';
import { isKeyed, needsLink, statusAfter, type WorldSession } from './world-session';

/**
 * A board, an OpenCode and a driver that carries out commands once per key, as `command.ts` asks.
 * Whoever leads it decides what happens next; `seen` hears of each state.
 */
export class RunWorld {
  state: RunState = IDLE;
  stored = stateText(IDLE);
  at = 1_000;
  up = true;
  tasks: Task[] = [];
  logText = '';
  readonly log: Happening[] = [];
  readonly sessions = new Map<string, WorldSession>();
  /** answers to commands, and news of the board: in order among themselves */
  readonly answers: RunEvent[] = [];
  commands: KeyedCommand[] = [];
  /** keys of the prompts that were sent */
  readonly prompted = new Set<string>();
  /** tasks for which there is evidence: a check that passed, or the person's word */
  readonly passed = new Set<string>();
  readonly byPerson = new Set<string>();
  readonly heard: RunEvent[] = [];
  told = 0;
  readonly #started = new Map<string, string>();
  /** session by the key of its prompt, once it was asked for */
  readonly #promptOf = new Map<string, string>();
  #messages = 0;

  constructor(
    private readonly seen: (before: RunState, after: RunState, world: RunWorld) => void,
    readonly limits: Partial<Limits>,
    approve: boolean,
  ) {
    this.tell({ type: 'start', run: 'r1', wish: wish({ approve }, limits) });
  }

  tell(event: RunEvent): void {
    const plan = lookAtPlan(this.tasks.length === 0 ? undefined : board(this.tasks));
    const happening: Happening = { at: this.at, plan, event };
    const before = this.state;
    const [next, commands] = step(before, happening);
    this.logText += logText(happening, this.log.at(-1));
    this.log.push(happening);
    this.state = next;
    if (commands[0]?.type === 'store') this.stored = stateText(next);
    for (const command of commands) if (isKeyed(command)) this.#ask(command);
    this.seen(before, next, this);
  }

  /** What is to be done or was answered already is not done twice. */
  #ask(command: KeyedCommand): void {
    if (command.type === 'prompt') this.#promptOf.set(command.key, command.session);
    const known = [...this.commands, ...this.answers].some(
      (one) => 'key' in one && one.key === command.key,
    );
    if (!known) this.commands.push(command);
  }

  /** Carries out the first command that can be; of those to sessions none without a connection. */
  carryOut(refuse: boolean): boolean {
    const at = this.commands.findIndex((one) => this.up || !needsLink(one));
    const [command] = at < 0 ? [] : this.commands.splice(at, 1);
    if (command === undefined) return false;
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
        if (!this.sessions.has(id)) {
          const { role, task: bound } = command;
          const fresh = { running: false, told: [], asks: [], verdict: false };
          this.sessions.set(id, { id, role, task: bound, ...fresh });
        }
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
      case 'number': {
        const line = this.tasks.find((one) => one.line === command.line && one.id === null);
        if (line !== undefined) {
          const id = `k3f9-${line.line}`;
          this.tasks = this.tasks.map((one) => (one === line ? { ...one, id, key: id } : one));
        }
        return { type: 'done', key };
      }
      case 'plan_text':
        if (this.tasks.length === 0) this.tasks = [task(1), task(2, { dependsOn: ['k3f9-1'] })];
        return { type: 'done', key };
      case 'write':
        return this.#write(command);
    }
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

  #write(command: Extract<KeyedCommand, { type: 'write' }>): RunEvent {
    const { key, task: id, write } = command;
    const there = this.tasks.find((one) => one.id === id);
    if (there === undefined) return { type: 'refused', key, message: 'The task is gone.' };
    const status = statusAfter(write);
    if (status === 'in_progress') this.passed.delete(id);
    if (status === 'completed') this.byPerson.add(id);
    if (status !== undefined) this.set(id, status);
    return { type: 'done', key };
  }

  set(id: string, status: Task['status']): void {
    this.tasks = this.tasks.map((one) => (one.id === id ? { ...one, status } : one));
  }

  /** The person does something to a task on the board. */
  edit(id: string, status: Task['status']): void {
    this.byPerson.delete(id);
    if (status === 'completed') this.byPerson.add(id);
    else this.passed.delete(id);
    this.set(id, status);
    this.answers.push({ type: 'board', byPerson: [id] });
  }

  /** What the agent says and does is told in the order in which it happened. */
  say(session: WorldSession, text: string): void {
    session.told.push({ type: 'said', sessionId: session.id, text });
  }

  end(session: WorldSession, reason: 'completed' | 'interrupted' | 'error'): void {
    session.running = false;
    const passes = session.role === 'check' && reason === 'completed' && session.verdict;
    if (passes && session.task !== null) this.passed.add(session.task);
    session.verdict = false;
    session.asks = [];
    const message = `m${(this.#messages += 1)}`;
    session.told.push({ type: 'turn_ended', sessionId: session.id, message, reason, error: '' });
  }

  /** OpenCode's process ends: its turns are over, and nobody tells of that. */
  killOpenCode(): void {
    this.up = false;
    for (const session of this.sessions.values()) {
      Object.assign(session, { running: false, asks: [], verdict: false });
      session.told.length = 0;
    }
    this.tell({ type: 'linked', up: false });
  }

  /** The connection is back: what was missed is told, then who is at rest. */
  connect(): void {
    this.up = true;
    this.tell({ type: 'linked', up: true });
    this.catchUp();
  }

  /** The next answer, where there is one. A prompt's says whether its turn is over and nobody tells of it. */
  hearAnswer(): boolean {
    const event = this.answers.shift();
    if (event === undefined) return false;
    const session = event.type === 'done' ? this.#promptOf.get(event.key) : undefined;
    const there = session === undefined ? undefined : this.sessions.get(session);
    const gone = session !== undefined && there === undefined;
    const silent =
      there?.running === false && !there.told.some(({ type }) => type === 'turn_ended');
    this.tell((gone || silent) && 'key' in event ? { type: 'over', key: event.key } : event);
    return true;
  }

  catchUp(): void {
    for (const session of this.sessions.values()) {
      for (const event of session.told.splice(0)) this.hear(event);
      for (const request of session.asks) {
        this.tell({ type: 'asked', sessionId: session.id, request });
      }
      const unanswered = [...this.commands, ...this.answers].some(
        (one) => 'key' in one && this.#promptOf.get(one.key) === session.id,
      );
      if (!session.running && !unanswered) {
        this.tell({ type: 'at_rest', sessionId: session.id });
      }
    }
  }

  /** Obsidian ends and starts again: only what was stored is left, and what was told meanwhile is not told again. */
  restart(): void {
    const read = readState(this.stored);
    if (!read.ok) throw new Error(read.message);
    this.state = read.value;
    this.commands = [];
    this.answers.length = 0;
    for (const session of this.sessions.values()) session.told.length = 0;
    this.tell({ type: 'restarted' });
    if (this.up) this.catchUp();
  }

  hear(event: RunEvent): void {
    if (event.type === 'turn_ended') this.heard.push(event);
    this.tell(event);
  }
}
