import type { BoardChange } from '../../core/board/board-change';
import type { Board } from '../../core/board/task';
import { personDecisions } from '../../core/board/my-tasks';
import { AutoContinue } from '../../core/session/auto-continue/auto-continue';
import type { ContinueState } from '../../core/session/auto-continue/continue-machine';
import type { Undo } from '../../core/ports';
import type { CoreServices } from '../app/core-services';
import { failureWords, notify } from '../ui/notify';
import type { ComponentChildren } from 'preact';
import type { App, Command } from 'obsidian';
import type { Sessions } from '../../core/session/sessions';
import { canDo } from '../../core/session/session-host';
import { pick } from '../ui/dialog';
import { conditionalCommand } from '../ui/menu';
import { Countdown } from '../ui/banner';
import { Button, Icon, useAccessibleName } from '../ui/icon';
import { COMMA, t, tNodes } from '../language/text';

/**
 * Auto-continue in the plugin: follows the settings, and offers to continue where it may not do so
 * unasked.
 */
export class SessionContinuation {
  readonly auto: AutoContinue;
  private readonly undos: readonly Undo[];

  /**
   * @param isRunControlled whether an active run controls the session
   * @param changed called when the state shown for a session changes
   */
  constructor(
    private readonly parts: CoreServices,
    boards: () => readonly Board[],
    private readonly isRunControlled: (sessionId: string) => boolean,
    changed: (sessionId: string, state: ContinueState) => void,
  ) {
    const { bus, clock, sessions, settings, connection, runtime, hooks } = parts;
    this.auto = new AutoContinue({
      ...{ bus, clock, boards, isDrivenByRun: isRunControlled },
      sessions: () => sessions.all(),
      online: () => connection.state.kind === 'connected',
      settings: () => ({
        on: settings.current.autoContinue,
        seconds: settings.current.continueAfter,
      }),
      send: (sessionId, text) => runtime.send(sessionId, text),
      reportFailure: (sessionId, error) =>
        notify(failureWords(t('session.didNotGoOn', { session: this.title(sessionId) }), error)),
    });
    this.undos = [
      hooks.on('on-stop', 'auto-continue', (stop) => this.auto.turnStopped(stop)),
      this.auto.onChange((sessionId) => changed(sessionId, this.auto.state(sessionId))),
      settings.onChange(() => this.auto.settingsChanged()),
      connection.onState(() => this.auto.connectionChanged()),
    ];
  }

  /** Offers to continue a session without auto-continue when the person has done their part. */
  boardChanged(change: BoardChange): void {
    this.auto.boardChanged(change);
    const { session, before, board, by } = change;
    if (by === 'agent' || this.auto.isOn(session) || this.isRunControlled(session)) return;
    const done = personDecisions(before, board);
    if (done.length === 0 || !this.auto.canContinue(session, done)) return;
    const words = done.map(({ title, kind: word }) => t(`personDid.${word}`, { title }));
    notify(t('session.canGoOn', { session: this.title(session), what: words.join(COMMA) }), {
      label: t('session.continue'),
      onClick: () => this.auto.continueNow(session, done),
    });
  }

  close(): void {
    for (const undo of this.undos) undo();
    this.auto.close();
  }

  private title(sessionId: string): string {
    const title = this.parts.sessions.get(sessionId)?.title ?? '';
    return title === '' ? sessionId : title;
  }
}

/** Continues a session with the next task of its plan; asks which session where several could. */
export function continueCommands(
  app: App,
  sessions: Pick<Sessions, 'all'>,
  auto: AutoContinue,
): readonly Command[] {
  const continuable = () => sessions.all().filter(({ id }) => auto.canContinue(id));
  const run = async () => {
    const choices = continuable().map(({ id, title }) => ({ text: title || id, value: id }));
    const id = await pick(app, choices.reverse(), t('conversation.chooseASession'));
    if (id !== undefined) auto.continueNow(id);
  };
  const switchable = () =>
    sessions.all().filter((one) => one.parentId === null && canDo(one, 'prompt'));
  const toggle = async () => {
    const choices = switchable().map(({ id, title }) => ({
      text: `${title || id} · ${auto.isOn(id) ? t('session.continuingOn') : t('session.continuingOff')}`,
      value: id,
    }));
    const id = await pick(app, choices.reverse(), t('session.switchWhich'), true);
    if (id !== undefined) auto.switch(id, !auto.isOn(id));
  };
  return [
    conditionalCommand(
      'continue-session',
      t('app.continueWithNextTask'),
      () => continuable().length > 0,
      run,
    ),
    conditionalCommand(
      'switch-continuing',
      t('session.switchContinuingByItself'),
      () => switchable().length > 0,
      toggle,
    ),
  ];
}

export interface ContinueCardProps {
  readonly state: Extract<ContinueState, { kind: 'waiting' }>;
  readonly onContinue: () => void;
  readonly onStop: () => void;
}

/** "Continues in 10 s with Score by field and recency." */
function ContinueText({ state }: Pick<ContinueCardProps, 'state'>) {
  return (
    <span>
      {tNodes('session.continuesIn', {
        time: <Countdown at={state.until} />,
        task: state.taskTitle,
      })}
    </span>
  );
}

function ContinueButtons({ onContinue, onStop }: Omit<ContinueCardProps, 'state'>) {
  return (
    <>
      <Button words={t('session.continueNow')} onClick={onContinue} />
      <Button kind="quiet" words={t('session.stop')} onClick={onStop} />
    </>
  );
}

/** Shows a session's countdown, with buttons to continue now or to stop it. */
export function ContinueCard(props: ContinueCardProps) {
  const [named, name] = useAccessibleName(
    t('session.continuesWithTaskTitle', { taskTitle: props.state.taskTitle }),
  );
  return (
    <div class="atb-goes-on" role="group" {...named}>
      {name}
      <ContinueText state={props.state} />
      <div class="atb-buttons">
        <ContinueButtons {...props} />
      </div>
    </div>
  );
}

/** Shows how a session continues when a turn has ended, and the person's controls for it. */
export function ContinueLine(props: Omit<ContinueCardProps, 'state'> & { state: ContinueState }) {
  const { state } = props;
  const line = (icon: string, words: ComponentChildren) => (
    <div class="atb-continue" role="status">
      <Icon name={icon} />
      {words}
    </div>
  );
  if (state.kind === 'waiting') {
    const words = (
      <>
        <ContinueText state={state} />
        <ContinueButtons {...props} />
      </>
    );
    return line('hourglass', words);
  }
  if (state.kind === 'needs_me') {
    return line('hand', <span>{t('session.continuesWhenDone', { task: state.taskTitle })}</span>);
  }
  if (state.kind !== 'stopped') return null;
  return line('circle-small', <span>{t(`stopped.${state.reason}`)}</span>);
}
