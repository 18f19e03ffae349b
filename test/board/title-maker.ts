/** Parts of titles that look like syntax, and plain ones. */
const TITLE_PARTS = [
  '🆔 ⛔ 📅 ✅ ❌ 🔁 🏁 ⏫ 🔺 ➕ \ufe0f \u200d 👩‍💻 é e\u0301 日本 k3f9-1 2026-11-20 ^x',
  '[x] [a::b] [a:: :: [ ] [[ ]] ( ) ]( ![[ \\ \\\\ ` `` ``` &#128279; &# & &amp; # #tag',
  '%% % <!-- --> < - * 1. a word שלום " \' --- | > ~~~ x: \ufeff \u00a0 \u202e $ _ == { }',
]
  .flatMap((line) => line.split(' '))
  .concat(
    ' ',
    ' ',
    '  ',
    ' ^x',
    '[ ]',
    '[a:: b]',
    '[owner:: me]',
    '[due:: 2026-11-28]',
    '(due:: 2026-11-28)',
    '( id::',
    '[reason:: x]',
    '# ',
    '- ',
    'x: y',
  );

const parts = fc.array(fc.constantFrom(...TITLE_PARTS), { minLength: 1, maxLength: 9 });
const refused = ['\ud800', 'a\nb', 'a\u0085b', 'a\u2028b', ' ', '', 'x'.repeat(501), '\tx'];

/** Titles that a caller may send; some of them are refused. */
export const titles = fc.oneof(
  { weight: 6, arbitrary: parts.map((list) => list.join('')) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 20 }) },
  { weight: 1, arbitrary: fc.constantFrom(...refused) },
);

import { fc } from '../seeded';
