import { Platform } from 'obsidian';
import { t } from '../language/text';

/** A notice of the operating system. */
export interface SystemNotice {
  /** of what it tells: another notice about the same takes its place */
  readonly key: string;
  readonly text: string;
  /** it is closed once what it tells of waits no more */
  readonly waits: boolean;
  /** after the window was brought to the front */
  readonly onClick: () => void;
}

/** Whether the system can show notices of this window: on phones it can't. */
export function systemCanNotify(): boolean {
  return !Platform.isMobile && typeof Notification !== 'undefined';
}

/** Asks the person, where the system does. @returns whether notices may be shown */
export async function mayNotify(): Promise<boolean> {
  return systemCanNotify() && (await Notification.requestPermission()) === 'granted';
}

/** What the system shows of us: one notice for each thing, closed when that waits no more. */
export class SystemNotices {
  private readonly shown = new Map<string, { notice: SystemNotice; close: () => void }>();

  show(notice: SystemNotice): void {
    const { key, text: body, onClick } = notice;
    if (!systemCanNotify() || Notification.permission !== 'granted') return;
    this.shown.get(key)?.close();
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
  }

  /** @param waiting keys of all that waits for the person now */
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
