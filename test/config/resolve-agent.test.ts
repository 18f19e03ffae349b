import { describe, expect, test } from 'vitest';
import { suggestWord } from '../../src/core/config/config-problem';
import { loadConfig } from '../../src/core/config/load-config';
import { agentNames, resolveAgent } from '../../src/core/config/resolve-agent';
import { memoryFolder } from './memory-folder';

type Files = Readonly<Record<string, string>>;

async function resolve(name: string, vault: Files, personal?: Files) {
  const loaded = await loadConfig(memoryFolder(vault), personal && memoryFolder(personal));
  return resolveAgent(loaded, name);
}

const SKILLS = {
  '.opencode/skill/one/SKILL.md': '---\nname: one\ndescription: The first.\n---\nDo one.\n',
  '.opencode/skill/two/SKILL.md': '---\nname: two\ndescription: The second.\n---\nDo two.\n',
  '.opencode/skill/three/SKILL.md': '---\nname: three\n---\nDo three.\n',
};

describe('what an agent is made of', () => {
  test('[CONFIG7] each part is from the last file that says it', async () => {
    const agent = await resolve(
      'build',
      {
        'opencode.json':
          '{\n"model": "a/b",\n"agent": {"build": {"temperature": 0.1,\n"steps": 5}}}',
        '.opencode/opencode.json': '{"agent": {"build": {"prompt": "{file:p.txt}",\n"steps": 7}}}',
        '.opencode/p.txt': 'From a file.\n',
        '.opencode/agent/build.md': '---\ndescription: Mine\ntemperature: 0.2\n---\n',
      },
      { 'opencode.json': '{"model": "x/y", "agent": {"build": {"color": "accent"}}}' },
    );
    expect(agent).toMatchObject({
      builtIn: true,
      disabled: false,
      mode: { value: 'primary', from: [] },
      model: { value: 'a/b', from: [{ file: 'opencode.json', line: 2 }] },
      color: { value: 'accent', from: [{ file: '~/.config/opencode/opencode.json', line: 1 }] },
      steps: { value: 7, from: [{ file: '.opencode/opencode.json', line: 2 }] },
      description: { value: 'Mine', from: [{ file: '.opencode/agent/build.md', line: 2 }] },
      temperature: { value: 0.2, from: [{ file: '.opencode/agent/build.md', line: 3 }] },
      // The empty note has an empty prompt, as in OpenCode.
      prompt: { value: '', from: [{ file: '.opencode/agent/build.md', line: 5 }] },
    });
  });

  test('[CONFIG7] a text that is taken from another file names both', async () => {
    const agent = await resolve('a', {
      'opencode.json': '{"agent": {"a": {\n"prompt": "Before. {file:./x/p.txt}"}}}',
      'x/p.txt': ' A "text".\n',
    });
    expect(agent?.prompt).toEqual({
      value: 'Before. A "text".',
      from: [
        { file: 'opencode.json', line: 2 },
        { file: 'x/p.txt', line: 0 },
      ],
    });
  });

  test('[CONFIG7] rules stand in the order in which the last that fits counts', async () => {
    const agent = await resolve('a', {
      'opencode.json': '{"permission": {"bash": {"*": "ask",\n"git *": "allow"}}}',
      '.opencode/agent/a.md':
        '---\npermission:\n  edit: deny\n  bash:\n    "rm *": deny\ntools:\n  webfetch: false\n---\nHi',
    });
    const file = '.opencode/agent/a.md';
    expect(agent?.permissions).toEqual([
      { permission: 'bash', pattern: '*', action: 'ask', from: { file: 'opencode.json', line: 1 } },
      {
        permission: 'bash',
        pattern: 'git *',
        action: 'allow',
        from: { file: 'opencode.json', line: 2 },
      },
      { permission: 'webfetch', pattern: '*', action: 'deny', from: { file, line: 7 } },
      { permission: 'edit', pattern: '*', action: 'deny', from: { file, line: 3 } },
      { permission: 'bash', pattern: 'rm *', action: 'deny', from: { file, line: 5 } },
    ]);
  });

  const skillCases: readonly (readonly [agent: string, skills: readonly string[], text: string])[] =
    [
      ['{}', ['one', 'two'], '# Skills\n\n- one: The first.\n- two: The second.'],
      [
        '{"skills": ["two", "none"]}',
        ['one', 'two whole'],
        '# Skills\n\n- one: The first.\n- two: The second.\n\n## Skill: two\n\nDo two.',
      ],
      ['{"permission": {"skill": "deny"}}', [], ''],
      ['{"permission": {"skill": {"t*": "deny"}}}', ['one'], '# Skills\n\n- one: The first.'],
      [
        '{"permission": {"*": "deny", "skill": {"one": "ask"}}}',
        ['one'],
        '# Skills\n\n- one: The first.',
      ],
    ];

  test.each(skillCases)('[CONFIG8] of skills an agent %s has %j', async (said, skills, text) => {
    const agent = await resolve('a', { 'opencode.json': `{"agent": {"a": ${said}}}`, ...SKILLS });
    const names = agent?.skills.map(({ name, whole }) => (whole ? `${name} whole` : name));
    expect(names?.sort()).toEqual(skills);
    const list = (of: string): string => of.split('\n').sort().join('\n');
    expect(list(agent?.system ?? '')).toBe(list(text));
  });

  test('[CONFIG8] what begins by denying all has no skills unless a rule allows them', async () => {
    const denied = await resolve('explore', SKILLS);
    expect(denied?.skills).toEqual([]);
    const rules = '{"agent": {"explore": {"permission": {"skill": {"one": "allow"}}}}}';
    const agent = await resolve('explore', { ...SKILLS, 'opencode.json': rules });
    expect(agent?.skills.map(({ name }) => name)).toEqual(['one']);
  });

  test('[CONFIG8] prompt, instructions and skills are one text, in this order', async () => {
    const agent = await resolve('a', {
      ...SKILLS,
      '.opencode/agent/a.md': 'The prompt.',
      'AGENTS.md': 'The rules.\n',
      'opencode.json':
        '{"instructions": ["https://example.com/x.md"], "permission": {"skill": {"two": "deny"}}}',
    });
    expect(agent?.system).toBe(
      'The prompt.\n\nInstructions from: AGENTS.md\nThe rules.\n\n\n# Skills\n\n- one: The first.',
    );
  });

  test('[CONFIG7] there are the agents of OpenCode and those of the files', async () => {
    const loaded = await loadConfig(
      memoryFolder({
        '.opencode/agent/x/y.md': 'Hi',
        'opencode.json': '{"agent": {"z": {"name": "other"}}}',
      }),
      undefined,
    );
    const own = ['build', 'plan', 'general', 'explore', 'compaction', 'title', 'summary'];
    expect([...agentNames(loaded)].sort()).toEqual([...own, 'other', 'x/y'].sort());
    expect(resolveAgent(loaded, 'other')?.name).toBe('other');
    expect(resolveAgent(loaded, 'z')).toBeUndefined();
    expect(resolveAgent(loaded, '__proto__')).toBeUndefined();
    expect(resolveAgent(loaded, 'title')).toMatchObject({
      builtIn: true,
      mode: { value: 'primary' },
    });
  });
});

describe('the word that was meant', () => {
  const known = ['description', 'mode', 'model', 'top_p', 'temperature', 'edit', 'allow'];
  test.each([
    ['desciption', 'description'],
    ['Mode', 'mode'],
    ['top-p', 'top_p'],
    ['topP', 'top_p'],
    ['temprature', 'temperature'],
    ['edti', 'edit'],
    ['alow', 'allow'],
    // Settings of providers, which look similar.
    ['topK', undefined],
    ['reasoningEffort', undefined],
    ['model', undefined],
  ])('[CONFIG3] for "%s" is %s', (given, meant) => {
    expect(suggestWord(given, known)).toBe(meant);
    expect(suggestWord(given + 'x'.repeat(1_000_000), known)).toBeUndefined();
  });
});
