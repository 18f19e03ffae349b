import { WireError } from '../../../protocol/wire-error';
import type { Status } from '../../board/task';
import type { KeyedCommand } from '../command';
import type { PlanLook } from '../plan-look';
import { runPrompt } from '../prompt/run-prompt';
import { stateText } from '../serialise';
import type { RunState } from '../state';
import { lookWords, sentBefore } from './look-words';
import type { OrchestratorDeps } from './orchestrator-deps';
import type { RunBoard } from './run-board';
import type { RunFiles } from './run-files';
import type { Sends } from './sends';
import { stageOf, type Word } from './word';
import { forRun, numberLine, RUN_ACTOR, wasWritten, writeTask, type Written } from './write-task';

type Command<T extends KeyedCommand['type']> = Extract<KeyedCommand, { type: T }>;

/** A command with what is known of it beside its words. */
export interface Order {
  readonly command: KeyedCommand;
  /** the board as it was when this was asked for; undefined where that is not known */
  readonly plan: PlanLook | undefined;
  /** it may have been carried out before */
  readonly again: boolean;
  /** when it was asked for first, ms since the epoch, or a little earlier */
  readonly since: number;
}

/** It can be tried again later as it is. */
export class Passing extends Error {}

/** Of the store: what a disk that is full or held for a moment answers. */
export function passes(code: string): boolean {
  return code === 'busy' || code === 'disk_full' || code === 'io';
}

export interface HandsPort {
  readonly deps: OrchestratorDeps;
  readonly files: RunFiles;
  readonly id: string;
  readonly board: RunBoard;
  state(): RunState;
  readonly sends: Sends;
  /** this program carries the run out no more */
  closed(): boolean;
}

/** Carries commands out, each once per key. Everything that may pass is thrown, all else is a word. */
export class Hands {
  constructor(private readonly port: HandsPort) {}

  async carryOut(order: Order): Promise<readonly Word[]> {
    const { command } = order;
    switch (command.type) {
      case 'start_session':
        return this.#start(command);
      case 'prompt':
        return this.#prompt(command);
      case 'interrupt':
        return this.#interrupt(command);
      case 'checkpoint':
        return this.#checkpoint(command, order);
      case 'write':
      case 'number':
      case 'plan_text':
        return this.#write(command, order);
    }
  }

  async #start({ key, role, title, parent, task, agent }: Command<'start_session'>) {
    const { wish } = this.#run();
    const bound = { session: parent ?? '', agent: wish.agent, ...(task !== null && { task }) };
    const { sessionId } = await this.#runtime.start({
      ...{ key, title, agent: agent ?? wish.agent },
      ...(wish.model !== null && { model: wish.model }),
      ...(parent !== null && { parentId: parent }),
      ...(role !== 'plan' && { board: bound }),
    });
    return [{ type: 'opened', key, sessionId } as const];
  }

  async #prompt(command: Command<'prompt'>): Promise<readonly Word[]> {
    const { key, session } = command;
    const { deps, board } = this.port;
    const state = this.port.state();
    const { wish } = this.#run();
    const prompt = runPrompt(command, wish.goal, await board.load(state), deps.strategy);
    if (!prompt.ok) return [{ type: 'refused', key, message: prompt.message }];
    const still = this.port.sends.next(session);
    try {
      const { before } = await this.#runtime.send(session, prompt.text, {
        ...{ key, agent: agentOf(state, command) ?? wish.agent },
        ...(wish.model !== null && { model: wish.model }),
      });
      if (!before) return [{ type: 'done', key }];
      const look = await this.#runtime.look(session);
      return [sentBefore(key, session, look), ...lookWords(session, look, still)];
    } catch (error) {
      return unknownSession(error, session);
    }
  }

  /** A turn that runs on is told again to stop. */
  async #interrupt({ key, session }: Command<'interrupt'>): Promise<readonly Word[]> {
    const still = this.port.sends.now(session);
    try {
      await this.#runtime.interrupt(session);
      const look = await this.#runtime.look(session);
      if (look.status !== 'idle') throw new Passing('The turn runs on.');
      return [...lookWords(session, look, still), { type: 'done', key }];
    } catch (error) {
      return [...unknownSession(error, session), { type: 'done', key }];
    }
  }

  async #checkpoint(
    { key, label }: Command<'checkpoint'>,
    { again, since }: Order,
  ): Promise<readonly Word[]> {
    const path = await this.#path();
    const { checkpoints } = this.port.deps.boards.manager();
    const there = again
      ? (await checkpoints.list(path)).find(
          (one) => one.by === 'system' && one.label === label && one.at >= since,
        )
      : undefined;
    const made = there ?? (await checkpoints.add(path, { by: 'system', label }));
    if ('ok' in made && !made.ok) return [{ type: 'refused', key, message: made.message }];
    const { n } = 'ok' in made ? made.checkpoint : made;
    await this.port.files.keepAt(this.port.id, n, stateText(this.port.state()));
    return [{ type: 'done', key, n }];
  }

  async #write(
    command: Command<'write' | 'number' | 'plan_text'>,
    order: Order,
  ): Promise<readonly Word[]> {
    const { key } = command;
    const path = await this.#path();
    const done = { type: 'done', key } as const;
    const manager = this.port.deps.boards.manager();
    if (order.again && (await wasWritten(manager, path, key))) return [done];
    const written = await this.#written(command, order, path);
    if (written.ok) return [done];
    if (passes(written.code)) throw new Passing(written.message);
    return [{ type: 'refused', key, message: written.message }];
  }

  async #written(
    command: Command<'write' | 'number' | 'plan_text'>,
    { plan }: Order,
    path: string,
  ): Promise<Written> {
    const { boards, clock } = this.port.deps;
    const manager = boards.manager();
    switch (command.type) {
      case 'write':
        return writeTask(manager, path, command, seenStatus(plan, command.task), clock.today());
      case 'number':
        return numberLine(manager, path, command);
      case 'plan_text': {
        const { planner, wish } = this.#run();
        const why = forRun(command.key);
        return manager.texts.addPlan(planner ?? '', wish.agent, command.text, RUN_ACTOR, { why });
      }
    }
  }

  async #path(): Promise<string> {
    const path = await this.port.board.path(this.port.state());
    if (path === undefined) throw new Error('assertion: a write before there is a board');
    return path;
  }

  /** OpenCode, of which nothing is asked any more once the run rests. */
  get #runtime(): OrchestratorDeps['runtime'] {
    if (this.port.closed()) throw new Passing('The run rests.');
    return this.port.deps.runtime;
  }

  #run() {
    const state = this.port.state();
    if (state.kind === 'idle') throw new Error('assertion: a command of no run');
    return state.run;
  }
}

function unknownSession(error: unknown, sessionId: string): readonly Word[] {
  if (error instanceof WireError && error.code === 'unknown_session') {
    return [{ type: 'session_ended', sessionId }];
  }
  throw error;
}

function seenStatus(plan: PlanLook | undefined, task: string): Status | undefined {
  return plan?.kind === 'plan' ? plan.tasks.find(({ id }) => id === task)?.status : undefined;
}

/** Who works on a task, as it was taken up. */
function agentOf(state: RunState, { role, task }: Command<'prompt'>): string | null {
  const stage = stageOf(state);
  if (role !== 'work' || stage?.kind !== 'executing') return null;
  return stage.steps.find((step) => step.task === task)?.agent ?? null;
}
