import { Platform } from 'obsidian';
import { shortened } from '../../core/board/find-task';
import { t } from '../language/text';
import { plainLine } from '../ui/text';

/** A notice of the operating system. */
export interface SystemNotice {
  /** names the subject: a new notice with the same key replaces the old one */
  readonly key: string;
  readonly text: string;
  /** closes the notice once its subject no longer waits for the person */
  readonly waits: boolean;
  /** called after the window was brought to the front */
  readonly onClick: () => void;
}

/** Whether the system can show notices of this window; phones can't. */
export function systemCanNotify(): boolean {
  return !Platform.isMobile && typeof Notification !== 'undefined';
}

/**
 * Requests the permission, where the system requires one.
 * @returns whether notices may be shown
 */
export async function requestNotifyPermission(): Promise<boolean> {
  return systemCanNotify() && (await Notification.requestPermission()) === 'granted';
}

/** Maximum characters of a notice; systems show two to four lines. */
const MAX_TEXT = 240;

/** Our notices of the operating system: one per key, closed when its subject no longer waits. */
export class SystemNotices {
  private readonly shown = new Map<string, { notice: SystemNotice; close: () => void }>();

  /** @returns whether the system shows it; it may refuse, and phones can't */
  show(notice: SystemNotice): boolean {
    const { key, text, onClick } = notice;
    if (!systemCanNotify() || Notification.permission !== 'granted') return false;
    this.shown.get(key)?.close();
    const body = shortened(plainLine(text), MAX_TEXT);
    const shown = new Notification(t('note.agentTasks'), { body, tag: key });
    const forget = () => {
      if (this.shown.get(key)?.notice === notice) this.shown.delete(key);
    };
    this.shown.set(key, { notice, close: () => shown.close() });
    shown.addEventListener('close', forget);
    shown.addEventListener('click', () => {
      forget();
      shown.close();
      window.focus();
      onClick();
    });
    return true;
  }

  /**
   * Closes the notices whose subject no longer waits.
   * @param waiting keys of everything that waits for the person now
   */
  keep(waiting: ReadonlySet<string>): void {
    for (const [key, { notice, close }] of this.shown) {
      if (!notice.waits || waiting.has(key)) continue;
      this.shown.delete(key);
      close();
    }
  }

  close(): void {
    for (const { close } of this.shown.values()) close();
    this.shown.clear();
  }
}
