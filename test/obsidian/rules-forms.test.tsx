// @vitest-environment happy-dom
import { render, type ComponentChildren } from 'preact';
import { act } from 'preact/test-utils';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { scope, type Rule, type Scope } from '../../src/core/permission/rule';
import { PresetPanel } from '../../src/obsidian/permission/scope-panels';
import { RuleForm, ScopeForm } from '../../src/obsidian/permission/rule-forms';
import type { EditorResult } from '../../src/obsidian/permission/rules-deps';
import { file, openPolicy } from '../permission/policy-fixture';
import { NOW } from './rules-fixture';

const DEPS = {
  now: () => NOW,
  sessions: () => [{ id: 'ses_1', title: 'Offline search' }],
  agents: () => ['build'],
  phone: false,
};

let root: HTMLElement;

beforeEach(() => {
  root = document.body.appendChild(document.createElement('div'));
});

afterEach(() => {
  render(null, root);
  root.remove();
});

async function draw(what: ComponentChildren): Promise<void> {
  await act(() => render(what, root));
}

function field(name: string): HTMLInputElement {
  const found = [...root.querySelectorAll('label')].find(
    (label) => label.querySelector('span')?.textContent === name,
  );
  const input = found?.querySelector<HTMLInputElement>('input, select, textarea');
  if (input === undefined || input === null) throw new Error(`no field ${name}`);
  return input;
}

async function set(input: HTMLInputElement, value: string): Promise<void> {
  await act(async () => {
    input.value = value;
    input.dispatchEvent(new Event(input.tagName === 'SELECT' ? 'change' : 'input'));
    if (input.tagName === 'TEXTAREA') input.dispatchEvent(new Event('change'));
    for (let turn = 0; turn < 40; turn += 1) await Promise.resolve();
  });
}

async function click(name: string): Promise<void> {
  const button = [...root.querySelectorAll('button')].find((one) => one.textContent === name);
  if (button === undefined) throw new Error(`no button ${name}`);
  await act(() => button.click());
}

describe('the form of a rule', () => {
  let done: (EditorResult<Rule> | undefined)[];
  const open = async (rule?: Rule) => {
    done = [];
    await draw(<RuleForm {...{ rule, deps: DEPS }} onDone={(edited) => void done.push(edited)} />);
  };

  test('[SET8] makes a rule for anyone, or for an agent, a session and a time', async () => {
    await open();
    await set(field('Notes'), 'Projects/**');
    await click('Save');
    await set(field('Agent'), ' build ');
    await set(field('Session'), 'ses_1');
    await set(field('Action'), 'read');
    await set(field('Answer'), 'deny');
    await set(field('Until'), 'hour');
    await click('Save');
    await set(field('Until'), 'today');
    await set(field('Action'), 'tasks');
    await click('Save');
    const whom = { agent: 'build', session: 'ses_1', action: 'deny' } as const;
    expect(done.map((edited) => edited?.kind === 'save' && edited.value)).toEqual([
      { permission: 'write', pattern: 'Projects/**', action: 'ask' },
      { ...whom, permission: 'read', pattern: 'Projects/**', until: NOW + 3_600_000 },
      {
        ...{ ...whom, permission: 'tasks', pattern: '**' },
        until: new Date(2026, 10, 23).getTime(),
      },
    ]);
  });

  test('[SET8] a pattern that can fit nothing is not saved, and it is said what to write', async () => {
    await open();
    await click('Save');
    expect(root.textContent).toContain('This pattern is empty. Use ** for all paths.');
    await set(field('Notes'), 'x'.repeat(257));
    await click('Save');
    expect(root.textContent).toContain('This pattern is too long. Use at most 256 characters.');
    expect(field('Notes').getAttribute('aria-invalid')).toBe('true');
    expect(done).toEqual([]);
  });

  test('[SET8] keeps what was not touched, and can remove', async () => {
    const rule: Rule = {
      ...{ permission: 'update', pattern: 'a', action: 'allow', session: 'gone' },
      until: 5,
    };
    await open(rule);
    await click('Save');
    await click('Remove rule');
    await click('Cancel');
    expect(done).toEqual([{ kind: 'save', value: rule }, { kind: 'remove' }, undefined]);
  });
});

describe('the form of a limit', () => {
  test('[SET9] makes a limit of each level, and says what is wrong in words', async () => {
    const done: (EditorResult<Scope> | undefined)[] = [];
    const on = { deps: DEPS, onDone: (edited?: EditorResult<Scope>) => void done.push(edited) };
    await draw(<ScopeForm scope={undefined} {...on} />);
    await set(field('Writes only in'), 'Projects/**\n\n a// ');
    await click('Save');
    expect(root.querySelector('[role="alert"]')?.textContent).toContain('Writes only in: ');
    await set(field('Writes only in'), 'Projects/**');
    await set(field('Largest note, in MB'), 'much');
    await click('Save');
    expect(root.querySelector('[role="alert"]')?.textContent).toBe(
      'Largest note: enter a number above 0.',
    );
    await set(field('Largest note, in MB'), '0.5');
    await set(field('Kinds of files'), 'md, txt');
    await click('Save');
    await set(field('Level'), 'full-write');
    await click('Save');
    const made = { maxBytes: 524_288, extensions: ['md', 'txt'] };
    expect(done.map((edited) => edited?.kind === 'save' && edited.value)).toEqual([
      scope().parse({ level: 'scoped-write', allowed: ['Projects/**'], ...made }),
      scope().parse({ level: 'full-write', ...made }),
    ]);
  });
});

describe('the preset', () => {
  test('[SET10] is changed at once, trusted folders only with a folder', async () => {
    const { policy } = await openPolicy(file({}));
    await draw(<PresetPanel policy={policy} />);
    const preset = root.querySelector<HTMLInputElement>('select');
    if (preset === null) throw new Error('no preset');
    await set(preset, 'read-only');
    expect(policy.permissions.preset).toEqual({ kind: 'read-only' });
    expect(root.textContent).toContain('Notes can be read, not changed');
    await set(preset, 'trusted');
    expect(policy.permissions.preset).toEqual({ kind: 'read-only' });
    await set(field('Trusted folders'), 'a//b');
    expect(root.textContent).toContain('a//b: This pattern');
    expect(policy.permissions.preset).toEqual({ kind: 'read-only' });
    await set(field('Trusted folders'), 'Projects/\nDrafts');
    expect(policy.permissions.preset).toEqual({
      kind: 'trusted',
      folders: ['Projects', 'Drafts'],
    });
    await set(field('Trusted folders'), '');
    expect(policy.permissions.preset).toMatchObject({ kind: 'trusted' });
    await set(preset, 'ask');
    expect(policy.permissions.preset).toEqual({ kind: 'ask' });
  });
});
