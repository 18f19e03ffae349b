import type { BoardChange } from '../../core/board/board-change';
import type { Board } from '../../core/board/task';
import { doneByPerson } from '../../core/board/my-tasks';
import { AutoContinue } from '../../core/session/auto-continue/auto-continue';
import type { ContinueState } from '../../core/session/auto-continue/continue-state';
import type { Undo } from '../../core/ports';
import type { DeskParts } from './desk-parts';
import type { Notify } from './notify';

export interface ContinueDeskDeps {
  readonly parts: DeskParts;
  readonly boards: () => readonly Board[];
  readonly notify: Notify;
  /** Whether a run goes on with the session. */
  readonly heldBy: (sessionId: string) => boolean;
  /** A session shows something else. */
  readonly changed: (sessionId: string, state: ContinueState) => void;
}

/** Going on by itself, in the plugin: follows the settings, and offers what it may not do unasked. */
export class ContinueDesk {
  readonly auto: AutoContinue;
  private readonly undos: readonly Undo[];

  constructor(private readonly deps: ContinueDeskDeps) {
    const { parts, boards, notify, heldBy } = deps;
    const { bus, clock, sessions, settings, connection, runtime } = parts;
    this.auto = new AutoContinue({
      ...{ bus, clock, boards, heldBy },
      sessions: () => sessions.all(),
      online: () => connection.state.kind === 'connected',
      settings: () => ({
        on: settings.current.autoContinue,
        seconds: settings.current.continueAfter,
      }),
      send: (sessionId, text) => runtime.send(sessionId, text),
      failed: (sessionId, error) => {
        const why = error instanceof Error ? error.message : '';
        notify(`${this.title(sessionId)} did not go on. ${why}`.trim());
      },
    });
    this.undos = [
      this.auto.onChange((sessionId) => deps.changed(sessionId, this.auto.state(sessionId))),
      settings.onChange(() => this.auto.settingsChanged()),
      connection.onState(() => this.auto.connectionChanged()),
    ];
  }

  /** A session that does not go on by itself is offered to, when the person has done their part. */
  boardChanged(change: BoardChange): void {
    this.auto.boardChanged(change);
    const { session, before, board, by } = change;
    if (by === 'agent' || this.auto.isOn(session) || this.deps.heldBy(session)) return;
    const done = doneByPerson(before, board);
    if (done.length === 0 || !this.auto.canContinue(session, done)) return;
    this.deps.notify(`${this.title(session)} can go on: ${done.join(', ')} is done.`, {
      label: 'Continue',
      onClick: () => this.auto.continueNow(session, done),
    });
  }

  close(): void {
    for (const undo of this.undos) undo();
    this.auto.close();
  }

  private title(sessionId: string): string {
    const title = this.deps.parts.sessions.get(sessionId)?.title ?? '';
    return title === '' ? sessionId : title;
  }
}
