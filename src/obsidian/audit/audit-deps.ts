import type { CallRow } from '../../core/permission/audit/audit-row';
import type { ChangeTexts } from '../../core/permission/audit/change-texts';
import type { Undoable, Undone } from '../../core/permission/audit/undo-change';
import type { UndoFault } from '../../core/permission/audit/undo-fault';
import type { PendingAsks } from '../../core/permission/pending-asks';
import type { Clock, Undo } from '../../core/ports';
import type { Notify } from '../desk/notify';
import type { AuditSource } from './audit-source';
import type { Names } from './audit-words';

/** What the audit view shows and does. */
export interface AuditDeps {
  readonly source: AuditSource;
  readonly clock: Pick<Clock, 'now'>;
  readonly names: Names;
  /** what waits for the person */
  readonly asks: Pick<PendingAsks, 'all' | 'onChange'>;
  /** opens a request that waits */
  readonly review: (requestId: string) => void;
  readonly changes: ChangeMeans;
  readonly openNote: (path: string) => void;
  /** at the task that the entry is about, where there is one */
  readonly openBoard: (path: string, task: string | undefined) => void;
  readonly copy: (text: string) => void;
  readonly notify: Notify;
}

/** A change of a note: whether it can be taken back, and what it was as far as that is known. */
export interface ChangeLook {
  readonly undo: Undoable | UndoFault;
  readonly texts: ChangeTexts | undefined;
}

/** What calls changed in notes. */
export interface ChangeMeans {
  /** Nothing is written. */
  look(row: CallRow): Promise<ChangeLook>;
  undo(row: CallRow): Promise<Undone | UndoFault>;
  /** told when a note may have another text now */
  onTouched(listener: (path: string) => void): Undo;
  /** A note may have another text now. */
  touched(path: string): void;
  /** Shows what the note said before beside what it says now. */
  compare(row: CallRow): Promise<void>;
}
