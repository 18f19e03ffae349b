import { render } from 'preact';
import { act } from 'preact/test-utils';
import { AuditVerifier } from '../../src/core/permission/audit/verify-audit';
import type { AuditEntry } from '../../src/core/permission/audit/audit-entry';
import type { AuditFilter } from '../../src/core/permission/audit/audit-rows';
import { AuditReader } from '../../src/core/permission/audit/audit-reader';
import { PendingPermissions } from '../../src/core/permission/ask';
import { VaultTarget } from '../../src/core/permission/vault-target';
import { AuditApp, type AuditHandle } from '../../src/obsidian/audit/audit-view';
import { AuditSource } from '../../src/obsidian/audit/audit-source';
import type { AuditViewDeps, ChangeInspection } from '../../src/obsidian/audit/note-changes';
import { AuditFolder, intent, outcome, sha256 } from '../permission/audit-folder';
import { ManualClock } from '../bridge/manual-clock';

/** A local time, by default on the day of the tests; ms since the epoch. */
export function at(hours: number, minutes = 0, seconds = 0, day = 22): number {
  return new Date(2026, 10, day, hours, minutes, seconds).getTime();
}

/** The audit view over a real audit in memory; only notes and the app are replaced by fakes. */
export class AuditFixture {
  readonly folder = new AuditFolder();
  readonly log = this.folder.log();
  readonly clock = new ManualClock();
  readonly asks = new PendingPermissions(this.clock);
  readonly asked: string[] = [];
  readonly root = document.body.appendChild(document.createElement('div'));
  handle: AuditHandle | null = null;
  look: ChangeInspection | undefined;
  undone: Awaited<ReturnType<AuditViewDeps['changes']['undo']>> = { ok: true };
  private touched: ((path: string) => void) | undefined;
  readonly source = new AuditSource(
    new AuditReader(this.folder.store),
    new AuditVerifier({
      ...{ store: this.folder.store, digest: sha256 },
      mark: () => Promise.resolve(this.folder.marked),
    }),
    this.clock,
    () => true,
  );

  constructor() {
    this.clock.advance(at(14, 27));
  }

  /** Writes an entry with this time. */
  async write(time: number, entry: AuditEntry): Promise<void> {
    this.folder.time = time - 1;
    await this.log.append(entry);
  }

  async open(initial: AuditFilter = {}): Promise<void> {
    void act(() =>
      render(
        <AuditApp
          deps={this.deps}
          initial={initial}
          handle={(handle) => void (this.handle = handle)}
          onFilter={() => undefined}
        />,
        this.root,
      ),
    );
    await this.waitForDraw();
  }

  close(): void {
    void act(() => render(null, this.root));
    this.root.remove();
  }

  /** Waits until pending work is drawn. */
  async waitForDraw(): Promise<void> {
    await act(async () => {
      for (let turn = 0; turn < 200; turn += 1) await Promise.resolve();
    });
  }

  async perform(task: () => void): Promise<void> {
    await act(async () => {
      task();
      await Promise.resolve();
    });
    await this.waitForDraw();
  }

  touch(path: string): Promise<void> {
    return this.perform(() => this.touched?.(path));
  }

  key(key: string, more: KeyboardEventInit = {}): Promise<void> {
    const target = document.activeElement ?? this.root;
    return this.perform(() => {
      target.dispatchEvent(
        new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...more }),
      );
    });
  }

  type(text: string): Promise<void> {
    const field = this.root.querySelector<HTMLInputElement>('input[type=search]');
    if (field === null) throw new Error('There is no field.');
    return this.perform(() => {
      field.value = text;
      field.dispatchEvent(new Event('input', { bubbles: true }));
    });
  }

  private select(name: string): HTMLSelectElement {
    const label = [...this.root.querySelectorAll('label')].find((one) =>
      one.textContent.startsWith(name),
    );
    const select = label?.querySelector('select');
    if (select === null || select === undefined) throw new Error(`There is no choice ${name}.`);
    return select;
  }

  /** The texts of the options of a select. */
  choicesOf(name: string): readonly string[] {
    return [...this.select(name).options].map(({ text }) => text);
  }

  choose(name: string, value: string): Promise<void> {
    const select = this.select(name);
    return this.perform(() => {
      select.value = value;
      select.dispatchEvent(new Event('change', { bubbles: true }));
    });
  }

  click(words: string): Promise<void> {
    const button = [...this.root.querySelectorAll('button')].find((one) =>
      one.textContent.includes(words),
    );
    if (button === undefined) throw new Error(`There is no button "${words}".`);
    return this.perform(() => button.click());
  }

  /** The accessible names of the rows. */
  get names(): readonly string[] {
    return this.rows.map((row) => {
      const id = row.getAttribute('aria-labelledby') ?? '';
      return this.root.ownerDocument.getElementById(id)?.textContent ?? '';
    });
  }

  get rows(): readonly HTMLElement[] {
    return [...this.root.querySelectorAll<HTMLElement>('[role=row][data-key]')];
  }

  get detail(): HTMLElement | null {
    return this.root.querySelector<HTMLElement>('[role=region].atb-audit-detail');
  }

  private get deps(): AuditViewDeps {
    const { source, clock, asks, asked } = this;
    return {
      ...{ source, clock, asks },
      names: {
        session: (id) => (id === 's' ? 'Offline search' : undefined),
        task: (id) => (id === 't1' ? 'Read the notes' : undefined),
      },
      review: (id) => void asked.push(`review ${id}`),
      changes: {
        look: () =>
          this.look === undefined
            ? Promise.reject(new Error('No disk.'))
            : Promise.resolve(this.look),
        undo: () => Promise.resolve(this.undone),
        compare: () => Promise.resolve(void asked.push('compare')),
        touched: () => undefined,
        onTouched: (listener) => {
          this.touched = listener;
          return () => (this.touched = undefined);
        },
      },
      openNote: (path) => void asked.push(`open ${path}`),
      openBoard: (path, task) => void asked.push(`board ${path} ${task ?? ''}`),
      copy: (text) => void asked.push(`copy ${text}`),
      notify: (text) => void asked.push(`notice ${text}`),
      pick: () => Promise.resolve(undefined),
    };
  }
}

export const RULE = { kind: 'rule', number: 3, words: 'write Projects/**, ask' } as const;
export const NOTE = 'Projects/Index format.md';

/** Writes three calls: one denied, one allowed by the person, one unfinished. */
export async function writeSampleCalls(view: AuditFixture): Promise<void> {
  const denied = { kind: 'rule', number: 2, words: 'write Journal/**, deny' } as const;
  const why = 'Not allowed. Rule 2 decides: write Journal/**, deny.';
  await view.write(
    at(14, 2),
    intent('a', {
      ...{ agent: 'writer', sessionId: 's2', sessionTitle: 'Release notes', verdict: 'deny' },
      ...{ decider: denied, why, path: 'Journal/2026-11-20.md', tool: 'obsidian.update_note' },
    }),
  );
  await view.write(at(14, 2), { kind: 'outcome', callId: 'a', result: 'denied', code: 'denied' });
  const note = {
    path: NOTE,
    decider: RULE,
    rule: { target: 'write Projects/**' },
    tool: 'obsidian.update_note',
  };
  await view.write(at(14, 8, 12), intent('b', { ...note, task: 't1', args: { path: NOTE } }));
  const [before, after] = ['a'.repeat(64), 'b'.repeat(64)];
  const answered = { reply: 'once', answeredAt: at(14, 8, 14), ms: 38 } as const;
  await view.write(at(14, 8, 16), outcome('b', { ...answered, before, after }));
  await view.write(at(14, 26, 41), intent('c', { ...note, sent: 'call_0' }));
}

export function addPendingAsk(view: AuditFixture): void {
  void view.asks.ask({
    ...{ requestId: 'r1', sessionId: 's', agent: 'build', tool: 'obsidian.update_note' },
    ...{ callId: 'call_0', operation: 'update', path: NOTE, args: {}, change: undefined },
    decision: { verdict: 'ask', rule: RULE, why: '' },
    ...{ always: undefined, replaces: undefined, askedAt: 0, expiresAt: undefined },
  });
}

export function makeUndoable(view: AuditFixture): void {
  const target = new VaultTarget(NOTE);
  const [before, after] = ['one\n', 'two\n'];
  view.look = { undo: { ok: true, target, now: after, then: before }, texts: { before, after } };
}
