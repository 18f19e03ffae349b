/** A folder and the problems that we report, as `error opencode.json:1 agent.z.steps`. */
export interface ConfigCase {
  readonly name: string;
  readonly files: Readonly<Record<string, string | Uint8Array>>;
  readonly says?: readonly string[];
  /** links by path, with their targets next to the folder of the case */
  readonly links?: Readonly<Record<string, string>>;
  /** where we deliberately differ from OpenCode: a text that it loads from there and we don't */
  readonly differs?: string;
  /** whether to send a prompt, which shows the instructions that it gets */
  readonly prompts?: boolean;
}

const agent = (text: string) => ({ '.opencode/agent/a.md': text });
const json = (text: string) => ({ 'opencode.json': text });
const skill = (name: string, text: string) => ({ [`.opencode/skill/${name}/SKILL.md`]: text });

export const CONFIG_CASES: readonly ConfigCase[] = [
  // Agents as notes.
  {
    name: 'agent',
    files: agent(
      '---\ndescription: x\nmode: subagent\ntools:\n  write: false\ntopK: 3\n---\nBody 1\n',
    ),
  },
  { name: 'agent without front matter', files: agent('Body 2\n') },
  { name: 'empty agent', files: agent('') },
  { name: 'agent in a folder', files: { '.opencode/agents/x/y.md': 'Body 3' } },
  { name: 'hidden file', files: { '.opencode/agent/.b.md': 'Body 4' } },
  {
    name: 'other files',
    files: { '.opencode/agent/x.md/foo.txt': 'x', '.opencode/agent/y.MD': 'x' },
  },
  {
    name: 'agent named otherwise',
    says: ['warning .opencode/agent/a.md:2 name'],
    files: agent('---\nname: other\n---\nBody 5'),
  },
  {
    name: 'misspelt keys',
    says: ['warning .opencode/agent/a.md:2 desciption', 'warning .opencode/agent/a.md:3 Mode'],
    files: agent('---\ndesciption: x\nMode: primary\n---\nBody 6\n'),
  },
  {
    name: 'YAML that breaks',
    says: ['error .opencode/agent/a.md:2'],
    files: agent('---\ndescription: [x\n---\nBody 7\n'),
  },
  {
    name: 'open quote',
    says: ['error .opencode/agent/a.md:2'],
    files: agent('---\ndescription: "x\n---\nBody 8'),
  },
  {
    name: 'sign at',
    says: ['error .opencode/agent/a.md:2'],
    files: agent('---\ndescription: @foo\n---\nBody 9'),
  },
  {
    name: 'key twice',
    says: ['error .opencode/agent/a.md:3'],
    files: agent('---\ndescription: x\ndescription: y\n---\nBody 10'),
  },
  {
    name: 'colon in a value',
    says: ['warning .opencode/agent/a.md:2'],
    files: agent('---\ndescription: use this: now\n---\nBody 11\n'),
  },
  {
    name: 'colon and comment',
    says: ['warning .opencode/agent/a.md:2'],
    files: agent('---\ndescription: a: b # c\nmode: subagent\n---\nBody 12'),
  },
  {
    name: 'colon, and broken',
    says: ['error .opencode/agent/a.md:2'],
    files: agent('---\ndescription: a: b\nmode: [x\n---\nBody 13'),
  },
  { name: 'tab', files: agent('---\ndescription: x\n\tmode: all\n---\nBody 14') },
  {
    name: 'not closed',
    says: ['error .opencode/agent/a.md:4'],
    files: agent('---\nmode: primary\nBody 15\n'),
  },
  {
    name: 'not closed, no text',
    says: ['error .opencode/agent/a.md:1'],
    files: agent('---\nmode: primary\n'),
  },
  {
    name: 'blank line first',
    says: ['error .opencode/agent/a.md:1'],
    files: agent('\n---\ndescription: foo\n---\nBody 16'),
  },
  {
    name: 'four dashes',
    says: ['error .opencode/agent/a.md:1'],
    files: agent('----\ndescription: x\n----\nBody 17'),
  },
  { name: 'four dashes at the end', files: agent('---\ndescription: x\n----\nBody 18') },
  { name: 'empty front matter', files: agent('---\n---\nBody 19') },
  { name: 'comment as front matter', files: agent('---\n# only\n---\nBody 20') },
  {
    name: 'text as front matter',
    says: ['error .opencode/agent/a.md:2'],
    files: agent('---\njust\n---\nBody 21'),
  },
  {
    name: 'list as front matter',
    says: ['error .opencode/agent/a.md:2'],
    files: agent('---\n- a\n- b\n---\nBody 22'),
  },
  { name: 'front matter as JSON', files: agent('---json\n{"description": "x1"}\n---\nBody 23') },
  {
    name: 'front matter as TOML',
    says: ['error .opencode/agent/a.md:1'],
    files: agent('---toml\ndescription = "x1"\n---\nBody 24'),
  },
  {
    name: 'front matter as a program',
    says: ['error .opencode/agent/a.md:1'],
    files: agent('---js\n{description: "x" + 1}\n---\nBody 25'),
    differs: '"description":"x1"',
  },
  { name: 'Windows', files: agent('---\r\ndescription: x\r\n---\r\nBody 26\r\n') },
  {
    name: 'byte order mark',
    files: {
      ...agent('\ufeff---\ndescription: x\n---\nBody 27'),
      ...json('\ufeff{"model":"a/b"}'),
    },
  },
  { name: 'anchor', files: agent('---\ndescription: &x hello\noptions: {a: *x}\n---\nBody 28') },
  {
    name: 'merge key',
    files: agent('---\noptions: &o\n  k: 1\ntools:\n  <<: {bash: false}\n---\nBody 29'),
  },
  { name: 'octal', files: agent('---\nsteps: 010\n---\nBody 30') },
  { name: 'base 60', files: agent('---\ntemperature: 1:30\n---\nBody 31') },
  {
    name: 'yes',
    says: ['error .opencode/agent/a.md:2 hidden'],
    files: agent('---\nhidden: yes\n---\nBody 32'),
  },
  {
    name: 'number as description',
    says: ['error .opencode/agent/a.md:2 description'],
    files: agent('---\ndescription: 2024\n---\nBody 33'),
  },
  {
    name: 'date as description',
    says: ['error .opencode/agent/a.md:3 description'],
    files: agent('---\nmode: all\ndescription: 2024-01-01\n---\nBody 34'),
  },
  {
    name: 'empty description',
    says: ['error .opencode/agent/a.md:2 description'],
    files: agent('---\ndescription:\n---\nBody 35'),
  },
  {
    name: 'wrong mode',
    says: ['error .opencode/agent/a.md:2 mode'],
    files: agent('---\nmode: subagnet\n---\nBody 36'),
  },
  {
    name: 'colour by name',
    says: ['error .opencode/agent/a.md:2 color'],
    files: agent('---\ncolor: red\n---\nBody 37'),
  },
  {
    name: 'colour without quotes',
    says: ['error .opencode/agent/a.md:2 color'],
    files: agent('---\ncolor: #ff0000\n---\nBody 38'),
  },
  {
    name: 'tools as a list',
    says: ['error .opencode/agent/a.md:2 tools'],
    files: agent('---\ntools: [bash]\n---\nBody 39'),
  },
  {
    name: 'tools as words',
    says: ['error .opencode/agent/a.md:2 tools'],
    files: agent('---\ntools: bash, edit\n---\nBody 40'),
  },
  {
    name: 'tools with actions',
    says: ['error .opencode/agent/a.md:4 tools.bash'],
    files: agent('---\nmode: all\ntools:\n  bash: deny\n---\nBody 41'),
  },
  {
    name: 'model without provider',
    says: ['error .opencode/agent/a.md:2 model'],
    files: agent('---\nmodel: sonnet\n---\nBody 42'),
  },
  {
    name: 'rules of an agent',
    files: {
      ...json('{"permission":{"bash":{"*":"deny","git *":"allow"},"edit":"ask"}}'),
      ...agent('---\npermission:\n  edit: deny\n  bash:\n    "ls": allow\n---\nBody 43'),
    },
  },
  {
    name: 'mode as a note',
    files: { '.opencode/modes/w.md': '---\nmode: subagent\n---\nBody 44' },
  },
  {
    name: 'wrong mode as a note',
    says: ['error .opencode/mode/a.md:2 mode', 'error .opencode/mode/a.md:3 temperature'],
    files: { '.opencode/mode/a.md': '---\nmode: main\ntemperature: hot\n---\nBody 45\n' },
    differs: '',
  },
  // Commands.
  {
    name: 'command',
    files: { '.opencode/command/c.md': '---\ndescription: x\nagent: plan\n---\nDo $1' },
  },
  {
    name: 'wrong command',
    says: ['error .opencode/command/c.md:2 agent'],
    files: { '.opencode/command/c.md': '---\nagent: 3\n---\nDo it' },
  },
  // The configuration.
  { name: 'no JSON', says: ['error opencode.json:1'], files: json('{"model": }') },
  { name: 'blank file', says: ['error opencode.json:2'], files: json('  \n') },
  { name: 'empty file', files: json('') },
  { name: 'text behind', says: ['error opencode.json:1'], files: json('{"model":"a/b"} x') },
  { name: 'comments', files: json('// hi\n{/* x */"model":"a/b",}') },
  { name: 'list', says: ['error opencode.json:1'], files: json('[]') },
  { name: 'null', says: ['error opencode.json:1'], files: json('null') },
  {
    name: 'model as a number',
    says: ['error opencode.json:2 model', 'warning opencode.json:3 foo'],
    files: json('{\n  "model": 3,\n  "foo": 1\n}'),
  },
  { name: 'model as null', says: ['error opencode.json:1 model'], files: json('{"model":null}') },
  {
    name: 'unknown keys',
    says: ['warning opencode.json:1 modle', 'warning opencode.json:1 theme'],
    files: json('{"modle": "a/b", "theme": "x"}'),
  },
  { name: 'key twice in JSON', files: json('{"model":"a/b","model":"c/d"}') },
  {
    name: 'all places',
    files: {
      'opencode.json':
        '{"model":"a/b","instructions":["x.md"],"agent":{"z":{"prompt":"1","steps":3}}}',
      'opencode.jsonc': '{"model":"c/d",//c\n"instructions":["y.md","x.md"],}',
      '.opencode/opencode.json':
        '{"small_model":"e/f","agent":{"z":{"prompt":"2","tools":{"bash":false}},"a":{"temperature":0.1,"prompt":"hidden"}}}',
      '.opencode/opencode.jsonc': '{"agent":{"z":{"options":{"a":{"b":1}}}}}',
      ...agent('---\nmode: primary\n---\nBody 46'),
      'x.md': 'x',
      'y.md': 'y',
    },
  },
  {
    name: 'tools and rules',
    files: json('{"tools":{"write":true,"bash":false},"permission":{"bash":"ask","edit":"deny"}}'),
  },
  { name: 'one action for all', files: json('{"permission":"ask"}') },
  {
    name: 'wrong action',
    says: ['error opencode.json:2 permission.bash'],
    files: json('{"permission":{\n"bash":"alow"}}'),
  },
  {
    name: 'wrong action of a pattern',
    says: ['error opencode.json:1 permission.bash.git *'],
    files: json('{"permission":{"bash":{"git *":"maybe"}}}'),
  },
  {
    name: 'pattern where none fits',
    says: ['error opencode.json:1 permission.todowrite'],
    files: json('{"permission":{"todowrite":{"*":"deny"}}}'),
  },
  {
    name: 'rules as a number',
    says: ['error opencode.json:1 permission'],
    files: json('{"permission":3}'),
  },
  {
    name: 'rules without effect',
    says: [
      'warning opencode.json:1 permission.bash.*',
      'warning opencode.json:1 permission.edti',
      'warning opencode.json:1 permission.write',
    ],
    files: json('{"permission":{"write":"deny","edti":"deny","bash":{"git *":"allow","*":"ask"}}}'),
  },
  {
    name: 'built-in agents',
    files: json(
      '{"agent":{"build":{"disable":true},"plan":{"model":"x/y","prompt":"own"},"q":{"disable":true}}}',
    ),
  },
  { name: 'agents as a text', says: ['error opencode.json:1 agent'], files: json('{"agent":"x"}') },
  {
    name: 'agent as a text',
    says: ['error opencode.json:1 agent.x'],
    files: json('{"agent":{"x":"y"}}'),
  },
  {
    name: 'steps',
    files: json('{"agent":{"z":{"maxSteps":4,"color":"primary","temperature":1}}}'),
  },
  {
    name: 'wrong steps',
    says: ['error opencode.json:1 agent.y.steps'],
    files: json('{"agent":{"z":{"maxSteps":4},"y":{"steps":-1}}}'),
  },
  {
    name: 'half steps',
    says: ['error opencode.json:1 agent.z.steps'],
    files: json('{"agent":{"z":{"steps":1.5}}}'),
  },
  {
    name: 'temperature as a text',
    says: ['error opencode.json:1 agent.z.temperature', 'error opencode.json:1 agent.z.top_p'],
    files: json('{"agent":{"z":{"temperature":"0.5","top_p":true}}}'),
  },
  {
    name: 'options as a text',
    says: ['error opencode.json:1 agent.z.options'],
    files: json('{"agent":{"z":{"options":"x"}}}'),
  },
  { name: 'agent with a name', files: json('{"agent":{"z":{"name":"other","prompt":"x"}}}') },
  {
    name: 'mode in JSON',
    says: ['warning opencode.json:1 mode.q.description'],
    files: json('{"mode":{"q":{"prompt":"hey","mode":"subagent"}}}'),
  },
  {
    name: 'prototype',
    says: ['error opencode.json:0'],
    files: json('{"agent":{"__proto__":{"prompt":"x"}},"__proto__":{"model":"a/b"}}'),
  },
  {
    name: 'text of a file',
    files: { ...json('{"agent":{"z":{"prompt":"{file:./p.txt}"}}}'), 'p.txt': '  the "prompt"\n' },
  },
  {
    name: 'text of no file',
    says: ['error opencode.json:1 agent.z.prompt'],
    files: json('{"agent":{"z":{"prompt":"{file:./p.txt}"}}}'),
  },
  {
    name: 'text of a file outside',
    says: ['warning opencode.json:1 agent.z.prompt'],
    files: json('{"agent":{"z":{"prompt":"{file:../outside.txt}"}}}'),
    differs: 'canary of outside',
  },
  {
    name: 'variable',
    files: json('{"small_model":"{env:CORPUS_MODEL}"}'),
    differs: 'from/variable',
  },
  {
    name: 'rules of version 2',
    says: ['error opencode.json:1 permissions'],
    files: json('{"permissions":[]}'),
  },
  {
    name: 'rules of version 2 in an agent',
    says: ['error opencode.json:1 agent.q.permissions'],
    files: json('{"agent":{"q":{"permissions":[]}}}'),
  },
  {
    name: 'skills of version 2',
    says: ['warning opencode.json:1 skills.paths.0'],
    files: json('{"skills":["x","https://example.com/"],"model":"p/m#high"}'),
  },
  {
    name: 'no such first agent',
    says: ['error opencode.json:1 default_agent'],
    files: json('{"default_agent":"biuld"}'),
  },
  {
    name: 'subagent first',
    says: ['warning opencode.json:1 agent.s.description', 'error opencode.json:1 default_agent'],
    files: json('{"default_agent":"s","agent":{"s":{"mode":"subagent"}}}'),
  },
  {
    name: 'instructions as a text',
    says: ['error opencode.json:1 instructions'],
    files: json('{"instructions":"x.md"}'),
  },
  {
    name: 'instructions with a number',
    says: ['error opencode.json:1 instructions.1'],
    files: json('{"instructions":["x.md",3]}'),
  },
  {
    name: 'provider',
    says: ['warning opencode.json:1 provider.my.models.m.tools'],
    files: json(
      '{"provider":{"my":{"npm":"x","options":{"apiKey":"canary-key","baseURL":"http://x/v1","more":1},"models":{"m":{"limit":{"context":1,"output":2},"tools":1}}}}}',
    ),
  },
  {
    name: 'wrong provider',
    says: [
      'error opencode.json:1 provider.my.models.m.limit.output',
      'error opencode.json:1 provider.my.options.apiKey',
      'error opencode.json:1 provider.my.options.baseURL',
    ],
    files: json(
      '{"provider":{"my":{"options":{"apiKey":7,"baseURL":"nowhere"},"models":{"m":{"limit":{"context":1}}}}}}',
    ),
  },
  {
    name: 'server',
    files: json(
      '{"mcp":{"a":{"type":"local","command":["x"],"enabled":false},"b":{"type":"remote","url":"http://127.0.0.1:9/","enabled":false},"c":{"enabled":false}}}',
    ),
  },
  {
    name: 'wrong server',
    says: [
      'error opencode.json:1 mcp.a.url',
      'error opencode.json:1 mcp.b.type',
      'error opencode.json:1 mcp.c.enabled',
    ],
    files: json('{"mcp":{"a":{"type":"remote","url":3},"b":{"type":"foo"},"c":{"enabled":"x"}}}'),
  },
  {
    name: 'server with one word',
    says: ['error opencode.json:1 mcp.a.command'],
    files: json('{"mcp":{"a":{"type":"local","command":"x"}}}'),
  },
  {
    name: 'other wrong settings',
    says: [
      'error opencode.json:1 autoupdate',
      'error opencode.json:1 compaction.auto',
      'error opencode.json:1 logLevel',
      'error opencode.json:1 server.port',
      'error opencode.json:1 share',
    ],
    files: json(
      '{"share":"yes","autoupdate":"x","logLevel":"debug","compaction":{"auto":1},"server":{"port":0}}',
    ),
  },
  {
    name: 'wrong programs',
    says: [
      'error opencode.json:1 formatter.x.command',
      'error opencode.json:1 plugin.0',
      'error opencode.json:1 references.a.path',
    ],
    files: json('{"references":{"a":{"path":3}},"formatter":{"x":{"command":"y"}},"plugin":[3]}'),
  },
  // Skills.
  {
    name: 'skills',
    says: [
      'warning .agents/skills/s4/SKILL.md:2 name',
      'warning .claude/skills/s3/SKILL.md:1 description',
      'warning .opencode/skill/SKILL.md:2 name',
      'error .opencode/skill/bad/SKILL.md:2',
      'warning .opencode/skill/deep/er/SKILL.md:2 name',
      'warning .opencode/skill/deep/er/SKILL.md:3',
      'warning .opencode/skill/low/skill.md:0',
      'error .opencode/skills/s2/SKILL.md:1 name',
    ],
    files: {
      ...skill('s1', '---\nname: s1\ndescription: d\n---\nBody 50\n'),
      '.opencode/skills/s2/SKILL.md': '---\ndescription: no name\n---\nBody 51',
      '.claude/skills/s3/SKILL.md': '---\nname: s3\n---\n\nBody 52\n\n',
      '.agents/skills/s4/SKILL.md': '---\nname: other\ndescription: d\n---\nBody 53',
      ...skill('deep/er', '---\nname: deep\ndescription: a: b\n---\nBody 54'),
      '.opencode/skill/SKILL.md': '---\nname: top\ndescription: d\n---\nBody 55',
      ...skill('bad', '---\nname: [x\n---\nBody 56'),
      '.opencode/skill/low/skill.md': '---\nname: low\n---\nBody 57',
    },
  },
  {
    name: 'wrong skills',
    says: [
      'error .opencode/skill/a/SKILL.md:2 name',
      'error .opencode/skill/b/SKILL.md:3 description',
      'error .opencode/skill/c/SKILL.md:1 name',
    ],
    files: {
      ...skill('a', '---\nname: 3\n---\nBody 58'),
      ...skill('b', '---\nname: b\ndescription: 3\n---\nBody 59'),
      ...skill('c', 'Body 60'),
    },
  },
  {
    name: 'named folder of skills',
    says: ['warning opencode.json:1 skills.paths.1'],
    files: {
      ...json('{"skills":{"paths":["extra","none"]}}'),
      'extra/a/SKILL.md': '---\nname: a\ndescription: x\n---\nBody 61',
    },
  },
  {
    name: 'skill under a hidden folder',
    files: { '.opencode/skill/.x/h/SKILL.md': '---\nname: h\ndescription: d\n---\nBody 62' },
  },
  // Instructions.
  {
    name: 'both files of instructions',
    files: { 'AGENTS.md': 'agents\n', 'CLAUDE.md': 'claude\n' },
    prompts: true,
  },
  {
    name: 'CLAUDE.md',
    files: { 'CLAUDE.md': 'claude\n', 'CONTEXT.md': 'context\n' },
    prompts: true,
  },
  { name: 'CONTEXT.md', files: { 'CONTEXT.md': 'context\n' }, prompts: true },
  { name: 'empty AGENTS.md', files: { 'AGENTS.md': '', 'CLAUDE.md': 'claude\n' }, prompts: true },
  {
    name: 'patterns',
    says: ['warning opencode.json:1 instructions.4'],
    files: {
      ...json(
        '{"instructions":["docs/*.md","**/deep.md","rules/{a,b}.txt","n?te.md","none.md",".h/*.md","docs/[ab].md"]}',
      ),
      ...{
        'docs/a.md': 'A',
        'docs/b.md': 'B',
        'docs/c/d.md': 'no',
        'x/y/deep.md': 'deep',
        'deep.md': 'top',
      },
      ...{
        'rules/a.txt': 'ra',
        'rules/b.txt': 'rb',
        'rules/c.txt': 'no',
        'note.md': 'note',
        '.h/x.md': 'hidden',
      },
    },
    prompts: true,
  },
  {
    name: 'all notes',
    files: {
      ...json('{"instructions":["**/*.md","./docs/../docs/e.md"]}'),
      'docs/e.md': 'E',
      'f.md': 'F',
      '.opencode/agent/a.md': 'Body 63',
    },
    prompts: true,
  },
  {
    name: 'a folder and a file twice',
    says: ['warning opencode.json:1 instructions.0'],
    files: {
      ...json('{"instructions":["docs","AGENTS.md","./AGENTS.md","docs/**"]}'),
      'docs/a/b.md': 'B',
      'AGENTS.md': 'agents',
    },
    prompts: true,
  },
  {
    name: 'instructions outside',
    says: ['warning opencode.json:1 instructions.0'],
    files: json('{"instructions":["../outside.txt"]}'),
    prompts: true,
    differs: 'canary of outside',
  },
  // Bytes that are not UTF-8.
  {
    name: 'bytes that are no text',
    says: [
      'warning .opencode/agent/a.md:2',
      'warning .opencode/skill/s/SKILL.md:3',
      'warning opencode.json:1',
    ],
    files: {
      'opencode.json': Buffer.from('{"agent":{"b":{"description":"\u00fcber"}}}', 'latin1'),
      '.opencode/agent/a.md': Buffer.from('---\ndescription: \u00fcber\n---\nBody 63', 'latin1'),
      '.opencode/skill/s/SKILL.md': Buffer.from(
        '---\nname: s\ndescription: \u00fcber\n---\nBody',
        'latin1',
      ),
    },
  },
  // Links.
  {
    name: 'link to an agent outside',
    says: ['error .opencode/agent/b.md:0'],
    files: agent('Body 64'),
    links: { '.opencode/agent/b.md': 'outside.txt' },
    differs: 'canary of outside',
  },
  {
    name: 'link to instructions outside',
    says: ['error AGENTS.md:0'],
    files: {},
    links: { 'AGENTS.md': 'outside.txt' },
    prompts: true,
    differs: 'canary of outside',
  },
  {
    // CONFIG12: OpenCode lists the same agent under another name for each round of the cycle.
    name: 'link that goes round',
    says: ['error .opencode/agent/round:0'],
    files: agent('Body 66'),
    links: { '.opencode/agent/round': 'link-that-goes-round/.opencode/agent' },
    differs: 'round/round/',
  },
];
