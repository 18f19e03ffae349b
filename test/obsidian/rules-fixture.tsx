import { render } from 'preact';
import { act } from 'preact/test-utils';
import { vi } from 'vitest';
import { BoardFolders } from '../../src/core/permission/board-folders';
import { PathResolver } from '../../src/core/permission/path-resolver';
import type { Rule } from '../../src/core/permission/rule';
import { ARM_AFTER } from '../../src/obsidian/ui/armed';
import { RulesPanel } from '../../src/obsidian/permission/rules-panel';
import {
  DecidingRow,
  type EditorResult,
  type RulesDeps,
} from '../../src/obsidian/permission/rules-deps';
import type { MenuLine } from '../../src/obsidian/ui/menu';
import { ScopesPanel } from '../../src/obsidian/permission/scope-panels';
import { TryIt } from '../../src/obsidian/permission/try-it';
import { file, openPolicy } from '../permission/policy-fixture';

/** 22 November 2026, 14:00 local time. */
export const NOW = new Date(2026, 10, 22, 14).getTime();

/** The rules from the pictures of the specification. */
export const RULES: readonly Rule[] = [
  { permission: 'write', pattern: 'Projects/**', action: 'ask' },
  {
    permission: 'write',
    pattern: 'Projects/*/Drafts/**',
    action: 'allow',
    agent: 'build',
    session: 'ses_1',
    until: new Date(2026, 10, 22, 18).getTime(),
  },
  { permission: 'read', pattern: 'Journal/**', action: 'deny' },
];

/** The panels of the settings over a real policy. */
export class RulesFixture {
  readonly root = document.body.appendChild(document.createElement('div'));
  /** the editor's next result */
  next: EditorResult<Rule> | undefined;
  readonly edited: (Rule | undefined)[] = [];
  /** rules that could not be saved, with which the editor was reopened */
  readonly unsaved: (Rule | undefined)[] = [];
  /** runs while the editor is open */
  meanwhile: () => Promise<void> = () => Promise.resolve();
  /** resolves when the target of a path is known */
  follow: (path: string) => Promise<void> = () => Promise.resolve();
  menu: readonly MenuLine[] = [];
  /** ms since the epoch */
  time = NOW;
  /** former board folders, which stay protected */
  coveredFolders: readonly string[] = ['Old'];

  private constructor(
    readonly rig: Awaited<ReturnType<typeof openPolicy>>,
    readonly deps: RulesDeps,
  ) {}

  static async open(permissions: object = { rules: RULES }, phone = false): Promise<RulesFixture> {
    const rig = await openPolicy(file(permissions), permissions);
    const made: { stand?: RulesFixture } = {};
    const one = () => made.stand as RulesFixture;
    made.stand = new RulesFixture(rig, {
      policy: rig.policy,
      resolver: new PathResolver(async (path) => {
        await one().follow(path);
        return { kind: 'missing' };
      }),
      boardFolders: new BoardFolders({
        kept: { load: () => ['Plans', 'Old'], save: () => undefined },
        root: () => 'Plans',
        isProtected: (folder) => one().coveredFolders.includes(folder),
      }),
      now: () => made.stand?.time ?? NOW,
      sessions: () => [{ id: 'ses_1', title: 'Offline search' }],
      agents: () => ['build', 'writer'],
      decidingRow: new DecidingRow(),
      phone,
      editRule: async (rule, unsaved) => {
        one().edited.push(rule);
        one().unsaved.push(unsaved);
        await one().meanwhile();
        return one().next;
      },
      editScope: () => Promise.resolve(undefined),
      openMenu: (lines) => void (one().menu = lines),
    });
    await one().draw();
    return one();
  }

  async draw(): Promise<void> {
    await act(() =>
      render(
        <>
          <RulesPanel deps={this.deps} />
          <TryIt deps={this.deps} />
          <ScopesPanel deps={this.deps} />
        </>,
        this.root,
      ),
    );
  }

  /** Writes the file as another program does. */
  async change(permissions: object): Promise<void> {
    await this.write(file(permissions));
  }

  async write(text: string): Promise<void> {
    await act(() => this.rig.change(text));
  }

  /** The rules in the file. */
  saved(): unknown {
    return (this.rig.settings()['permissions'] as { rules: unknown }).rules;
  }

  rows(): HTMLElement[] {
    return [...this.root.querySelectorAll<HTMLElement>('tbody > tr')];
  }

  texts(): string[] {
    return this.rows().map((row) =>
      [...row.querySelectorAll('td')]
        .slice(0, 7)
        .map((cell) => cell.textContent)
        .join(' | '),
    );
  }

  async key(row: number, key: string, more: KeyboardEventInit = {}): Promise<void> {
    await act(async () => {
      const event = new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...more });
      this.rows()[row]?.dispatchEvent(event);
      await flushPromises();
    });
  }

  async click(name: string): Promise<void> {
    await act(async () => {
      this.button(name).click();
      await flushPromises();
    });
  }

  /** Confirms the changes made outside as soon as that is possible; with fake timers. */
  async confirm(): Promise<void> {
    await this.wait(ARM_AFTER);
    await this.click('Confirm');
  }

  async wait(ms: number): Promise<void> {
    await act(async () => {
      vi.advanceTimersByTime(ms);
      await flushPromises();
    });
  }

  button(name: string): HTMLButtonElement {
    const all = [...this.root.querySelectorAll('button')];
    const found = all.find((one) => (one.getAttribute('aria-label') ?? one.textContent) === name);
    if (found === undefined) throw new Error(`no button ${name}`);
    return found;
  }

  async type(label: string, value: string): Promise<void> {
    const field = this.root.querySelector<HTMLInputElement>(`[aria-label="${label}"]`);
    if (field === null) throw new Error(`no field ${label}`);
    await act(async () => {
      field.value = value;
      field.dispatchEvent(new Event(field.tagName === 'SELECT' ? 'change' : 'input'));
      await flushPromises();
    });
    // The result appears once that is drawn.
    await act(flushPromises);
  }

  status(): string {
    return this.root.querySelector('.atb-try-answer')?.textContent ?? '';
  }

  close(): void {
    render(null, this.root);
    this.root.remove();
  }
}

/** Lets pending promises finish; they must not depend on timers. */
export async function flushPromises(): Promise<void> {
  for (let turn = 0; turn < 40; turn += 1) await Promise.resolve();
}
