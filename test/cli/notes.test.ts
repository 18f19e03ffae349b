import { describe, expect, test } from 'vitest';
import { cliHere } from './cli-here';
import { json } from './cli-run';

const cli = cliHere();
const notes = (...args: string[]) => cli.run(['notes', ...args]);
const rules = (rules: readonly object[]): Promise<void> =>
  cli.write('.opencode/agent-task-boards.json', JSON.stringify({ permissions: { rules } }));

describe('notes', () => {
  test('[CLI40] searches, reads and lists the notes on disk, for people and for programs', async () => {
    await cli.write('Projects/Plan.md', '# Goals\nthe budget\n# Rest\n[[Other]]\n');
    await cli.write('Other.md', 'none');
    const found = await notes('search', 'budget');
    expect(found).toMatchObject({ code: 0, err: '' });
    expect(found.out).toContain('Projects/Plan.md\n  2: the budget');
    expect(json(await notes('search', 'budget', '--json'))).toMatchObject({
      ...{ ok: true, paths: ['Projects/Plan.md'], more: false },
    });
    const part = await notes('read', 'Projects/Plan.md', '--heading', 'Goals');
    expect(part.out).toContain('# Goals\nthe budget\n');
    expect(part.out).not.toContain('Rest');
    expect((await notes('read', 'Projects/Plan.md', '--lines', '2')).out).toMatch(
      /\n\nthe budget\n/,
    );
    expect((await notes('list', '--flat', '--folders')).out).toContain('\nOther.md\nProjects/\n');
    expect((await notes('meta', 'Other.md')).out).toContain('Backlinks (1):\n  Projects/Plan.md');
    const none = await notes('read', 'None.md');
    expect(none).toMatchObject({ code: 1, refusal: { code: 'not_found' } });
    expect(none.err).toContain('Look for it with agent-boards notes search');
  });

  test('[CLI40] changes notes, with the text as an argument or on standard input; --dry-run shows it', async () => {
    await rules([{ permission: '*', action: 'allow' }]);
    const created = await cli.run(['notes', 'create', 'New.md'], 'from\r\nelsewhere');
    expect(created).toMatchObject({ code: 0 });
    expect(await cli.read('New.md')).toBe('from\r\nelsewhere');
    const shown = await notes('update', 'New.md', 'more', '--mode', 'append', '--dry-run');
    expect(shown.out).toContain('+more');
    expect(await cli.read('New.md')).toBe('from\r\nelsewhere');
    await notes('update', 'New.md', 'more', '--line', '2');
    expect(await cli.read('New.md')).toBe('from\r\nmore\r\nelsewhere');
    expect((await notes('create', 'New.md', 'x')).refusal).toMatchObject({ code: 'exists' });
    const { out } = await cli.run(['audit', 'tail', '--json', '--tool', 'update_note']);
    expect(out.trim().split('\n')).toHaveLength(2);
  });

  test('[CLI40] what can’t be meant is wrong usage', async () => {
    for (const [args, said] of [
      [[], 'notes takes VERB'],
      [['find', 'x'], 'notes takes one of search, read'],
      [['read'], 'notes read takes PATH'],
      [['search', 'two', 'words'], 'Several words stand in quotes'],
      [['read', 'a.md', '--overwrite'], 'notes read takes no --overwrite'],
      [['read', 'a.md', '--lines', 'x'], '--lines takes lines'],
      [['search', 'a', '--limit', '51'], '--limit takes a number from 1 to 50'],
      [['update', 'a.md', 'x'], 'update takes --mode'],
    ] as const) {
      const { code, err } = await notes(...args);
      expect([args, code]).toEqual([args, 2]);
      expect(err).toContain(said);
    }
  });

  test('[CLI41] what the rules ask about is asked on a terminal, with the change', async () => {
    await cli.write('a.md', 'one\n');
    await rules([{ permission: 'update', action: 'ask' }]);
    const asked: string[] = [];
    const change = (allowed: boolean) =>
      cli.run(['notes', 'update', 'a.md', 'two', '--mode', 'append'], '', {
        confirm: (question) => {
          asked.push(question);
          return Promise.resolve(allowed);
        },
      });
    expect(await change(false)).toMatchObject({ code: 1, refusal: { code: 'denied' } });
    expect(await cli.read('a.md')).toBe('one\n');
    expect(await change(true)).toMatchObject({ code: 0 });
    expect(await cli.read('a.md')).toBe('one\ntwo\n');
    expect(asked[0]).toMatch(/ one\n\+two\n[^]*Allow to update a\.md\?$/);
  });

  test('[CLI41] without a terminal it is refused, unless the person acts; a denial stays', async () => {
    await cli.write('a.md', 'one\n');
    await rules([
      { permission: 'update', action: 'ask' },
      { permission: 'update', pattern: 'b.md', action: 'deny' },
    ]);
    const alone = await notes('update', 'a.md', 'two', '--mode', 'append');
    expect(alone).toMatchObject({ code: 1, refusal: { code: 'denied' } });
    expect(alone.err).toContain('--as-person');
    expect(await cli.read('a.md')).toBe('one\n');
    const own = ['--mode', 'append', '--as-person'];
    expect((await notes('update', 'a.md', 'two', ...own)).code).toBe(0);
    expect(await cli.read('a.md')).toBe('one\ntwo\n');
    await cli.write('b.md', 'one\n');
    expect((await notes('update', 'b.md', 'two', ...own)).refusal).toMatchObject({
      code: 'denied',
    });
    expect(await cli.read('b.md')).toBe('one\n');
    const settings = await notes('create', '.obsidian/app.json', '{}', '--as-person');
    expect(settings.err).toContain('Never allowed');
  });
});
