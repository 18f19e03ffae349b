import { describe, expect, test } from 'vitest';
import { blockKey, type Block } from '../../src/core/session/transcript/transcript';
import { conversationNote } from '../../src/obsidian/conversation/conversation-note';
import { durationWords } from '../../src/obsidian/ui/text';
import { findBlocks } from '../../src/obsidian/conversation/find-bar';
import { transcriptItems } from '../../src/obsidian/conversation/transcript-list';
import { toolCallWords } from '../../src/obsidian/conversation/tool-block';
import { turnEndAnnouncement } from '../../src/obsidian/conversation/conversation-view';

const at = new Date(2026, 10, 22, 14, 2).getTime();
const FACTS = { title: 'Offline search', agent: 'build', sessionId: 's1', date: '2026-11-22' };
const prompt = (text: string, id = 'u1'): Block => ({
  kind: 'prompt',
  id,
  messageId: id,
  text,
  at,
});
const words = (text: string, id = 'a1'): Block => ({
  ...{ kind: 'text', id, messageId: 'm', text, at, live: false },
});
const note = (...blocks: Block[]) => conversationNote(blocks, FACTS);

describe('a conversation as a note', () => {
  test('[CONV17] says who said what when, and what was done', () => {
    const text = note(
      prompt('Plan first.'),
      {
        kind: 'tool',
        id: 'c',
        at,
        tool: 'bash',
        status: 'completed',
        input: '{"command":"ls"}',
        output: 'a ``` b',
        ended: at + 41,
      },
      words('I **will**.'),
      {
        kind: 'board',
        id: 'b',
        at,
        path: 'p',
        by: 'agent',
        changes: [{ key: '1', title: 'Read', status: 'completed', what: 'status' }],
      },
      { kind: 'turn', id: 't', at, reason: 'completed', changedTasks: 1 },
    );
    expect(text).toBe(
      `---
session: "s1"
agent: "build"
date: 2026-11-22
---

# Offline search

## You · 14:02

Plan first.

## build · 14:02

> [!quote]- Ran ls (41 ms)
> \`\`\`\`text
> {"command":"ls"}
> \`\`\`\`
> \`\`\`\`text
> a \`\`\` b
> \`\`\`\`

I **will**.

- Read: Done
`.replace('````text\n> {"command":"ls"}\n> ````', '```text\n> {"command":"ls"}\n> ```'),
    );
  });

  test.each([
    ['- [ ] task', '- \\[ \\] task'],
    ['> 1. [x] task', '> 1. \\[x\\] task'],
    ['![[secret]]', '!\\[[secret]]'],
    ['![x](https://a.b/p.png)', '!\\[x](https://a.b/p.png)'],
    ['<iframe src=x>', '\\<iframe src=x>'],
    ['`$= dv.x` ` = this`', '`\u200b$= dv.x` `\u200b = this`'],
    ['`\n$= dv.x`', '`\n\u200b$= dv.x`'],
    ['- - [ ] task', '- - \\[ \\] task'],
    ['\\<iframe src=x>', '\\<iframe src=x>'],
    ['\\\\<iframe src=x>', '\\\\\\<iframe src=x>'],
    [
      '- ```dataviewjs\n  run()\n  ```\n- [ ] task',
      '- \\`\\`\\`dataviewjs\n  run()\n```text\n- [ ] task\n```',
    ],
    ['> ~~~dataviewjs\n> run()', '> \\~\\~\\~dataviewjs\n> run()'],
    ['- a\n  ```js\n  b\n  ```\n- [ ] task', '- a\n```text\n  b\n```\n- \\[ \\] task'],
    ['$$\n```\n$$\n- [ ] task', '\\$\\$\n```text\n$$\n- [ ] task\n```'],
    ['<%* run() %>\n```\n<% run() %>\n```', '\\< %* run() %>\n```text\n< % run() %>\n```'],
    ['%%hidden%%', '\\%\\%hidden\\%\\%'],
    ['# Heading', '### Heading'],
    ['text ^k3f9-1', 'text \\^k3f9-1'],
    ['```dataviewjs\nrun()\n```', '```text\nrun()\n```'],
    ['```open', '```text\n```'],
  ])('[CONV17] %j does nothing in it', (said, written) => {
    expect(note(prompt(said))).toContain(`\n\n${written}\n`);
  });
});

test('[CONV31] a saved conversation names what was attached to a prompt', () => {
  const attached = [
    { kind: 'note' as const, path: 'Plans/Index format.md' },
    { kind: 'selection' as const },
  ];
  expect(note({ ...prompt('Read it.'), attached } as Block)).toContain(
    'Read it.\n\n_Attached: Index format, Selection_',
  );
});

test('[CTX25] a saved conversation names the notes that went along', () => {
  const attached = [
    { kind: 'note' as const, path: 'Ideas.md' },
    { kind: 'note' as const, path: 'Plans/Index format.md', tokens: 9 },
  ];
  expect(note({ ...prompt('Read it.'), attached } as Block)).toContain(
    'Read it.\n\n_Attached: Ideas_\n\n_Notes sent along: Index format_',
  );
});

describe('what stands around the words of a saved conversation', () => {
  test('[CONV17] an answer of a call stays in its box, whatever ends its lines', () => {
    const output = 'x\r- [ ] task\r\n```dataviewjs\rz';
    const text = note({ kind: 'tool', id: 'c', at, tool: 'bash', status: 'completed', output });
    const [, body = ''] = text.split('# Offline search');
    const lines = body.split(/\r\n?|\n/).filter((line) => line !== '' && !line.startsWith('## '));
    expect(lines.every((line) => line.startsWith('>'))).toBe(true);
    expect(lines).toContain('> - [ ] task');
  });

  test('[CONV17] names are one line each', () => {
    const facts = { ...FACTS, title: 'a\r- [ ] b', agent: 'c\n- [ ] d' };
    const text = conversationNote([words('e')], facts);
    expect(text).toContain('# a - [ ] b\n');
    expect(text).toContain('## c - [ ] d ·');
  });
});

describe('blocks of a conversation', () => {
  test('[CONV4] the agent is named where it begins to speak, and blocks that did not change are the same', () => {
    const blocks = [prompt('a'), words('b'), words('c', 'a2'), prompt('d', 'u2'), words('e', 'a3')];
    const items = transcriptItems(blocks);
    expect(items.map(({ showsAgent: speaks }) => speaks)).toEqual([
      false,
      true,
      false,
      false,
      true,
    ]);
    const turn: Block = { kind: 'turn', id: 't', at, reason: 'completed', changedTasks: 0 };
    const after = transcriptItems([...blocks, turn], items);
    expect(after).toEqual(items);
    expect(after.every((item, index) => item === items[index])).toBe(true);
  });

  test.each([
    ['read', '{"filePath":"/v/Folder/Index format.md"}', undefined, 'Read Index format'],
    ['bash', '{"command":"ls\\nrm x"}', 'List', 'Ran ls'],
    ['bash', '{"command":"l', 'List', 'Ran List'],
    ['obsidian_update_note', '{"path":"A/Plan.md"}', undefined, 'Updated note Plan'],
    ['obsidian_search_vault', '{"query":"a/b"}', undefined, 'Searched notes for a/b'],
    ['mystery', undefined, 'What it did', 'mystery What it did'],
    ['constructor', undefined, undefined, 'constructor '],
  ])('[CONV4] a call of %s with %s reads: %s', (tool, input, title, expected) => {
    const call = { kind: 'tool', id: 'c', at, tool, status: 'completed' } as const;
    const { name, object } = toolCallWords({
      ...call,
      ...(input && { input }),
      ...(title && { title }),
    });
    expect(`${name} ${object}`).toBe(expected);
  });

  test.each(['pending', 'running', 'error'] as const)(
    '[CONV25] a call that is %s is not told as done',
    (status) => {
      const call = { kind: 'tool', id: 'c', at, tool: 'write', status, title: 'New.md' } as const;
      expect(toolCallWords(call).name).toBe('Write');
      expect(toolCallWords({ ...call, status: 'completed' }).name).toBe('Wrote');
    },
  );

  test('[CONV4] times are told as a person would', () => {
    expect([0, 41, 6_400, 65_000, 120_000].map(durationWords)).toEqual([
      ...['0 ms', '41 ms', '6 s', '1 min 5 s', '2 min'],
    ]);
  });

  test('[CONV7] the end of a turn is news once, with its tasks', () => {
    const before = { sessionId: 's', blocks: [prompt('a')], older: false };
    const turn: Block = { kind: 'turn', id: 't', at, reason: 'completed', changedTasks: 2 };
    const now = { ...before, blocks: [prompt('a'), turn] };
    expect(turnEndAnnouncement(before, now, 'build')).toBe('build finished. 2 tasks changed.');
    expect(turnEndAnnouncement(now, { ...now }, 'build')).toBeUndefined();
    expect(turnEndAnnouncement(undefined, now, 'build')).toBeUndefined();
  });

  test('[CONV11] words are found in every kind of block, whatever their case', () => {
    const blocks: readonly Block[] = [
      prompt('the Needle'),
      words('none'),
      { kind: 'tool', id: 'c', at, tool: 'read', status: 'error', error: 'no NEEDLE' },
      {
        kind: 'turn',
        id: 't',
        at,
        reason: 'error',
        error: { code: 'x', message: 'needle' },
        changedTasks: 0,
      },
    ];
    expect(findBlocks(blocks, ' needle ')).toEqual(
      [0, 2, 3].map((n) => blockKey(blocks[n] as Block)),
    );
    expect(findBlocks(blocks, ' ')).toEqual([]);
  });
});
