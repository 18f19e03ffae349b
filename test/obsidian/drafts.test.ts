import { describe, expect, test } from 'vitest';
import { contextOf, EMPTY_DRAFT, PromptDrafts } from '../../src/obsidian/conversation/drafts';
import { noteQuery } from '../../src/obsidian/conversation/completion';

describe('what is written to the agent', () => {
  test('[CONV14] [CTX24] a draft that was damaged on this device is none', () => {
    const kept = new Map<string, unknown>([
      [
        'agent-task-boards-draft:a',
        { text: 4, chips: [{ kind: 'note' }, { kind: 'note', path: 'x' }] },
      ],
      ['agent-task-boards-draft:b', 'text'],
    ]);
    const drafts = new PromptDrafts({
      loadLocalStorage: (key) => kept.get(key) ?? null,
      saveLocalStorage: (key, value) => void kept.set(key, value),
    });
    expect(drafts.get('a')).toEqual({ ...EMPTY_DRAFT, chips: [{ kind: 'note', path: 'x' }] });
    expect(drafts.get('b')).toEqual(EMPTY_DRAFT);
    drafts.save('c', { ...EMPTY_DRAFT, text: 'x' });
    expect(drafts.get('c').text).toBe('x');
    // A note that was removed stays removed in a tab that is closed and reopened.
    drafts.save('c', { ...EMPTY_DRAFT, related: ['Off.md'] });
    expect(drafts.get('c').related).toEqual(['Off.md']);
    drafts.save('c', EMPTY_DRAFT);
    expect(kept.get('agent-task-boards-draft:c')).toBeNull();
  });

  test('[CONV14] the drafts of the 100 sessions changed last are kept, other ones leave nothing', () => {
    const kept = new Map<string, unknown>();
    const open = () =>
      new PromptDrafts({
        loadLocalStorage: (key) => kept.get(key) ?? null,
        saveLocalStorage: (key, value) =>
          void (value === null ? kept.delete(key) : kept.set(key, value)),
      });
    const ids = Array.from({ length: 101 }, (_, at) => `ses_${at}`);
    for (const id of ids) open().save(id, { ...EMPTY_DRAFT, agent: 'build' });
    expect(ids.filter((id) => open().get(id).agent === '')).toEqual(['ses_0']);
    open().save('ses_1', { ...EMPTY_DRAFT, text: 'x' });
    open().save('new', { ...EMPTY_DRAFT, text: 'y' });
    expect(ids.filter((id) => open().get(id) === EMPTY_DRAFT)).toEqual(['ses_0', 'ses_2']);
    for (const id of [...ids, 'new']) open().save(id, EMPTY_DRAFT);
    expect([...kept]).toEqual([['agent-task-boards-drafts', []]]);
  });

  test('[CONV15] notes that are named are attached, the note at hand is the open one, selections are words', () => {
    expect(contextOf([])).toBeUndefined();
    expect(
      contextOf([
        { kind: 'selection', path: 'A.md', text: 'one' },
        { kind: 'note', path: 'B.md' },
        { kind: 'note', path: 'A.md' },
      ]),
    ).toEqual({ note: 'A.md', selection: 'one', attached: ['B.md'] });
    expect(
      contextOf([
        { kind: 'note', path: 'B.md' },
        { kind: 'open', path: 'A.md' },
      ]),
    ).toEqual({ note: 'A.md', attached: ['B.md'] });
    expect(contextOf([{ kind: 'note', path: 'B.md' }])).toEqual({ attached: ['B.md'] });
  });

  test.each([
    ['see @ide', 8, 'ide'],
    ['@', 1, ''],
    ['(@a b', 5, 'a b'],
    ['me@host', 7, undefined],
    ['@ x', 3, undefined],
    ['@a\nb', 4, undefined],
    ['none', 4, undefined],
    ['@Index format', 13, undefined],
    ['@Index format, and', 18, undefined],
    ['@Index formats', 14, 'Index formats'],
    ['@Index format and @id', 21, 'id'],
  ])('[CONV15] in %j at %i the words looked for are %j', (text, cursor, expected) => {
    expect(noteQuery(text, cursor, ['Index format'])?.words).toBe(expected);
  });
});
