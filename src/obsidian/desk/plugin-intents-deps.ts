import type { App } from 'obsidian';
import type { Board } from '../../core/board/task';
import type { AutoContinue } from '../../core/session/auto-continue/auto-continue';
import type { Asker } from '../ask/asker';
import type { Overview } from '../model/overview';
import type { RunDesk } from '../run/make-run-panel';
import type { BoardActions } from './board-actions';
import type { Notify } from './notify';
import type { SessionActions } from './session-actions';
import type { SessionKeeping } from './session-keeping';
import type { TaskPickers } from './task-pickers';

/** What the intents of views are carried out with. */
export interface PluginIntentsDeps {
  readonly app: App;
  readonly overview: Overview;
  readonly boards: BoardActions;
  readonly pickers: TaskPickers;
  readonly sessions: SessionActions;
  readonly asker: Asker;
  readonly openConversation: (sessionId: string) => void;
  /** what the sidebar offers of a run */
  readonly runs: () => Pick<RunDesk, 'open' | 'choices'>;
  /** the audit of what agents did while they were at a task */
  readonly openAudit: (task: string) => void;
  readonly auto: AutoContinue;
  readonly keeping: SessionKeeping;
  readonly connect: () => void;
  readonly disconnect: () => void;
  readonly connectionDetails: () => string;
  readonly installBridge: () => Promise<void>;
  readonly checkAgain: () => void;
  readonly compare: (board: Board, copies: readonly string[]) => void;
  readonly notify: Notify;
}
