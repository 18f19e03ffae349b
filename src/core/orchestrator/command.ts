import type { TaskWrite } from './task-step';
import type { WaitReason } from './wait-reason';

/** Which prompt a session gets. Its text is made of the board as it is when it is sent. */
export type Role = 'plan' | 'work' | 'check';

/**
 * What a run asks for. Commands with a key are owed until an event with that key (or what it shows)
 * says what became of them; after a restart, and when the connection is back, they are asked for
 * again. Who carries one out does it once per key: it finds the session that it started, the prompt
 * that it sent, the line that it wrote, and answers with that. Commands to one session, and to the
 * board, are carried out in the order in which they are given, after the state was stored. A `write`
 * that the state does not owe any more when its turn comes is left: the person had the last word.
 */
export type KeyedCommand =
  | {
      readonly type: 'start_session';
      readonly key: string;
      readonly role: Role;
      readonly title: string;
      /** the planning session, whose board it is bound to; null for that session itself */
      readonly parent: string | null;
      /** the one task that it may change; null: it may read the board */
      readonly task: string | null;
      /** null: as the person's wish says */
      readonly agent: string | null;
    }
  | {
      readonly type: 'prompt';
      readonly key: string;
      readonly session: string;
      readonly role: Role;
      readonly task: string | null;
      /** from 1 */
      readonly attempt: number;
      /** what went wrong in the attempt before, or what the person wants otherwise */
      readonly wrong: string | null;
    }
  | { readonly type: 'interrupt'; readonly key: string; readonly session: string }
  | { readonly type: 'checkpoint'; readonly key: string; readonly label: string }
  | {
      readonly type: 'write';
      readonly key: string;
      readonly task: string;
      readonly write: TaskWrite;
    }
  /** a number for a line that has none */
  | {
      readonly type: 'number';
      readonly key: string;
      readonly line: number;
      readonly title: string;
    }
  /** the plan in a text, onto the board of the planning session */
  | { readonly type: 'plan_text'; readonly key: string; readonly text: string };

export type RunCommand =
  /** the new state, before anything else is done */
  { readonly type: 'store' } | KeyedCommand | { readonly type: 'tell'; readonly what: Tidings };

/** What the person is told where no view shows it. */
export type Tidings =
  | { readonly kind: 'approve' }
  | { readonly kind: 'waits'; readonly why: readonly WaitReason[] }
  | { readonly kind: 'ended'; readonly as: 'completed' | 'failed' | 'cancelled' };
