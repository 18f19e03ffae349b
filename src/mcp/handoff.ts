import { boardSummaryText } from '../core/board/answer/board-lines';
import { withTitle } from '../core/board/find-task';
import type { Board, Task } from '../core/board/task';
import type { AuditRow } from '../core/permission/audit/audit-rows';

/** UTF-16 units that 2,000 tokens hold at the least, with a safety of 4/3: a token is 4 or more. */
const MOST = 6_000;

/** Units of one task's body. */
const LONGEST_BODY = 600;

const MOST_NOTES = 20;

/**
 * The summary with which an agent continues the plan of another: the state of the board, the decisions and
 * results in its tasks, the notes that were used. At most 2,000 tokens.
 * @param rows of the audit, the latest first
 */
export function handoffText(board: Board, rows: readonly AuditRow[]): string {
  const notes = notesUsed(board.session, rows);
  const parts = [
    boardSummaryText(board, []),
    ...(notes.length === 0 ? [] : [['Notes that were used:', ...notes].join('\n')]),
    ...withHeading('Decisions and results, as the tasks say:', bodies(board.tasks)),
  ];
  let text = '';
  for (const part of parts) {
    if (text.length + part.length + 2 > MOST) break;
    text += text === '' ? part : `\n\n${part}`;
  }
  return text;
}

function withHeading(heading: string, parts: readonly string[]): readonly string[] {
  const [first, ...rest] = parts;
  return first === undefined ? [] : [`${heading}\n${first}`, ...rest];
}

/** Those with words beside their title: finished ones last first, since what was done last counts most. */
function bodies(tasks: readonly Task[]): readonly string[] {
  const told = tasks.filter(({ body, reason }) => body.length > 0 || reason !== null);
  return [...told].reverse().map((task) => {
    const words = [...(task.reason === null ? [] : [`Why: ${task.reason}`]), ...task.body];
    const text = words.join('\n');
    const cut = text.length > LONGEST_BODY ? `${text.slice(0, LONGEST_BODY)}…` : text;
    return `${withTitle(task)} (${task.status})\n${cut}`;
  });
}

/** Each once, the one that was used last first. */
function notesUsed(session: string, rows: readonly AuditRow[]): readonly string[] {
  const paths = rows.flatMap((row) => {
    if (row.kind !== 'call' || row.intent.sessionId !== session) return [];
    const { path, operation } = row.intent;
    if (path === undefined || path === '' || operation === 'tasks') return [];
    return row.outcome?.result === 'done' ? [`- ${path}`] : [];
  });
  return [...new Set(paths)].slice(0, MOST_NOTES);
}
