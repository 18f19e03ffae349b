import type { Plugin } from 'obsidian';
import type { Undo } from '../../core/ports';
import type { Asker } from '../ask/asker';
import { CONVERSATION_VIEW, ConversationView } from '../conversation/conversation-view';
import type { Overview } from '../model/overview';
import type { DeskParts } from './desk-parts';
import { notify } from './notify';
import { sidebarShown } from './register-views';
import { SessionNotices } from './session-notices';

export interface NoticeMeans {
  readonly plugin: Plugin;
  readonly parts: Pick<DeskParts, 'bus' | 'settings'>;
  readonly overview: Overview;
  readonly asker: () => Asker;
  readonly openSession: (sessionId: string) => void;
}

/** Notices of sessions, with the app's means. */
export function makeNotices(means: NoticeMeans): SessionNotices {
  const { plugin, parts, overview } = means;
  return new SessionNotices({
    state: () => overview.state,
    settings: () => parts.settings.current,
    shown: (sessionId) => !activeDocument.hidden && isShown(plugin, sessionId),
    focused: () => activeDocument.hasFocus(),
    notify,
    system: systemNotice,
    review: (requestId) => means.asker().review(requestId),
    openSession: means.openSession,
  });
}

/** Listens from now on. */
export function followSessions(notices: SessionNotices, { parts, overview }: NoticeMeans): Undo {
  const undos = [
    overview.onChange(() => notices.look()),
    parts.bus.onAll((event) => notices.heard(event)),
  ];
  return () => undos.forEach((undo) => undo());
}

function isShown({ app }: Plugin, sessionId: string): boolean {
  if (sidebarShown(app, false)) return true;
  return app.workspace
    .getLeavesOfType(CONVERSATION_VIEW)
    .some(
      ({ view }) =>
        view instanceof ConversationView &&
        view.sessionId === sessionId &&
        view.containerEl.isShown(),
    );
}

/** Where the system shows none, or none may be shown, there is none. */
function systemNotice(text: string, onClick: () => void): void {
  if (typeof Notification === 'undefined' || Notification.permission !== 'granted') return;
  const shown = new Notification('Agent tasks', { body: text });
  shown.addEventListener('click', () => {
    window.focus();
    onClick();
  });
}
