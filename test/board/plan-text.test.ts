import { describe, expect, test } from 'vitest';
import { applyPlan } from '../../src/core/exchange/apply-plan';
import { newNoteText } from '../../src/core/board/note/edit-header';
import { parseNote } from '../../src/core/board/note/parse-note';
import { readPlanText } from '../../src/core/exchange/plan-text';
import { fc } from '../seeded';

const path = '.opencode/todos/s/build-tasks.md';
const fresh = newNoteText({ session: 's', agent: 'build', title: 'T', prefix: 'k3f9' });

/** The detected form, and the task lines on the board. */
function onBoard(text: string): { form: string; lines: string[] } {
  const { form, plan } = readPlanText(text);
  const done = applyPlan(undefined, plan, { path, fresh });
  if (!done.ok) throw new Error(done.message);
  const lines = done.text.slice(done.text.indexOf('# T') + 4).split('\n');
  const shown = lines.map((line) => line.replace(/ \^k3f9-\d+$/, '').replace('🆔 k3f9-', '#'));
  return { form, lines: shown.filter((line) => line !== '') };
}

/** Titles with their dependencies and parents. */
function shape(text: string): string[] {
  const { plan } = readPlanText(text);
  const titles = new Map(plan.tasks.map(({ key, title }) => [key, title]));
  return plan.tasks.map(({ title, parent, dependsOn }) =>
    [
      ...(parent === null ? [] : [`${titles.get(parent) ?? '?'} / `]),
      title,
      ...(dependsOn.length === 0 ? [] : [` <- ${dependsOn.map((key) => titles.get(key)).join()}`]),
    ].join(''),
  );
}

describe('a plan in a text', () => {
  test('[SUGG4] JSON with steps, bare or in a fence between words', () => {
    const plan = {
      title: 'Search',
      steps: [
        { id: 'a', title: 'Choose', successCriteria: ['It is fast', 'It is small'], tool: 'bash' },
        { id: 'b', description: 'Build', dependsOn: ['a'], priority: 'high', status: 'done' },
        { title: 'Ship', depends_on: 'a, b', steps: ['Pack', { name: 'Send', dependsOn: [1] }] },
      ],
    };
    const expected = {
      form: 'json',
      lines: [
        '## Plan',
        '- [ ] Choose #1',
        '\tTool: bash',
        '\tSuccess: It is fast',
        '\tSuccess: It is small',
        '- [x] Build #2 ⛔ k3f9-1 ⏫',
        '- [ ] Ship #3 ⛔ k3f9-1,k3f9-2',
        '\t- [ ] Pack #4',
        '\t- [ ] Send #5 ⛔ k3f9-4',
      ],
    };
    const json = JSON.stringify(plan, null, 2);
    expect(onBoard(json)).toEqual(expected);
    expect(onBoard(`Here it is:\n\n\`\`\`json\n${json}\n\`\`\`\n\nShall I?`)).toEqual(expected);
    expect(onBoard(`Sure! ${json} Done.`)).toEqual(expected);
    expect(readPlanText(json).plan.title).toBe('Search');
    expect(shape('["One", "Two", "", 3, null]')).toEqual(['One', 'Two']);
    expect(shape('{"plan": {"steps": ["One"]}}')).toEqual(['One']);
  });

  test('[SUGG5] a numbered list with criteria, tools, prerequisites and steps in steps', () => {
    const text = `# Offline search

I will do this:

1. **Choose a tokeniser**: compare three.
   Tool: bash
   Success criteria: it splits CJK
2. Build the index (depends on 1)
   - [x] Read the notes
   - Write the postings
     - **Success criteria:**
       - under 40 MB
       - survives a restart
3. Ship it
   Depends on: steps 1 and 2
   3.1 Pack
   3.2. Send [depends on 1]

Tell me if that suits you.`;
    expect(onBoard(text)).toEqual({
      form: 'numbered',
      lines: [
        '## Plan',
        '- [ ] Choose a tokeniser #1',
        '\tcompare three.',
        '\tTool: bash',
        '\tSuccess: it splits CJK',
        '- [ ] Build the index #2 ⛔ k3f9-1',
        '\t- [x] Read the notes #3',
        '\t- [ ] Write the postings #4',
        '\t\tSuccess: under 40 MB',
        '\t\tSuccess: survives a restart',
        '- [ ] Ship it #5 ⛔ k3f9-1,k3f9-2',
        '\t- [ ] Pack #6',
        '\t- [ ] Send #7 ⛔ k3f9-6',
      ],
    });
    expect(readPlanText(text).plan.title).toBe('Offline search');
  });

  test('[SUGG5] steps as headings, and remarks at the edge of a numbered list', () => {
    expect(shape('### Step 1: Look\n\n### Step 2: Leap\nDepends on: 1')).toEqual([
      'Look',
      'Leap <- Look',
    ]);
    expect(onBoard('1) Look\n- closely\n2) Leap').lines).toEqual([
      '## Plan',
      '- [ ] Look #1',
      '\t- closely',
      '- [ ] Leap #2',
    ]);
  });

  test('[SUGG6] a bullet list, nested; headings are phases; what stands in a fence is no step', () => {
    const text = [
      '- Look',
      '\t* Left',
      '\t* Right',
      '',
      '## Then',
      '',
      '- [>] Leap',
      '',
      '```sh',
      '- not a step',
      '```',
    ].join('\n');
    expect(onBoard(text)).toEqual({
      form: 'bullets',
      lines: [
        '## Plan',
        '- [ ] Look #1',
        '\t- [ ] Left #2',
        '\t- [ ] Right #3',
        '### Then',
        '- [>] Leap #4',
        '\t```sh',
        '\t- not a step',
        '\t```',
      ],
    });
  });

  test('[SUGG6] no list at all: one step; nothing at all: none', () => {
    expect(onBoard('Just fix the bug.\nAnd - [ ] test it.\n- [')).toMatchObject({
      form: 'bullets',
    });
    const { form, lines } = onBoard('## Just fix the bug.\n\nIt is in a.ts.');
    expect([form, lines]).toEqual([
      'single',
      ['## Plan', '- [ ] Just fix the bug. #1', '\tIt is in a.ts.'],
    ]);
    expect(readPlanText(' \n\n').plan.tasks).toEqual([]);
  });

  test('[SUGG7] steps that would wait for themselves, for what is not there, or are too many, are told', () => {
    const { plan } = readPlanText(
      '1. A (depends on 2)\n2. B (depends on 1)\n3. C (depends on 9, 3)',
    );
    expect(plan.tasks.reduce((sum, { dependsOn }) => sum + dependsOn.length, 0)).toBe(1);
    expect(plan.left.length).toBeGreaterThanOrEqual(2);
    const many = readPlanText(Array.from({ length: 300 }, (_, i) => `${i + 1}. Step`).join('\n'));
    expect(many.plan.tasks).toHaveLength(200);
    expect(many.plan.left.at(-1)?.why).toBe('A plan takes 200 tasks; this one has 300.');
  });

  test('[SUGG8] a million characters of anything are read in time', () => {
    const n = 1_000_000;
    const hostile = [
      '['.repeat(n),
      '{"steps":'.repeat(n / 10),
      '1'.repeat(n),
      '1.'.repeat(n / 2),
      '1. '.repeat(n / 3),
      `- ${'*'.repeat(n)}`,
      ' '.repeat(n) + 'depends on',
      '\t'.repeat(n),
      `1. ${'(depends on '.repeat(n / 12)}`,
      '`'.repeat(n),
      '- a\n'.repeat(n / 4),
      '```\n'.repeat(n / 4),
      Array.from({ length: 1_000 }, (_, i) => `${' '.repeat(i)}- x`).join('\n'),
      `"${'\\'.repeat(n)}`,
    ];
    for (const text of hostile) {
      const { plan } = readPlanText(text);
      expect(plan.tasks.length).toBeLessThanOrEqual(200);
    }
  });

  test('[SUGG8] whatever a model says, it is a plan that a board takes', () => {
    const word = fc.constantFrom(
      '1. A',
      '2. B',
      '- c',
      '  - d',
      '\t- [x] e',
      'Success: f',
      '```',
      '**g**',
      'Depends on: 1, 2',
      '   Tool: h',
      '# i',
      '1.1 j',
      '- [ ] 🆔 k3f9-1 ^k3f9-1',
      '> - [ ] k',
      '%%',
      '',
      '{"steps":["l"]}',
      'plain',
      '   - Success criteria:',
      '      - m',
      '3. N (depends on 1)',
      '    code',
      '<!--',
      '---',
    );
    const forms = new Set<string>();
    fc.assert(
      fc.property(fc.array(word, { maxLength: 14 }), (lines) => {
        const { form, plan } = readPlanText(lines.join('\n'));
        forms.add(form);
        const done = applyPlan(undefined, plan, { path, fresh });
        if (!done.ok) throw new Error(done.message);
        const { board } = parseNote(path, done.text);
        const titles = board.tasks.map(({ title }) => title);
        expect(titles.sort()).toEqual(plan.tasks.map(({ title }) => title).sort());
      }),
      { numRuns: 300 },
    );
    expect([...forms].sort()).toEqual(['bullets', 'json', 'numbered', 'single']);
  });
});
