import { Plugin } from 'obsidian';
import {
  PendingPermissions,
  type ToolPermissionRequest,
  type ToolPermissionOutcome,
} from '../../src/core/permission/ask';
import type { Clock } from '../../src/core/ports';
import type { Session } from '../../src/core/session/session';
import { AskModal } from '../../src/obsidian/ask/ask-modal';
import { askCommands, Prompts } from '../../src/obsidian/ask/prompts';
import { isBusy } from '../../src/obsidian/ui/focus';
import { itemQuestion } from '../../src/obsidian/model/attention';
import { notify } from '../../src/obsidian/ui/notify';

/** The interface of the stand for tests, as `window.askStand`. */
export interface AskHarness {
  ask(ask: ToolPermissionRequest): void;
  end(requestId: string, reply: 'expired' | 'cancelled' | 'changed'): void;
  sessions(sessions: readonly Session[]): void;
  connect(connected: boolean): void;
  review(requestId?: string): void;
  waiting(): readonly string[];
  /** how each request ended, and what was sent to OpenCode */
  readonly ends: [string, ToolPermissionOutcome | readonly unknown[]][];
  readonly announced: string[];
}

/** The request dialog over the real core; only OpenCode and the tools are replaced by fakes. */
export default class AskHarnessPlugin extends Plugin {
  override onload(): void {
    const clock: Clock = {
      now: () => Date.now(),
      today: () => '2026-11-22',
      after: (ms, task) => {
        const timer = window.setTimeout(task, ms);
        return () => window.clearTimeout(timer);
      },
    };
    const asks = new PendingPermissions(clock);
    const ends: AskHarness['ends'] = [];
    const announced: string[] = [];
    let sessions: readonly Session[] = [];
    let connected = true;
    const sent = (...given: readonly unknown[]) =>
      Promise.resolve(void ends.push([String(given[1]), given]));
    const prompts = new Prompts({
      ...{ clock, asks, tell: notify },
      runtime: { answerPermission: sent, answerQuestion: sent },
      sessions: () => sessions,
      connected: () => connected,
      task: () => 'Keep the index across restarts',
      open: (queue, first, closed) => new AskModal(this.app, queue, first, closed).open(),
      busy: () => isBusy(document),
      announce: (need) => void announced.push(itemQuestion(need)),
    });
    const mine = () => false;
    for (const command of askCommands(prompts, mine, () => Promise.resolve())) {
      this.addCommand(command);
    }
    const stand: AskHarness = {
      ask: (ask) => void asks.ask(ask).then((end) => ends.push([ask.requestId, end])),
      end: (requestId, reply) => void asks.end(requestId, { reply }),
      sessions: (now) => {
        sessions = now;
        prompts.update();
      },
      connect: (now) => {
        connected = now;
        prompts.update();
      },
      review: (requestId) => prompts.review(requestId),
      waiting: () => prompts.needs().map(({ request }) => request.requestId),
      ends,
      announced,
    };
    Object.assign(window, { askStand: stand });
  }
}
