import { useLayoutEffect, useState } from 'preact/hooks';
import type { Board, Task } from '../../core/board/task';
import type { Session } from '../../core/session/session';
import type { Intents } from '../board/intents';
import { attentionItems, itemShort } from '../model/attention';
import type { Overview, OverviewState } from '../model/overview';
import { IconButton } from '../ui/icon';
import { plainLine } from '../ui/text';
import { StateView, type StateLine } from './state-line';
import { COMMA, t, translated } from '../language/text';

/** Work of an agent that the person or a run started for a task. */
export interface TaskWork {
  readonly sessionId: string;
  readonly line: StateLine;
  /** tokens and share of context used, in words; may be empty */
  readonly used: string;
  /** it can be stopped */
  readonly works: boolean;
  /**
   * ended with an error, and no run decides what follows: the person can start an agent for the
   * task again
   */
  readonly failed: boolean;
}

/**
 * Taken from the session that a run uses for the task, else the newest one that was started for it;
 * undefined if there is nothing to show.
 */
export function taskWork(state: OverviewState, board: Board, task: Task): TaskWork | undefined {
  const { id } = task;
  if (id === null || state.connection.kind !== 'connected') return undefined;
  const run = state.runs.find(
    ({ board: path, taken }) => path === board.path && taken.includes(id),
  );
  const worker = run?.workers.find((one) => one.task === id)?.session;
  const session = state.sessions.findLast(({ id: own, board: on }) =>
    run !== undefined
      ? own === worker
      : on?.session === board.session && on.agent === board.agent && on.tasks?.includes(id),
  );
  const line = session && workLine(session, state);
  if (session === undefined || line === undefined) return undefined;
  const { kind } = session.state;
  const { tokens = 0, share } = state.works.get(session.id) ?? {};
  const parts = [
    ...(tokens > 0 ? [t('session.tokens', { count: tokens })] : []),
    ...(share === undefined ? [] : [t('conversation.shareOfContext', { share })]),
  ];
  const works = kind === 'busy' || kind === 'retry';
  const failed = kind === 'error' && run === undefined;
  return { sessionId: session.id, line, used: parts.join(' · '), works, failed };
}

function workLine(session: Session, state: OverviewState): StateLine | undefined {
  const { state: now, agent } = session;
  const text = plainLine(agent ?? t('session.agent'));
  const asks = state.asks.filter(({ sessionId }) => sessionId === session.id);
  const [need] = attentionItems([session], asks);
  if (need !== undefined) return { icon: 'hand', text, detail: itemShort(need), tone: 'needs' };
  const { step, answer, stopped = false } = state.works.get(session.id) ?? {};
  switch (now.kind) {
    case 'busy':
      if (now.queued)
        return { icon: 'hourglass', text, detail: t('session.queued'), tone: 'plain' };
      return { icon: 'spinner', text, detail: step ?? t('session.working'), tone: 'plain' };
    case 'retry':
      return { icon: 'rotate-cw', text, detail: t('session.waitingForTheModel'), tone: 'plain' };
    case 'error':
      return {
        icon: 'circle-alert',
        text,
        detail: plainLine(translated(now.message)),
        tone: 'error',
      };
    case 'idle':
    case 'ended':
      if (stopped)
        return { icon: 'circle-stop', text, detail: t('session.stopped'), tone: 'plain' };
      // A session without activity since the app started has nothing to show.
      if (answer === undefined) return undefined;
      return { icon: 'check', text, detail: answer, tone: 'plain' };
  }
}

interface TaskWorkInput {
  readonly board: Board;
  readonly task: Task;
  readonly overview: Pick<Overview, 'state' | 'onChange'>;
}

/** As `taskWork`, for a component: redraws only when the result differs. */
export function useTaskWork({ overview, board, task }: TaskWorkInput): TaskWork | undefined {
  const [work, setWork] = useState(() => taskWork(overview.state, board, task));
  useLayoutEffect(() => {
    const update = () => {
      const next = taskWork(overview.state, board, task);
      setWork((now) => (JSON.stringify(now) === JSON.stringify(next) ? now : next));
    };
    update();
    return overview.onChange(update);
  }, [overview, board, task]);
  return work;
}

/** The text of the work for the accessible name of its card or row. */
export function workWords(work: TaskWork | undefined): string | undefined {
  if (work === undefined) return undefined;
  const { text, detail } = work.line;
  return [[text, detail].filter(Boolean).join(' · '), work.used].filter(Boolean).join(COMMA);
}

/** Shows who works on a task and its progress, with actions if there is room. */
export function TaskWorkView({
  board,
  task,
  work,
  intents,
}: {
  readonly board: Board;
  readonly task: Task;
  readonly work: TaskWork | undefined;
  readonly intents?: Pick<Intents, 'stopTurn' | 'openConversation' | 'delegateAction'>;
}) {
  if (work === undefined) return null;
  const again = work.failed ? intents?.delegateAction(board, [task]) : undefined;
  return (
    <div class="atb-task-work" data-works={work.works}>
      <StateView line={work.line} /> {work.used !== '' && <span class="atb-fact">{work.used}</span>}
      {intents !== undefined && (
        <span class="atb-task-work-acts" onClick={(event) => event.stopPropagation()}>
          {work.works && (
            <IconButton
              icon="square"
              label={t('session.stopTheAgentOnTitle', { title: task.title })}
              onClick={() => intents.stopTurn(work.sessionId)}
            />
          )}
          {again !== undefined && (
            <IconButton
              icon="rotate-cw"
              label={t('session.tryTitleAgain', { title: task.title })}
              onClick={again}
            />
          )}
          <IconButton
            icon="messages-square"
            label={t('session.openConversationAboutTitle', { title: task.title })}
            onClick={() => intents.openConversation(work.sessionId)}
          />
        </span>
      )}
    </div>
  );
}
