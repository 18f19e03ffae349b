import { describe, expect, test } from 'vitest';
import { loadConfig } from '../../src/core/config/load-config';
import { memoryFolder } from './memory-folder';

async function said(files: Readonly<Record<string, string>>): Promise<string[]> {
  const { problems } = await loadConfig(memoryFolder(files), undefined);
  return problems.map(
    ({ severity, file, line, key, message, fix }) =>
      `${severity} ${file}:${line} ${key} | ${message} | ${fix}`,
  );
}

const json = (text: string) => ({ 'opencode.json': text });

describe('what is wrong with a configuration', () => {
  test.each([
    [
      '{"agent": {"a": {\n"promt": "x"}}}',
      '2 agent.a.promt | "promt" is not a key here. | Write "prompt".',
    ],
    [
      '{"provider": {"x": {\n"extra": "y"}}}',
      '2 provider.x.extra | "extra" is ignored: there is no such key. | Remove it. Keys here: api, name, id, npm, env, whitelist, blacklist, options, models.',
    ],
    [
      '{"compaction": {"atuo": true}}',
      '1 compaction.atuo | "atuo" is not a key here. | Write "auto".',
    ],
  ])('[CONFIG3] %s: a key that nothing reads', async (text, says) => {
    expect(await said(json(text))).toEqual([`warning opencode.json:${says}`]);
  });

  test('[CONFIG3] what an agent hands to its provider is no slip', async () => {
    const text =
      '{"agent": {"a": {"reasoningEffort": "high", "topK": 3, "thinking": {"budget": 1}}}}';
    expect(await said(json(text))).toEqual([]);
  });

  test.each([
    [
      '{"agent":\n{"a": {"mode": "primry"}}}',
      '2 agent.a.mode | "mode" has to be "subagent" or "primary" or "all", not "primry". OpenCode does not start with it. | Write "primary".',
    ],
    [
      '{"permission": {"bash": {\n"git *": "allwo"}}}',
      '2 permission.bash.git * | "git *" has to be "ask" or "allow" or "deny", not "allwo". OpenCode does not start with it. | Write "allow".',
    ],
    [
      '{"instructions": ["x.md",\n7]}',
      '2 instructions.1 | Entry 2 of "instructions" has to be a text in quotes, not a number. OpenCode does not start with it. | Write a text in quotes.',
    ],
    [
      '{"mcp": {"a": {"type": "remote"}}}',
      '1 mcp.a.url | "url" is missing. OpenCode does not start with it. | Add it: a text in quotes.',
    ],
    [
      '{"mcp": {"a": {"type": "http", "url": "x"}}}',
      '1 mcp.a.type | "type" has to be "local" or "remote". OpenCode does not start with it. | Write "local" or "remote".',
    ],
    [
      '{"agent": {"a": {"color": "#12345"}}}',
      '1 agent.a.color | "color" is not a colour that OpenCode knows. OpenCode does not start with it. | Write a hex colour in quotes, as in "#ff8800", or primary, secondary, accent, success, warning, error, info.',
    ],
    [
      '{"agent": {"a": {"steps": 0}}}',
      '1 agent.a.steps | "steps" has to be a number greater than 0. OpenCode does not start with it. | Write a number greater than 0.',
    ],
    [
      '{"model": "a/b",,}',
      '1  | is not JSON: a key in double quotes is missing. OpenCode does not start with it. | Write it there, or remove what is too many.',
    ],
    [
      '{"model": "a/b"\n"share": "auto"}',
      '2  | is not JSON: a comma is missing. OpenCode does not start with it. | Write it there, or remove what is too many.',
    ],
    [
      '{"model": "a/b"',
      '1  | is not JSON: a closing "}" is missing. OpenCode does not start with it. | Write it there, or remove what is too many.',
    ],
    [
      '{"model": "a\\b/c"}\n}',
      '2  | is not JSON: there is more behind its end. OpenCode does not start with it. | Remove it, or a closing bracket that is too many.',
    ],
  ])('[CONFIG3] %s: a value that OpenCode does not start with', async (text, says) => {
    expect(await said(json(text))).toEqual([`error opencode.json:${says}`]);
  });

  test.each([
    [
      '{"model": "sonnet"}',
      'error opencode.json:1 model | "model" names no model of a provider. | Write "provider/model", as in "anthropic/claude-sonnet-4-6".',
    ],
    ['{"model": "{env:MODEL}"}', undefined],
    [
      '{"provider": {"a b": {}}}',
      'warning opencode.json:1 provider.a b | The id of this provider has characters that are not allowed. | Write letters, digits, ".", "_" and "-".',
    ],
    [
      '{"provider": {"a": {"options": {"baseURL": "localhost:1"}}}}',
      'error opencode.json:1 provider.a.options.baseURL | "baseURL" is not an address. | Write a full one, as in "https://example.com/v1".',
    ],
    ['{"provider": {"a": {"options": {"baseURL": "{env:URL}/v1"}}}}', undefined],
    [
      '{"mcp": {"a": {"type": "remote", "url": "file:///x"}}}',
      'error opencode.json:1 mcp.a.url | "url" is not an address. | Write a full one, as in "https://example.com/v1".',
    ],
    [
      '{"default_agent": "general"}',
      'error opencode.json:1 default_agent | No session can begin with "general": it is a subagent. | Name an agent of mode "primary" or "all".',
    ],
    [
      '{"default_agent": "a", "agent": {"a": {"disable": true}}}',
      'error opencode.json:1 default_agent | No session can begin with "a": it is switched off. | Name an agent of mode "primary" or "all".',
    ],
    [
      '{"permission": {"bash": "allow", "*": "ask"}}',
      'warning opencode.json:1 permission.* | The last rule that matches counts: "*" makes those before it mean nothing. | Write "*" first.',
    ],
    ['{"permission": {"*": "ask", "bash": "allow"}}', undefined],
    [
      '{"permission": {"my_tool": "ask", "webfetc": "deny"}}',
      'warning opencode.json:1 permission.webfetc | "webfetc" is not a permission of OpenCode. | Write "webfetch".',
    ],
    [
      '{"agent": {"a": {"permission": {"write": "deny"}}}}',
      'warning opencode.json:1 agent.a.permission.write | Nothing asks for "write": what changes files asks for "edit". | Write "edit".',
    ],
  ])('[CONFIG4] %s: a value of the right form that does something else', async (text, says) => {
    expect(await said(json(text))).toEqual(says === undefined ? [] : [says]);
  });

  test('[CONFIG15] a wrong value hides nothing else that is wrong with its file', async () => {
    const of = async (files: Readonly<Record<string, string>>) =>
      (await said(files)).map((one) => one.split(' | ')[0]?.trim());
    const config = `{"share": "all", "model": "sonnet", "instructions": ["none.md"],
"default_agent": "general",
"agent": {"a": {"mode": "subagent", "description": 7, "permission": {"write": "deny"}},
"b": {"mode": "primry", "permission": {"bash": "allow", "*": "ask"}}},
"mcp": {"m": {"type": "remote"}, "n": {"type": "remote", "url": "x"}}}`;
    expect(await of(json(config))).toEqual([
      'warning opencode.json:1 instructions.0',
      'error opencode.json:1 model',
      'error opencode.json:1 share',
      'error opencode.json:2 default_agent',
      'error opencode.json:3 agent.a.description',
      'warning opencode.json:3 agent.a.permission.write',
      'error opencode.json:4 agent.b.mode',
      'warning opencode.json:4 agent.b.permission.*',
      'error opencode.json:5 mcp.m.url',
      'error opencode.json:5 mcp.n.url',
    ]);
    const skill = '---\nname: Wrong Name\ndescription: 7\n---\n';
    const agent = '---\nmode: primry\nmodel: sonnet\n---\nHi';
    const files = { '.opencode/agent/a.md': agent, '.opencode/skill/s/SKILL.md': skill };
    expect(await of({ ...files, ...json('{"default_agent": "a"}') })).toEqual([
      'error .opencode/agent/a.md:2 mode',
      'error .opencode/agent/a.md:3 model',
      'warning .opencode/skill/s/SKILL.md:2 name',
      'error .opencode/skill/s/SKILL.md:3 description',
    ]);
    const { config: used } = await loadConfig(memoryFolder(files), undefined);
    expect(used.agent).toEqual({});
  });

  test('[CONFIG4] two that have one name are told', async () => {
    const files = {
      '.opencode/agent/a.md': 'One.',
      '.opencode/agents/a.md': 'Two.',
      '.opencode/skill/s/SKILL.md': '---\nname: s\ndescription: d\n---\n',
      '.claude/skills/s/SKILL.md': '---\nname: s\ndescription: d\n---\n',
    };
    expect((await said(files)).map((one) => one.split(' | ').slice(0, 2).join(' | '))).toEqual([
      'warning .opencode/agents/a.md:0  | defines "a" as .opencode/agent/a.md does: which one counts is left to chance.',
      'warning .opencode/skill/s/SKILL.md:0  | is called "s" as .claude/skills/s/SKILL.md is: which one counts is left to chance.',
    ]);
  });

  test('[CONFIG4] a pattern that begins with any folder is told where git does not end it', async () => {
    const files = { ...json('{"instructions": ["**/*.md"]}'), 'a.md': 'x' };
    expect(await said(files)).toEqual([expect.stringContaining('in every folder above the vault')]);
    expect(await said({ ...files, '.git/HEAD': 'ref' })).toEqual([]);
  });
});
