import { describe, expect, it } from 'vitest';
import { readMatter } from '../../src/core/config/config-text';
import { loadConfig } from '../../src/core/config/load-config';
import { agentAsNote, configNote, newNotePath, renamedNote } from '../../src/core/config/new-notes';
import { resolveAgent } from '../../src/core/config/resolve-agent';
import { isValidSkillName } from '../../src/core/config/skills';
import { fc } from '../seeded';
import { memoryFolder } from './memory-folder';

describe('a note of the configuration', () => {
  it('[AGENTS4] is read again as what was put into it, whatever was typed', () => {
    let unlike = 0;
    const body = fc.string({ unit: 'grapheme' }).filter((text) => !text.includes('\0'));
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), body, (description, text) => {
        const read = readMatter(configNote({ description }, text));
        expect(read).toMatchObject({ ok: true, data: { description } });
        if (!read.ok) throw new Error('assertion: it was read');
        expect(read.body.trim()).toBe(text.trim());
        if (/[^\w ]/u.test(description)) unlike += 1;
      }),
      { numRuns: 500 },
    );
    expect(unlike).toBeGreaterThan(50);
  });

  it.each(['true', 'no', 'Null', 'a: b', '- a', '"a"', "it's", 'a #b', '{file:a}', '12', 'Off'])(
    '[AGENTS4] takes %s for text',
    (description) => {
      expect(readMatter(configNote({ description }, ''))).toMatchObject({ data: { description } });
    },
  );

  it.each([
    ['reviewer', true],
    ['a-2', true],
    ['Reviewer', false],
    ['a--b', false],
    ['-a', false],
    ['../a', false],
    ['a/b', false],
    ['', false],
    ['a'.repeat(65), false],
  ])('[AGENTS4] whether it may be called %s', (name, may) => {
    expect(isValidSkillName(name)).toBe(may);
  });

  it('[AGENTS4] stands in the folder that the vault uses already', async () => {
    const none = await loadConfig(memoryFolder({}), undefined);
    expect(newNotePath(none, 'agent', 'a')).toBe('.opencode/agents/a.md');
    expect(newNotePath(none, 'skill', 'a')).toBe('.opencode/skills/a/SKILL.md');
    const files = {
      '.opencode/agent/b.md': 'B.\n',
      '.opencode/skill/b/SKILL.md': '---\nname: b\ndescription: B\n---\n',
    };
    const old = await loadConfig(memoryFolder(files), undefined);
    expect(newNotePath(old, 'agent', 'a')).toBe('.opencode/agent/a.md');
    expect(newNotePath(old, 'skill', 'a')).toBe('.opencode/skill/a/SKILL.md');
  });
});

describe('a copy', () => {
  it.each([
    ['no name', '---\nmode: primary\n---\n\nText.\n', '---\nmode: primary\n---\n\nText.\n'],
    ['no front matter', 'Text.\n', 'Text.\n'],
    [
      'a name',
      '---\n# mine\nname: "old"\nmode: all\n---\nname: old\n',
      '---\n# mine\nname: new\nmode: all\n---\nname: old\n',
    ],
    ['CR LF', '---\r\nname: old\r\n---\r\nText.\r\n', '---\r\nname: new\r\n---\r\nText.\r\n'],
    ['a name in several lines', '---\nname: >\n  old\n---\n', undefined],
    ['front matter that is broken', '---\nname: [\n---\n', undefined],
  ])('[AGENTS5] of a note with %s', (_, text, copy) => {
    expect(renamedNote(text, 'new')).toBe(copy);
  });

  it('[AGENTS5] of an agent of several files is as that agent is, without options', async () => {
    const files = {
      'opencode.json': JSON.stringify({
        agent: {
          sage: { prompt: 'Be wise.', temperature: 0.2, tools: { bash: false }, apiKey: 'secret' },
        },
      }),
      '.opencode/opencode.json': JSON.stringify({
        agent: { sage: { model: 'a/b', permission: { edit: { '*': 'ask', 'a: b': 'deny' } } } },
      }),
    };
    const loaded = await loadConfig(memoryFolder(files), undefined);
    const note = agentAsNote(loaded, 'sage');
    expect(note).not.toContain('secret');
    const path = '.opencode/agents/copy.md';
    const copied = await loadConfig(memoryFolder({ [path]: note }), undefined);
    expect(copied.problems).toEqual([]);
    const [one, other] = [resolveAgent(loaded, 'sage'), resolveAgent(copied, 'copy')];
    const facts = (agent: typeof one) => ({
      prompt: agent?.prompt?.value,
      model: agent?.model?.value,
      temperature: agent?.temperature?.value,
      rules: agent?.permissions.map(({ from: _, ...rule }) => rule),
    });
    expect(facts(other)).toEqual(facts(one));
    expect(facts(one).rules).toHaveLength(3);
  });
});
