import { parser } from '@lezer/markdown';
import { describe, expect, test } from 'vitest';
import { addTask } from '../../src/core/board/note/place-task';
import { parseNote } from '../../src/core/board/note/parse-note';
import { caseCount } from '../in-full';
import { fc } from '../seeded';
import { boardOf, HEADER, noteOf } from './note-sample';

const titlesIn = (body: string): readonly string[] => boardOf(body).tasks.map(({ title }) => title);

describe('what CommonMark reads as code or HTML holds no task', () => {
  test.each([
    ['an open <style>', '<style>\n- [ ] a\n\n- [ ] a\n', []],
    ['an open <SCRIPT with attributes', '<SCRIPT src="x">\n\n- [ ] a\n', []],
    ['an open <pre', '<pre\n- [ ] a\n', []],
    ['an open <textarea>', '<textarea>\n\n- [ ] a\n', []],
    ['a closed <style>', '<style>\n- [ ] a\n</style>\n- [ ] b\n', ['b']],
    ['one that another tag closes', '<pre>\n- [ ] a\n</script> - [ ] a\n- [ ] b\n', ['b']],
    ['one that is closed in its line', '<pre>x</pre>\n- [ ] b\n', ['b']],
    ['a processing instruction', '<?php\n\n- [ ] a\n?>\n- [ ] b\n', ['b']],
    ['a declaration', '<!DOCTYPE\n- [ ] a\nhtml>\n- [ ] b\n', ['b']],
    ['CDATA', '<![CDATA[\n\n- [ ] a\n]]>\n- [ ] b\n', ['b']],
    ['a <div> up to the blank line', '<div>\n- [ ] a\n## T\n- [ ] a\n\n- [ ] b\n', ['b']],
    ['a closing tag of a block', '</details>\n- [ ] a\n\n- [ ] b\n', ['b']],
    ['a whole tag in a line of its own', '<x-y a="1">\n- [ ] a\n\n- [ ] b\n', ['b']],
    ['a tag behind which text stands is none', '<x-y> text\n- [ ] b\n', ['b']],
    ['a whole tag does not interrupt a paragraph', 'text\n<x-y>\n- [ ] b\n', ['b']],
    ['nor the text of a task', '- [ ] b\n<x-y>\n- [ ] c\n', ['b', 'c']],
    ['a <div> does', 'text\n<div>\n- [ ] a\n\n- [ ] b\n', ['b']],
    ['HTML in an item ends with it', '- <div>\n  - [ ] a\n- [ ] b\n', ['b']],
    ['HTML in a task ends with it', '- [ ] b\n  <pre>\n  - [ ] a\n- [ ] c\n', ['b', 'c']],
    ['a fence reopened outside its list', '- [ ] b\n  ```\ntext\n  ```\n- [ ] a\n', ['b']],
    ['one behind a line that left its list', '- [ ] b\n\n text\n  ~~~\n- [ ] a\n', ['b']],
    ['one below a sibling further right', '- [ ] b\n - [ ] c\n  ```\n- [ ] a\n', ['b', 'c']],
    ['a fence behind an item that stayed empty', '-\n\n  ```\n- [ ] a\n', []],
    ['a fence in an item that began empty', '-\n  ```\n\n  - [ ] a\n- [ ] b\n', ['b']],
    ['a fence after an item of code only', '-      ```\n- [ ] b\n', ['b']],
  ])('[NOTE3] %s', (_, body, titles) => {
    expect(titlesIn(body)).toEqual(titles);
  });

  test.each([
    ['## P\n\n<div>\nx\n</div>\n', '## P\n\n<div>\nx\n</div>\n\n- [ ] n 🆔 k3f9-20 ^k3f9-20\n'],
    ['## P\n\n<style>\nx\n', '## P\n\n- [ ] n 🆔 k3f9-20 ^k3f9-20\n\n<style>\nx\n'],
    ['## P\n- [ ] b\n\n<pre>\n', '## P\n- [ ] b\n- [ ] n 🆔 k3f9-20 ^k3f9-20\n\n<pre>\n'],
  ])('[NOTE48] a new task is a task behind %j', (before, after) => {
    const result = addTask(noteOf(before), { title: 'n', phase: 'P', today: '2026-11-21' });
    expect(result.ok && result.text.slice(HEADER.length)).toBe(after);
    expect(result.ok && parseNote('p', result.text).board.tasks.at(-1)?.title).toBe('n');
  });
});

const INDENTS = ['', '', '', '', ' ', '  ', '  ', '   ', '    ', '\t', '\t', '      '];
/** No empty items: the parser forgets one whose first block is unfinished. */
const LINES = [
  ...['- [ ] t', '- [ ] t', '- [x] t', '* [ ] t', '1. [ ] t', '2. [ ] t', '-  [ ] t', '- [ ]'],
  ...['- i', '* i', '1. i', '2) i', '-   i', '-      i', '- - i', '- ```', '- <div>'],
  ...['text', 'text', 'more text', '# h', '## h', '> q', '> ', '>', '> # h', '> - i'],
  ...['```', '```', '```js', '````', '~~~', '~~~ x', '``` `x`', '***', '---', '- - -', '===', '='],
  ...['<style>', '</style>', '<script>x</script>', '<pre class="a">', '</pre> x', '<textarea>'],
  ...['<!-- c', '-->', '<!-- c -->', '<?x', '?>', '<!DOCTYPE', '<![CDATA[', ']]>', '<!DOCTYPE x>'],
  ...[
    '<div>',
    '<div class="x">',
    '</div>',
    '<details',
    '<p/>',
    '<hr />',
    '<h1>x',
    '<table>',
    '<li',
  ],
  ...['<x-y>', '<x-y a=1 b="2" c>', '</x-y>', '<x-y> t', '<x-y a=>', '<span>', '</span >', '<b'],
];
const bodies = fc
  .array(
    fc.oneof(
      { weight: 1, arbitrary: fc.constant('') },
      {
        weight: 5,
        arbitrary: fc
          .tuple(fc.constantFrom(...INDENTS), fc.constantFrom(...LINES))
          // The parser takes a quote to go on however far its mark is indented.
          .map(([indent, line]) => (line.startsWith('>') ? '' : indent) + line),
      },
    ),
    { minLength: 3, maxLength: 12 },
  )
  .map((all) => all.join('\n'));

const RAW = /^(?:FencedCode|HTMLBlock|CommentBlock|ProcessingInstructionBlock)$/;

interface Read {
  readonly line: number;
  readonly task: boolean;
  readonly as: 'item' | 'raw' | 'rule' | 'text';
}

/** How a CommonMark parser reads the lines that begin with a list marker. */
function commonMark(text: string): readonly Read[] {
  const tree = parser.parse(text);
  let at = 0;
  return text.split('\n').flatMap((line, index): readonly Read[] => {
    const start = at;
    at += line.length + 1;
    const item = /^[ \t]*(?:[-*+]|\d+[.)])(?:[ \t]+(\[.\](?:[ \t]|$))?|$)/.exec(line);
    if (item === null) return [];
    const from = start + line.length - line.trimStart().length;
    let as: Read['as'] = 'text';
    tree.iterate({
      from,
      to: from + 1,
      enter: (node) => {
        if (node.from > from || node.to <= from) return;
        if (RAW.test(node.name)) as = 'raw';
        else if (node.name === 'ListMark' && node.from === from) as = 'item';
        else if (/^(?:HorizontalRule|HeaderMark)$/.test(node.name)) as = 'rule';
      },
    });
    return [{ line: index, task: item[1] !== undefined, as }];
  });
}

describe('tasks beside a parser of CommonMark', () => {
  test('[NOTE3] are found where it finds an item, and nowhere in what it reads as code or HTML', () => {
    const count = { item: 0, raw: 0, rule: 0, text: 0 };
    fc.assert(
      fc.property(bodies, (body) => {
        const found = new Set(boardOf(body).tasks.map((task) => task.line));
        const first = HEADER.split('\n').length;
        for (const { line, task, as } of commonMark(body)) {
          count[as] += 1;
          // Indented code and paragraph continuations are items here but not in CommonMark.
          if (as === 'text') return;
          const want = { line, found: task && as === 'item' };
          expect({ line, found: found.has(first + line) }).toEqual(want);
        }
      }),
      { numRuns: caseCount(30_000) },
    );
    expect(count.item).toBeGreaterThan(caseCount(10_000));
    expect(count.raw).toBeGreaterThan(caseCount(5_000));
    expect(count.rule).toBeGreaterThan(caseCount(500));
    expect(count.text).toBeGreaterThan(caseCount(500));
  });
});
