import type { Board } from '../../core/board/task';
import { taskInProgress } from '../../core/board/my-tasks';
import type { ContinueState } from '../../core/session/auto-continue/continue-machine';
import type { ToolPermissionRequest } from '../../core/permission/ask';
import type { Session } from '../../core/session/session';
import { attentionItems, itemSession, itemShort, type AttentionItem } from '../model/attention';
import type { RunSummary } from '../model/overview';
import { Countdown } from '../ui/banner';
import { Icon, Spinner } from '../ui/icon';
import { plainLine, SHORT_MONTHS } from '../ui/text';
import { t, tNodes } from '../language/text';

/** The status line under a session's title: icon and words. */
export interface StateLine {
  /** `spinner`, or the name of an icon */
  readonly icon: string;
  readonly text: string;
  /** shown after the words, in a quieter style: "Needs you" · "Edit a note" */
  readonly detail?: string;
  /** ms since the epoch; the view adds " in 8 s" */
  readonly until?: number;
  readonly tone: 'plain' | 'needs' | 'error';
}

/** A session's status in words. `session` is undefined if OpenCode does not know it. */
export function stateLine(
  session: Session | undefined,
  boards: readonly Board[],
  context: {
    readonly online: boolean;
    readonly today: string;
    readonly continues?: ContinueState | undefined;
    /** pending requests of our own tools */
    readonly asks?: readonly ToolPermissionRequest[];
    /** the active run on its board */
    readonly run?: RunSummary | undefined;
  },
): StateLine {
  const online = context.online && session?.away !== true;
  if (session !== undefined && online) {
    const asks = context.asks?.filter(({ sessionId }) => sessionId === session.id);
    const [need] = attentionItems([session], asks);
    if (need !== undefined) {
      return { icon: 'hand', text: t('session.needsYou'), detail: itemShort(need), tone: 'needs' };
    }
    if (context.run !== undefined) return runLine(context.run);
    const next = activeLine(session, boards) ?? continueLine(context.continues);
    if (next !== undefined) return next;
  }
  if (!online) return { icon: 'unplug', text: t('session.offline'), tone: 'plain' };
  return idleLine(boards, context.today);
}

/** A run is shown in place of its session, which is idle while other sessions work on the tasks. */
function runLine({ words, waits }: RunSummary): StateLine {
  const tone = waits ? 'needs' : 'plain';
  return { icon: waits ? 'hand' : 'goal', text: t('session.run'), detail: words, tone };
}

function activeLine({ state }: Session, boards: readonly Board[]): StateLine | undefined {
  const tone = 'plain';
  switch (state.kind) {
    case 'busy':
      if (state.queued) return { icon: 'hourglass', text: t('session.queued'), tone };
      return {
        icon: 'spinner',
        text: plainLine(taskInProgress(boards)?.title ?? t('session.working')),
        tone,
      };
    case 'retry': {
      const text = t('session.waitingForTheModelTry', { attempt: state.attempt });
      return { icon: 'rotate-cw', text, until: state.next, tone };
    }
    case 'error':
      return { icon: 'circle-alert', text: t('session.stoppedByAnError'), tone: 'error' };
    case 'ended':
      return { icon: 'check', text: t('session.ended'), tone };
    case 'idle':
      return undefined;
  }
}

/** When an idle session continues by itself, or why it does not. */
function continueLine(state: ContinueState | undefined): StateLine | undefined {
  if (state?.kind === 'waiting') {
    const { until, taskTitle } = state;
    return {
      icon: 'timer',
      text: t('session.continuesWithTaskTitle', { taskTitle }),
      tone: 'plain',
      until,
    };
  }
  if (state?.kind === 'needs_me') {
    return { icon: 'hand', text: t('session.needsYou'), detail: state.taskTitle, tone: 'needs' };
  }
  if (state?.kind !== 'stopped') return undefined;
  return {
    icon: 'circle-small',
    text: t('session.idle'),
    detail: t(`stopped.${state.reason}`),
    tone: 'plain',
  };
}

function idleLine(boards: readonly Board[], today: string): StateLine {
  const tasks = boards
    .flatMap((board) => board.tasks)
    .filter((task) => task.status !== 'cancelled');
  if (tasks.length === 0 || tasks.some((task) => task.status !== 'completed')) {
    return { icon: 'circle-small', text: t('session.idle'), tone: 'plain' };
  }
  const [last = ''] = tasks.map((task) => task.done ?? '').sort((a, b) => b.localeCompare(a));
  const text =
    last === '' ? t('session.done') : t('session.doneOn', { last: dayInSentence(last, today) });
  return { icon: 'check', text, tone: 'plain' };
}

const DAY_MS = 86_400_000;

/** "today", "yesterday", "28 Nov", "28 Nov 2025"; both dates `YYYY-MM-DD`. */
export function dayInSentence(date: string, today: string): string {
  return recentDay(date, today, ['todayInside', 'yesterdayInside']) ?? dayAndMonth(date, today);
}

/** As `dayInSentence`, for use outside a sentence: "Today". */
export function dayLabel(date: string, today: string): string {
  return recentDay(date, today, ['today', 'yesterday']) ?? dayAndMonth(date, today);
}

type RecentDay = `${'today' | 'yesterday'}${'' | 'Inside'}`;

/** @param names for today and for yesterday */
function recentDay(
  date: string,
  today: string,
  names: readonly [RecentDay, RecentDay],
): string | undefined {
  const name = names[Math.round((Date.parse(today) - Date.parse(date)) / DAY_MS)];
  return name && t(`dates.${name}`);
}

function dayAndMonth(date: string, today: string): string {
  const [year = '', month = '', day = ''] = date.split('-');
  const values = { day: String(Number(day)), month: SHORT_MONTHS[Number(month) - 1] ?? month };
  return today.startsWith(year)
    ? t('dates.day', values)
    : t('dates.dayOfYear', { ...values, year });
}

/** Draws a session's status: icon and words. */
export function StateView({ line }: { readonly line: StateLine }) {
  return (
    <div class="atb-state" data-tone={line.tone}>
      {line.icon === 'spinner' ? <Spinner /> : <Icon name={line.icon} />}
      <span>
        {line.detail === undefined ? line.text : <span class="atb-state-word">{line.text}</span>}
        {line.detail !== undefined && ` · ${line.detail}`}
        {line.until !== undefined &&
          tNodes('session.inTime', { time: <Countdown at={line.until} /> })}
      </span>
    </div>
  );
}

/** Progress as a thin bar. Decorative: the numbers are shown next to it. */
export function ProgressBar(props: { readonly done: number; readonly total: number }) {
  const share = props.total === 0 ? 0 : (100 * props.done) / props.total;
  return (
    <div class="atb-bar" aria-hidden="true">
      <span style={{ width: `${share}%` }} />
    </div>
  );
}

/**
 * Title of the task that the agent works on: on its own board, else on another board of its
 * session.
 */
export function itemTask(need: AttentionItem, boards: readonly Board[]): string | undefined {
  const session = itemSession(need);
  const own = boards.filter((board) => board.session === session);
  const agent = need.kind === 'ask' ? need.request.agent : need.session.agent;
  const task = taskInProgress(own.filter((board) => board.agent === agent)) ?? taskInProgress(own);
  return task && plainLine(task.title);
}
