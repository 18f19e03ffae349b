/** Events of one session, as used by schedules. */
export type ScheduleEvent =
  | { readonly is: 'switch'; readonly on: boolean }
  | { readonly is: 'busy' | 'prompt' | 'stop' | 'continue' }
  | { readonly is: 'end'; readonly reason: 'completed' | 'interrupted' | 'error' }
  | { readonly is: 'hindered' | 'offline' }
  | { readonly is: 'sent'; readonly task: string; readonly byItself: boolean }
  | { readonly is: 'unsent' };

interface Entry {
  readonly what: ScheduleEvent;
  readonly at: number;
  /** statuses of all tasks but the pending ones, as text */
  readonly statuses: string;
}

/** The rules of auto-continue, computed from the whole past; slow and without state of its own. */
export class ContinueOracle {
  private readonly past: Entry[] = [];

  record(what: ScheduleEvent, at: number, statuses: string): void {
    this.past.push({ what, at, statuses });
  }

  get isOn(): boolean {
    const switches = this.past.flatMap(({ what }) => (what.is === 'switch' ? [what.on] : []));
    return switches.at(-1) ?? false;
  }

  /** Whether it is suspended until the person writes, since the turn was stopped or failed. */
  get isSuspended(): boolean {
    return this.sincePersonMessage().some(
      ({ what }) =>
        what.is === 'stop' ||
        what.is === 'unsent' ||
        (what.is === 'end' && what.reason !== 'completed'),
    );
  }

  /** How many turns in a row, so far, ended with statuses that had occurred before. */
  get idleTurns(): number {
    const [say, ...since] = this.sincePersonMessage();
    const seen = new Set([say?.statuses]);
    let idle = 0;
    for (const { what, statuses } of since) {
      if (what.is !== 'end' || what.reason !== 'completed') continue;
      idle = seen.has(statuses) ? idle + 1 : 0;
      seen.add(statuses);
    }
    return idle;
  }

  /** ms since the last turn ended well, unless something since then ended the countdown. */
  restedFor(now: number): number | undefined {
    const at = this.past.findLastIndex(({ what }) => what.is === 'end');
    const end = this.past[at];
    if (end?.what.is !== 'end' || end.what.reason !== 'completed') return undefined;
    return at === this.past.length - 1 ? now - end.at : undefined;
  }

  /** Events since the person's last message. Prompts shown while ours is in transit don't count. */
  private sincePersonMessage(): readonly Entry[] {
    let at = this.past.length - 1;
    while (at > 0 && !this.isPersonMessage(at)) at -= 1;
    return this.past.slice(Math.max(0, at));
  }

  private isPersonMessage(place: number): boolean {
    const what = this.past[place]?.what;
    if (what?.is === 'continue' || (what?.is === 'switch' && what.on)) return true;
    return what?.is === 'prompt' && !this.isOursPending(place);
  }

  private isOursPending(place: number): boolean {
    const before = this.past.slice(0, place);
    const sent = before.findLastIndex(({ what }) => what.is === 'sent');
    // If the connection was lost, the end of its turn may never arrive.
    const over = /^(end|unsent|offline)$/;
    return sent >= 0 && !before.slice(sent).some(({ what }) => over.test(what.is));
  }
}
