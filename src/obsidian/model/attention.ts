import { t } from '../language/text';
import type { ToolPermissionRequest } from '../../core/permission/ask';
import type { PermissionRequest, QuestionRequest } from '../../protocol/snapshot';
import type { Session } from '../../core/session/session';
import { askText, permissionText } from '../ask/ask-text';
import { plainLine } from '../ui/text';
import type { Undo } from '../../core/ports';
import { myTasks, type MyTask } from '../../core/board/my-tasks';
import type { Board, KeptLine, Task } from '../../core/board/task';
import type { OverviewState } from './overview';
import { useLayoutEffect, useState } from 'preact/hooks';

/** A decision that an agent waits for: a request of OpenCode, or of our own tools. */
export type AttentionItem =
  | { readonly kind: 'permission'; readonly session: Session; readonly request: PermissionRequest }
  | { readonly kind: 'question'; readonly session: Session; readonly request: QuestionRequest }
  | {
      readonly kind: 'ask';
      /** undefined if the call's session is unknown here */
      readonly session: Session | undefined;
      readonly request: ToolPermissionRequest;
    };

export type AttentionItemOf<K extends AttentionItem['kind']> = Extract<AttentionItem, { kind: K }>;

/**
 * All pending decisions, in the order of the sessions: permissions, requests of our tools,
 * questions. Those of unknown sessions come last.
 */
export function attentionItems(
  sessions: readonly Session[],
  asks: readonly ToolPermissionRequest[] = [],
): readonly AttentionItem[] {
  const known = new Set(sessions.map(({ id }) => id));
  const ours = (session?: Session): readonly AttentionItem[] =>
    asks
      .filter(({ sessionId: id = '' }) =>
        session === undefined ? !known.has(id) : id === session.id,
      )
      .map((request) => ({ kind: 'ask', session, request }));
  return [
    ...sessions.flatMap((session): readonly AttentionItem[] => [
      ...session.permissions.map((request) => ({ kind: 'permission' as const, session, request })),
      ...ours(session),
      ...session.questions.map((request) => ({ kind: 'question' as const, session, request })),
    ]),
    ...ours(),
  ];
}

/** The question itself: "Allow this command?", "Who are the notes for?" */
export function itemQuestion(need: AttentionItem): string {
  return itemTexts(need).question;
}

/** The request in short, shown after "Needs you": "Edit a note", "Question". */
export function itemShort(need: AttentionItem): string {
  return itemTexts(need).short;
}

/** Maximum options of a question on a card, and UTF-16 units of each. */
const MAX_OPTIONS = 4;
const MAX_OPTION_LENGTH = 40;
const MAX_DESCRIPTION_LENGTH = 120;

/**
 * The options that a card shows as buttons: if the request is one question that takes one answer
 * and has few, short options. Otherwise none, and the dialog shows them.
 */
export function cardOptions({
  questions,
}: QuestionRequest): QuestionRequest['questions'][number]['options'] {
  const [question, more] = questions;
  if (question === undefined || more !== undefined || question.multiple === true) return [];
  const { options } = question;
  const labels = options.map(({ label }) => label);
  const fits =
    labels.length <= MAX_OPTIONS &&
    new Set(labels).size === labels.length &&
    labels.every((label) => label.trim() !== '' && label.length <= MAX_OPTION_LENGTH) &&
    options.every(({ description = '' }) => description.length <= MAX_DESCRIPTION_LENGTH);
  return fits ? options : [];
}

function itemTexts(need: AttentionItem): { readonly question: string; readonly short: string } {
  switch (need.kind) {
    case 'permission':
      return permissionText(need.request);
    case 'ask':
      return askText(need.request);
    case 'question':
      return {
        question: need.request.questions[0]?.question ?? t('conversation.theAgentAsks'),
        short: t('conversation.question'),
      };
  }
}

/** The session's id, if the call's context has one. */
export function itemSession(need: AttentionItem): string | undefined {
  return need.kind === 'ask' ? need.request.sessionId : need.session.id;
}

/** Title of the session, else its id, else the agent. */
export function itemTitle(need: AttentionItem): string {
  const title = plainLine(need.session?.title ?? '');
  if (title !== '') return title;
  return plainLine(itemSession(need) ?? (need.kind === 'ask' ? need.request.agent : ''));
}

/** Agent and session of the request: "build in Offline search for the vault". */
export function itemOrigin(need: AttentionItem): string {
  const agent = plainLine((need.kind === 'ask' ? need.request.agent : need.session.agent) ?? '');
  const title = itemTitle(need);
  return agent === '' || agent === title ? title : `${agent} in ${title}`;
}

/** The pending decisions, and notifications of changes. */
export interface AttentionSource {
  needs(): readonly AttentionItem[];
  onChange(listener: () => void): Undo;
}

/** The pending decisions, for a component: redraws when they change. */
export function useAttention(source: AttentionSource): readonly AttentionItem[] {
  const [needs, setNeeds] = useState(() => source.needs());
  useLayoutEffect(() => {
    setNeeds(source.needs());
    return source.onChange(() => setNeeds(source.needs()));
  }, [source]);
  return needs;
}

/** A task that waits for the person, with its board. */
export interface PersonTask extends MyTask {
  readonly board: Board;
  /** of the session, or of the board if OpenCode does not know the session */
  readonly title: string;
}

type WaitingSources = Pick<OverviewState, 'boards' | 'sessions' | 'runs'>;

/** All boards but those that are hidden along with their session, which is idle (SIDE52). */
export function boardsInUse({
  boards,
  sessions,
}: Pick<WaitingSources, 'boards' | 'sessions'>): readonly Board[] {
  const isAwake = ({ kind }: Session['state']) => kind !== 'idle' && kind !== 'ended';
  const awake = new Set(sessions.flatMap(({ id, state }) => (isAwake(state) ? id : [])));
  return boards.filter(({ shelved, session }) => shelved !== true || awake.has(session));
}

/**
 * All tasks that wait for the person, in the order of the boards. For a task that a run has taken,
 * the run says whether it needs approval; for others it counts whether a turn is active in the
 * session.
 */
export function personTasks({ boards, sessions, runs }: WaitingSources): readonly PersonTask[] {
  const known = new Map(sessions.map((session) => [session.id, session]));
  return boardsInUse({ boards, sessions }).flatMap((board) => {
    const session = known.get(board.session);
    const busy = session?.state.kind === 'busy' || session?.state.kind === 'retry';
    const own = runs.filter((run) => run.board === board.path);
    const isWorkedOn = ({ id }: Task): boolean => {
      const run = own.find(({ taken }) => id !== null && taken.includes(id));
      return run === undefined ? busy : !run.approvals.includes(id ?? '');
    };
    const title = session?.title || board.title || board.session;
    const kept = new Set(board.conflicts?.map(({ line }) => line));
    const mine = myTasks(board, isWorkedOn).filter(({ task }) => !kept.has(task.line));
    return mine.map((one) => ({ ...one, board, title }));
  });
}

/** Lines that a merge kept in two versions, in the order of the boards. */
export function versionConflicts(
  boards: readonly Board[],
): readonly { readonly board: Board; readonly kept: KeptLine }[] {
  return boards.flatMap((board) =>
    board.continued === undefined ? (board.conflicts ?? []).map((kept) => ({ board, kept })) : [],
  );
}

/** Number of things that wait for the person, besides the requests of agents. */
export function waitingCount(state: WaitingSources): number {
  const ofRuns = state.runs.reduce((sum, { needs }) => sum + needs.length, 0);
  return personTasks(state).length + versionConflicts(boardsInUse(state)).length + ofRuns;
}
