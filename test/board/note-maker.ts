const INDENTS = ['', '', '', '\t', '\t', '\t\t', '  ', '    ', ' ', '   ', ' \t'] as const;
const MARKERS = ['-', '-', '-', '*', '+', '1.', '7)', '-  '] as const;
const MARKS = [' ', ' ', ' ', 'x', 'X', '/', '-', '!', '>', '?', '🎉'] as const;
const HEADS = [
  'Write it down',
  'Write it down [owner:: me] [unknown:: kept]',
  '[scope:: broad] after a field #tag',
  'a `code [x:: y] span` here',
  'a stray ` backtick',
  'C:\\path \\[x:: y] &#9989; done',
  'open [[link and %% comment',
  'Renew the 🆔 card now',
  'two  blanks and a [link](https://example.org/a::b)',
  '',
  '#only #tags',
  'text 🆔 k3f9-3 behind the id',
  '[reason:: none] why [reason:: two]',
  'dialect [due:: 2026-01-01], (priority:: low) and (text)',
  '(id:: k3f9-8) [dependsOn:: k3f9-1, nobody] x',
] as const;
const TAILS = [
  '',
  '',
  ' 🆔 k3f9-1 ^k3f9-1',
  ' 🆔 k3f9-2 ⛔ k3f9-1 ⏫ ^k3f9-2',
  ' 🆔 k3f9-3 ⛔ k3f9-1, k3f9-2 📅 2026-11-28 ✅ 2026-11-20 #late ^k3f9-3',
  ' 🆔️ k3f9-4 🔁 every week when done 🏁 delete ❌ 2026-01-02 ^other',
  ' ⏫️ 📅2026-11-28',
  ' [estimate:: 2h] 🆔 abc-x_Y [owner:: explore] 🔽',
  ' 🆔 k3f9-12   ^k3f9-12 #behind',
  ' ⛔ nobody ➕ 2026-01-01 🛫 2026-01-02 ⏳ 2026-01-03',
  ' ^mine',
  ' ✅ 2026-11-20 ✅ 2026-11-21 ❌ 2026-11-22',
  ' [id:: k3f9-5] [priority:: high], [completion:: 2026-11-20] ^k3f9-5',
  ' [id:: k3f9-6] (due:: 2026-11-28) #late ^k3f9-6',
] as const;

const taskLines = fc
  .tuple(
    fc.constantFrom(...INDENTS),
    fc.constantFrom(...MARKERS),
    fc.constantFrom(...MARKS),
    fc.constantFrom(...HEADS),
    fc.constantFrom(...TAILS),
    fc.constantFrom('', '', '', ' ', '  \t'),
  )
  .map(
    ([indent, marker, mark, head, tail, end]) =>
      `${indent}${marker} [${mark}] ${head}${tail}${end}`,
  );

const OTHER = `

## Ground
## Ground
# T
# Other
### Deep ###
  ## Indented
## 
####### seven
#tag
Some text.
	body of the task
    four blanks
  two blanks
		deep body
Success: it works
	Result: it did
\`\`\`
\`\`\`js
	\`\`\`
~~~~
	~~~
  \`\`\`\`
\`\`\` \`\` not a fence
      \`\`\`
- \`\`\`
	- ~~~
%%
%% closed %%
%% open
	%%
<!--
<!-- closed -->
	<!-- open
-->
- <!--
> - [ ] quoted 🆔 k3f9-9
> [!note] callout
	> quoted
| a | b |
|---|---|
---
***
===
$$
- plain item
	- plain item
  * plain
1. plain
-
- [x](link)
- []
- [xx] no
<div>
	<div>
<style>
</style>
	<pre>
<pre>x</pre>
<x-y>
	</x-y>
<?php
[^1]: note
\ufeff- [ ] x
- [ ]
- [ ] 
	* [x]
\\- [ ] escaped
-[ ] tight
\u00a0- [ ] nbsp
- [ ]	tab
\f
a\u0000b`.split('\n');

const otherLines = fc.constantFrom('', ...OTHER);

const lines = fc.oneof({ weight: 3, arbitrary: taskLines }, { weight: 2, arbitrary: otherLines });
const lineEnds = fc.constantFrom('\n', '\n', '\r\n', '\r', 'mixed' as const);

const HEADERS = [
  ['board: 1', 'session: ses_1', 'agent: build', 'title: T', 'prefix: k3f9', 'next: 20', 'rev: 17'],
  [
    '# comment',
    'rev: 3 # three',
    'board: "1"',
    "agent: 'build'",
    'session:   ses_1   # why',
    'prefix: k3f9',
    'title: "T"',
    'tags: [a, b]',
    'other:',
    '  - deep: 1',
  ],
  [
    'board: 1',
    'note: >-',
    '  of a person',
    'title: T',
    'session: ses_1',
    'agent: build',
    'prefix: k3f9',
    'next: no',
    'rev:',
  ],
  ['prefix: k3f9', 'agent: build', '"session": ses_1', 'board: 1', 'aliases:', '- x', 'next: 2'],
  [
    'board: 1',
    'session: ses_1',
    'agent: build',
    'title: T',
    'prefix: k3f9',
    'rev: "4"',
    'next: "5"  ',
  ],
  [
    'board: 1',
    'rev: [4] # mine',
    'session: ses_1',
    'agent: build',
    'title: T',
    'prefix: k3f9',
    'tags:',
    '  - a',
    'next: nine',
  ],
] as const;

/** Whole parsable notes of valid and odd lines in any order. */
export const notes = fc
  .record({
    mark: fc.constantFrom('', '', '', '\ufeff'),
    header: fc.constantFrom(...HEADERS),
    body: fc.array(lines, { maxLength: 14 }),
    ends: fc.array(lineEnds, { minLength: 1, maxLength: 3 }),
    final: fc.boolean(),
  })
  .map(({ mark, header, body, ends, final }) => {
    const all = ['---', ...header, '---', ...body];
    const end = (i: number): string => {
      const chosen = ends[0] === 'mixed' ? (ends[i % ends.length] ?? '\n') : ends[0];
      return chosen === 'mixed' ? '\n' : (chosen ?? '\n');
    };
    const text = all.map((line, i) => line + (i < all.length - 1 || final ? end(i) : '')).join('');
    return mark + text;
  });

/** Lines with their terminators: CRLF, LF or CR. Independent of the code under test. */
export function rawLines(text: string): readonly string[] {
  return text.match(/[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+$/g) ?? [];
}

import { fc } from '../seeded';
