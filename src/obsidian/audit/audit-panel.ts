import type { Plugin } from 'obsidian';
import { AuditVerifier } from '../../core/permission/audit/verify-audit';
import { AuditReader } from '../../core/permission/audit/audit-reader';
import type { PendingPermissions } from '../../core/permission/ask';
import type { Clock } from '../../core/ports';
import type { AuditFilter, CallRow } from '../../core/permission/audit/audit-rows';
import { AuditSource } from './audit-source';
import { NOTE_TASKS_VIEW } from '../note-tasks/note-tasks-view';
import { TIMELINE_VIEW } from '../timeline/timeline-view';
import { AUDIT_VIEW, AuditView } from './audit-view';
import { NoteChanges, type AuditViewDeps } from './note-changes';
import type { OwnAudit } from './own-audit';
import { pick } from '../ui/dialog';
import { conditionalCommand } from '../ui/menu';
import { isViewVisible, openView } from '../ui/open-view';
import type { UndoDeps } from '../../core/permission/audit/undo-change';
import { copyText } from '../ui/notify';
import { faultText, t } from '../language/text';

interface MakeAuditDeps
  extends
    Pick<AuditViewDeps, 'names' | 'openBoard' | 'review' | 'notify'>,
    Omit<UndoDeps, 'kept' | 'audit' | 'timeWords'> {
  readonly plugin: Plugin;
  readonly clock: Clock;
  /** the plugin's own audit, which also reads the files of all writers */
  readonly audit: Pick<OwnAudit, 'store' | 'texts' | 'append' | 'mark'>;
  /** writers known to this device, even if their files are gone */
  readonly writers: () => readonly string[];
  readonly asks: PendingPermissions;
  /** yields, so that the app can draw and handle input */
  readonly pause: () => Promise<void>;
}

/** The audit's user interface: view, commands, and functions for the settings. */
export type AuditPanel = ReturnType<typeof makeAuditPanel>;

/**
 * Registers the view and the commands. Nothing is read before a view opens or the audit is checked.
 */
export function makeAuditPanel(deps: MakeAuditDeps) {
  const { plugin, audit, asks, clock, notify, digest } = deps;
  const { app } = plugin;
  const { store, texts: kept } = audit;
  const mark = (writer: string) => audit.mark(writer);
  const chains = new AuditVerifier({ store, digest, known: deps.writers, mark });
  const isAuditVisible = () =>
    !activeDocument.hidden &&
    [AUDIT_VIEW, TIMELINE_VIEW, NOTE_TASKS_VIEW].some((type) => isViewVisible(app, type));
  const source = new AuditSource(new AuditReader(store, deps.pause), chains, clock, isAuditVisible);
  const openNote = (path: string): void => {
    // Opening a link to a missing note would create the note.
    if (app.vault.getFileByPath(path) === null) notify(t('audit.noteIsGone'));
    else void app.workspace.openLinkText(path, '', 'tab');
  };
  const copy = (text: string): void => void copyText(text, notify);
  const changes = new NoteChanges({ ...deps, app, source, openNote, copy, kept });
  const view: AuditViewDeps = {
    ...{ ...deps, source, changes, openNote, copy },
    pick: (choices, words) => pick(app, choices, words, true),
  };
  plugin.registerView(AUDIT_VIEW, (leaf) => new AuditView(leaf, view));
  const open = async (filter?: AuditFilter, key?: string): Promise<void> => {
    const shown = await openView(app, AUDIT_VIEW, 'tab');
    if (filter !== undefined && shown instanceof AuditView) shown.show(filter, key);
  };
  /** Checks every entry, and shows a notice with the result. */
  const check = async (): Promise<void> => {
    const found = await source.check();
    if (found === undefined) return notify(source.state.problem ?? t('audit.unreadable'));
    if (found.broken.length === 0) notify(t('audit.auditIntact', { count: found.entries }));
    else
      notify(t('audit.auditSays', { found: found.broken.map(faultText).join(' ') }), {
        label: t('audit.openAudit'),
        onClick: () => void open(),
      });
  };
  const always = () => true;
  plugin.addCommand(conditionalCommand('open-audit', t('audit.openAudit'), always, () => open()));
  plugin.addCommand(conditionalCommand('verify-audit', t('audit.checkAudit'), always, check));
  const unsubscribe = asks.onChange(() => source.hint());
  return {
    ...{ open, check, source, changes },
    /** Opens the audit at a call, with its details. */
    show: ({ key, intent: { sessionId } }: CallRow) =>
      open(sessionId === undefined ? {} : { session: sessionId }, key),
    /** An entry was written: updates open views. */
    refresh: () => source.hint(),
    close: (): void => {
      unsubscribe();
      source.close();
    },
  };
}
