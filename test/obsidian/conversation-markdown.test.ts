import { describe, expect, test } from 'vitest';
import {
  linkTarget,
  readInline,
  type Inline,
} from '../../src/obsidian/conversation/markdown/inline';
import {
  cutPieces,
  NO_PIECES,
  readBlocks,
  type MarkdownBlock,
} from '../../src/obsidian/conversation/markdown/blocks';
import { fc } from '../seeded';

/** A block in short notation: `p(…)`, `ul[…]`, `strong(…)`. */
function told(block: MarkdownBlock): string {
  switch (block.kind) {
    case 'paragraph':
      return `p(${line(block.text)})`;
    case 'heading':
      return `h${block.level}(${line(block.text)})`;
    case 'code':
      return `code:${block.info}(${block.text})`;
    case 'rule':
      return 'hr';
    case 'quote':
      return `quote[${block.blocks.map(told).join(' ')}]`;
    case 'list': {
      const items = block.items.map(({ task, blocks }) => {
        const box = task === null ? '' : task ? '[x] ' : '[ ] ';
        return box + blocks.map(told).join(' ');
      });
      return `${block.start ?? 'ul'}[${items.join(' | ')}]`;
    }
    case 'table':
      return `table[${block.rows.map((row) => row.join(',')).join(' / ')}]`;
  }
}

function line(text: string): string {
  return readInline(text).map(inline).join('');
}

function inline(one: Inline): string {
  if (typeof one === 'string') return one;
  if (one.kind === 'break') return '⏎';
  if (one.kind === 'code') return `code(${one.text})`;
  if (one.kind === 'image') return `image(${one.address} ${one.alt})`;
  const inner = one.children.map(inline).join('');
  return one.kind === 'link' ? `link(${one.address} ${inner})` : `${one.kind}(${inner})`;
}

const read = (text: string) => readBlocks(text).map(told).join(' ');

describe('markdown of a message', () => {
  test.each([
    ['# One\ntext', 'h1(One) p(text)'],
    ['### Closed ###', 'h3(Closed)'],
    ['a\nb\n\nc', 'p(a⏎b) p(c)'],
    ['Title\n---\nx', 'h2(Title) p(x)'],
    ['---', 'hr'],
    ['- a\n- b\n  - c\n- d', 'ul[p(a) | p(b) ul[p(c)] | p(d)]'],
    ['3. a\n4. b', '3[p(a) | p(b)]'],
    ['- [x] done\n- [ ] open', 'ul[[x] p(done) | [ ] p(open)]'],
    ['- a\n\n  more\n\nout', 'ul[p(a) p(more)] p(out)'],
    ['> a\n> - b\nlazy', 'quote[p(a) ul[p(b⏎lazy)]]'],
    ['```ts\nlet a;\n\n# no\n```\nx', 'code:ts(let a;\n\n# no) p(x)'],
    ['~~~\n```\n~~~', 'code:(```)'],
    ['```\nopen', 'code:(open)'],
    ['    four', 'code:(four)'],
    ['| a | b |\n|---|:-:|\n| 1 | x\\|y |', 'table[a,b / 1,x|y]'],
    ['text\n| a |\n|---|\n| 1 |', 'p(text) table[a / 1]'],
    ['a | b', 'p(a | b)'],
    ['<b>x</b>\n<script>y</script>', 'p(<b>x</b>⏎<script>y</script>)'],
  ])('[CONV1] %j is %s', (text, expected) => {
    expect(read(text)).toBe(expected);
  });

  test.each([
    ['**a *b* c**', 'strong(a em(b) c)'],
    ['***a***', 'strong(em(a))'],
    ['a_b_c _d_', 'a_b_c em(d)'],
    ['**a', '**a'],
    ['**a *b**', 'strong(a *b)'],
    ['*a *b**', 'em(a em(b))'],
    ['*a **b*', 'em(a **b)'],
    ['2 * 3 * 4', '2 * 3 * 4'],
    ['~~a~~ ==b== ~c~', 'del(a) mark(b) ~c~'],
    ['`a` ``b`c`` `d', 'code(a) code(b`c) `d'],
    ['`**a**` \\*b\\*', 'code(**a**) *b*'],
    ['[a **b**](https://x.y/z_(1) "t")', 'link(https://x.y/z_(1) a strong(b))'],
    ['[[Note|words]] [[Other]]', 'link(note:Note words) link(note:Other Other)'],
    [
      'see https://a.b/c, or <https://d.e>',
      'see link(https://a.b/c https://a.b/c), or link(https://d.e https://d.e)',
    ],
    ['![alt](https://a.b/c.png)', 'image(https://a.b/c.png alt)'],
    ['[a](b [c', '[a](b [c'],
    ['a<br>b &lt;i&gt; &amp; &unknown;', 'a⏎b <i> & &unknown;'],
    ['who@host.example', 'who@host.example'],
  ])('[CONV1] in a line, %j is %s', (text, expected) => {
    expect(line(text)).toBe(expected);
  });

  test.each([
    ['javascript:alert(1)', 'none'],
    ['java\nscript:alert(1)', 'none'],
    ['\u0001javascript:alert(1)', 'none'],
    ['JaVaScRiPt:alert(1)', 'none'],
    ['data:text/html,<script>', 'none'],
    ['vbscript:x', 'none'],
    ['file:///etc/passwd', 'none'],
    ['app://local/x', 'none'],
    ['obsidian://open?vault=x', 'none'],
    ['//evil.example/x', 'none'],
    ['\\\\server\\share', 'none'],
    ['https:\\\\evil', 'none'],
    ['#', 'none'],
    ['', 'none'],
    ['https://a.b', 'web'],
    ['mailto:a@b.c', 'web'],
    ['Folder/Note.md', 'note'],
    ['note:Idea', 'note'],
  ])('[CONV1] an address %j leads to: %s', (address, kind) => {
    expect(linkTarget(address).kind).toBe(kind);
  });

  test('[CONV2] no character of a text is lost, and nothing in it throws', () => {
    const bits = fc.constantFrom(
      ...['Q', 'Zed', ' ', '\n', '\n\n', '*', '**', '_', '`', '```\n', '[', ']', '](', ')', '!['],
      ...['- ', '1. ', '> ', '# ', '|', '|-', '<', '&', '\\', '==', '~~', '    ', '\t', '---', '['],
    );
    let found = 0;
    fc.assert(
      fc.property(fc.array(bits, { maxLength: 60 }), (parts) => {
        const text = parts.join('');
        const words = (all: string) => (all.match(/Q|Zed/g) ?? []).length;
        found += words(text);
        expect(words(lettersOf(readBlocks(text)))).toBeGreaterThanOrEqual(words(text));
      }),
      { numRuns: 2_000 },
    );
    expect(found).toBeGreaterThan(400);
  });

  test.each(['[', '![', '[](', '[[', '*a ', '_a_*', '` `` ', '<', 'http', '> ', '- ', '|-', '\\'])(
    '[CONV2] 256 Ki of %j are read to their end',
    (unit) => {
      const text = unit.repeat(262_144 / unit.length);
      expect(readBlocks(text).length).toBeGreaterThan(0);
      expect(lettersOf(readBlocks(text)).length + unit.length).toBeGreaterThan(0);
      expect(cutPieces(text).closed).toEqual([]);
    },
  );
});

/** All text of blocks, including the addresses of links and images, which are shown or opened. */
function lettersOf(blocks: readonly MarkdownBlock[]): string {
  return blocks
    .map((block) => {
      if (block.kind === 'quote') return lettersOf(block.blocks);
      if (block.kind === 'list') return block.items.map((one) => lettersOf(one.blocks)).join('\n');
      if (block.kind === 'table') return block.rows.flat().map(line).join('\n');
      if (block.kind === 'code') return `${block.info}\n${block.text}`;
      return block.kind === 'rule' ? '' : line(block.text);
    })
    .join('\n');
}

describe('a text that grows', () => {
  test('[CONV3] is cut where nothing later changes what stands before', () => {
    const text = 'a\n\nb\n\n- c\n\n  d\n\ne\n\n```\n\nx\n\n```\n\nf';
    expect(cutPieces(text)).toEqual({
      closed: ['a\n\n', 'b\n\n', '- c\n\n  d\n\n', 'e\n\n', '```\n\nx\n\n```\n\n'],
      tail: 'f',
      from: 32,
    });
  });

  test('[CONV3] however it comes, its pieces are those of the whole, and finished ones stay', () => {
    const bits = fc.constantFrom(
      'a',
      'b ',
      '\n',
      '\n\n',
      '\n\n',
      '- c',
      '  d',
      '```\n',
      '# ',
      '~~~\n',
    );
    let closed = 0;
    fc.assert(
      fc.property(fc.array(bits, { maxLength: 50 }), (parts) => {
        let text = '';
        let pieces = NO_PIECES;
        for (const part of parts) {
          text += part;
          const next = cutPieces(text, pieces);
          expect(next.closed.slice(0, pieces.closed.length)).toEqual(pieces.closed);
          expect([...next.closed, next.tail].join('')).toBe(text);
          pieces = next;
        }
        expect(pieces).toEqual(cutPieces(text));
        closed += pieces.closed.length;
      }),
      { numRuns: 500 },
    );
    expect(closed).toBeGreaterThan(100);
  });

  test('[CONV3] that was replaced is cut anew', () => {
    const before = cutPieces('a\n\nb\n\nc');
    expect(cutPieces('x\n\nb\n\nc', before).closed).toEqual(['x\n\n', 'b\n\n']);
  });
});
