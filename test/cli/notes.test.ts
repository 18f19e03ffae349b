import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { inProcessCli } from './in-process-cli';
import { parseOutput } from './cli-run';

const cli = inProcessCli();
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
    expect(parseOutput(await notes('search', 'budget', '--json'))).toMatchObject({
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
      [['search', 'two', 'words'], 'Put several words in quotes'],
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

  test('[CLI41] says that a change is not shown where the note may not be read', async () => {
    await cli.write('a.md', 'one\n');
    await rules([{ permission: '*', action: 'ask' }]);
    let asked = '';
    const confirm = (question: string) => {
      asked = question;
      return Promise.resolve(true);
    };
    const args = ['notes', 'update', 'a.md', 'two', '--mode', 'append'];
    expect(await cli.run(args, '', { confirm })).toMatchObject({ code: 0 });
    expect(asked).toMatch(/^The change is not shown, because the rules do not allow reading a\.md/);
    expect(asked).not.toContain('one');
  });

  test('[VAULT47] a search says how many notes a rule asks about, and how they are searched', async () => {
    await cli.write('Open.md', 'budget');
    await cli.write('Private/One.md', 'budget');
    await cli.write('Private/Deep/Two.md', 'nothing');
    await cli.write('Denied/Three.md', 'budget');
    await rules([
      { permission: 'read', pattern: 'Private/**', action: 'ask' },
      { permission: 'read', pattern: 'Denied/**', action: 'deny' },
    ]);
    const whole = await notes('search', 'budget');
    expect(whole.out).toMatch(
      /^1 note for "budget"\. 2 notes were not searched, because a rule asks about reading: name their folder with --folder to be asked, or say --as-person\.\nOpen\.md\n/,
    );
    const none = await notes('search', 'elephant');
    expect(none.out).toMatch(/or agent-boards notes list\. 2 notes were not searched/);
    for (const { out } of [whole, none]) expect(out).not.toMatch(/Private|One|Two|Denied|Three/);
    expect(parseOutput(await notes('search', 'elephant', '--json'))).toMatchObject({
      notSearched: 2,
    });
    expect((await notes('search', 'budget', '--folder', 'Private')).refusal?.code).toBe('denied');
    const confirm = () => Promise.resolve(true);
    const folder = ['notes', 'search', 'budget', '--folder', 'Private'];
    const asked = await cli.run(folder, '', { confirm });
    expect(asked.out).toMatch(/^1 note for "budget"\.\nPrivate\/One\.md\n/);
    const own = parseOutput(await notes('search', 'budget', '--as-person', '--json'));
    expect(own).toMatchObject({ paths: ['Open.md', 'Private/One.md'] });
    expect(own).not.toHaveProperty('notSearched');
    const nowhere = await notes('search', 'budget', '--folder', 'Nope');
    expect(nowhere).toMatchObject({ code: 1, refusal: { code: 'not_found' } });
    expect(nowhere.err).toContain('There is no folder Nope. Name none for the whole vault.');
  });

  test('[VAULT47] a list says how many notes a rule asks about, as a search does', async () => {
    await cli.write('Open.md', '');
    await cli.write('Private/One.md', '');
    await cli.write('Private/Deep/Two.md', '');
    await cli.write('Denied/Three.md', '');
    await rules([
      { permission: 'read', pattern: 'Private/**', action: 'ask' },
      { permission: 'read', pattern: 'Denied/**', action: 'deny' },
    ]);
    const words = (count: string) =>
      `${count} not listed, because a rule asks about reading: list their folder to be asked, or say --as-person.`;
    const whole = await notes('list');
    expect(whole.out).toBe(`1 entry in the vault. ${words('2 notes were')}\nOpen.md\n`);
    expect((await notes('list', '--limit', '1')).out).toBe(whole.out);
    expect((await notes('list', '--flat')).out).toBe('1 entry in the vault.\nOpen.md\n');
    expect(parseOutput(await notes('list', '--json'))).toMatchObject({ notListed: 2 });
    expect((await notes('list', 'Private')).refusal?.code).toBe('denied');
    const confirm = () => Promise.resolve(true);
    const asked = await cli.run(['notes', 'list', 'Private', '--flat'], '', { confirm });
    expect(asked.out).toBe('1 entry in Private.\nPrivate/One.md\n');
    expect(parseOutput(await notes('list', '--as-person', '--json'))).not.toHaveProperty(
      'notListed',
    );
  });

  test('[PERM53] a folder that held boards stays out of reach when the settings name another', async () => {
    const settings = (root: string) =>
      cli.write('.opencode/agent-task-boards.json', JSON.stringify({ root }));
    await cli.write('Plans/a.md', 'one');
    await cli.write('Other/b.md', 'two');
    expect((await notes('read', 'Plans/a.md')).code).toBe(0);
    await settings('Plans');
    expect((await notes('read', 'Plans/a.md')).code).toBe(1);
    await settings('Other');
    const { code, err } = await notes('read', 'Plans/a.md');
    expect([code, err]).toEqual([1, expect.stringContaining('a folder that held task boards')]);
    expect((await notes('search', 'one')).out).toMatch(/^No note/);
    expect((await notes('read', 'Other/b.md')).code).toBe(1);
    // Written by the plugin once the person has released the folder.
    await cli.write('.opencode/agent-task-boards/board-folders.json', '["Other"]');
    expect((await notes('read', 'Plans/a.md')).code).toBe(0);
  });

  test('[CLI50] refused operations are told in words for a shell, where they were not sent as JSON', async () => {
    const act = (...args: string[]) => cli.run([...args, '--session', 's1', '--agent', 'build']);
    await act('add', 'One');
    await act('add', 'Sub', '--parent', '1');
    await act('add', 'Mine', '--owner', 'me');
    await act('add', 'Later', '--depends-on', '1');
    const refused = [
      ['remove', '1'],
      ['add', ''],
      ['complete', '3'],
      ['complete', '4'],
      ['archive', '1'],
    ];
    const wanted = [
      'Say --cascade to remove them too, or --promote to keep them in its place.',
      'Give 1 to 500 characters.',
      'say --as-person, or --force for the agent.',
      'or say --force with --reason TEXT.',
      'or say --force with --reason TEXT.',
    ];
    for (const [at, args] of refused.entries()) {
      for (const more of [[], ['--brief'], ['--json']]) {
        const { code, out } = await act(...args, ...more);
        expect({ args, code, told: out.includes(wanted[at] ?? '') }).toEqual({
          ...{ args, code: 1, told: true },
        });
        expect(out).not.toMatch(/\b[Ss]end\b/);
      }
    }
    const operations = JSON.stringify({ operations: [{ type: 'remove', id: '1' }] });
    const sent = await cli.run(['ops', '--session', 's1', '--agent', 'build'], operations);
    expect(sent.out).toContain('Send "cascade": true to remove them too');
    await rm(join(cli.vault, '.opencode/agent-task-boards/audit'), { recursive: true });
    await cli.write('.opencode/agent-task-boards/audit', 'a file');
    const { code, err } = await act('add', 'Two');
    expect({ code, err }).toMatchObject({
      code: 1,
      err: expect.stringMatching(/try again\.\n$/) as string,
    });
    expect(err).not.toContain('Tell the person');
  });

  test('[CLI42] words for a model are words for a shell here', async () => {
    await cli.write('Projects/Plan.md', '# A\nx\n# A\nx\n');
    await rules([{ permission: '*', action: 'allow' }]);
    const update = (...args: string[]) => notes('update', 'Projects/Plan.md', 'new', ...args);
    const exits = [
      await update('--mode', 'append', '--dry-run'),
      await notes('create', 'Projects/Plan.md', 'x'),
      await notes('update', 'None.md', 'x', '--mode', 'append'),
      await notes('read', 'Plan'),
      await notes('read', 'Plan.md'),
      await notes('read', 'None'),
      await notes('read', 'Projects/Plan.md', '--heading', 'A', '--block', 'b'),
      await notes('read', 'Projects/Plan.md', '--lines', '90-'),
      await notes('read', '../x.md'),
      await notes('list', 'None'),
      await notes('search', '…'),
      await notes('search', 'elephant'),
      await update('--heading', 'A'),
      await update('--heading', 'A', '--line', '1'),
      await update('--line', '90'),
      await update('--marker', 'none'),
    ];
    await rules([{ permission: 'update', action: 'ask' }]);
    const confirm = () => Promise.resolve(false);
    const no = ['notes', 'update', 'Projects/Plan.md', 'x', '--mode', 'append'];
    exits.push(await cli.run(no, '', { confirm }), await update('--mode', 'append', '--dry-run'));
    for (const { out, err } of exits) {
      expect(out + err).not.toMatch(/\b[Ss]end\b|dryRun|obsidian_|[Tt]he person|[Aa]sk them/);
    }
    expect(exits[0]?.out).toMatch(/: run it without --dry-run to write it\.\n$/);
    expect(exits[3]?.err).toContain('Did you mean Projects/Plan.md?');
    expect(exits[4]?.err).toContain('Did you mean Projects/Plan.md?');
    expect(exits.at(-2)?.err).toBe('agent-boards: Nothing was done: you did not allow it.\n');
    await cli.write('Send.md', 'Send the same with dryRun false to write it.\n');
    expect((await notes('read', 'Send.md')).out).toContain('Send the same with dryRun false');
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
    expect(alone.err).toContain('Rule 1 of the permissions of the vault asks: update **, ask.');
    expect(alone.err).toContain('a rule that allows "update a.md"');
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
