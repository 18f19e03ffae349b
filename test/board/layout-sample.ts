/** The text below the header: parents, a body in two parts, and a line without an id. */
export const BODY = [
  '# Offline search',
  '',
  'Anything.',
  '',
  '## Groundwork',
  '',
  '- [x] Choose the tokeniser 🆔 k3f9-1 ✅ 2026-11-20 ^k3f9-1',
  '- [/] Build the index [risk:: high] [mine:: kept] #search 🆔 k3f9-2 ⛔ k3f9-1 ⏫ 📅 2026-11-28 ^k3f9-2',
  '\tKeep it small.',
  '\t- [ ] Segment text 🆔 k3f9-3 ^k3f9-3',
  '\tAnd fast.',
  '- [ ] no id yet',
  '',
  'The end.',
  '',
].join('\n');
