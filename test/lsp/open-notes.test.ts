import { expect, it } from 'vitest';
import type { TextDocumentContentChangeEvent } from 'vscode-languageserver-protocol';
import { OpenNotes } from '../../src/lsp/open-notes';
import { fc } from '../seeded';
import { applyEdits, SAMPLE, URI } from './sample';

/** Line and UTF-16 offset of an offset, counted from the start: the slow model. */
function position(text: string, offset: number) {
  let line = 0;
  let start = 0;
  for (let at = 0; at < offset; at += 1) {
    const isEnd = text[at] === '\n' || (text[at] === '\r' && text[at + 1] !== '\n');
    if (isEnd) [line, start] = [line + 1, at + 1];
  }
  return { line, character: offset - start };
}

/** No position lies between CR and LF. */
const place = (text: string, at: number): number =>
  text[at - 1] === '\r' && text[at] === '\n' ? at - 1 : at;

const PIECES = [
  ...['a', '🎌', '\ud83c', '\udf8c', 'é', '\r\n', '\n', '\r', '- [ ] New 🆔 k3f9-9\n', '---\n'],
  ...['⛔ k3f9-1', '<<<<<<< ours\n', '[owner:: me] ', '\u2028', ''],
];

const edit = fc.record({
  from: fc.double({ min: 0, max: 1, noNaN: true }),
  length: fc.integer({ min: 0, max: 12 }),
  text: fc.array(fc.constantFrom(...PIECES), { maxLength: 3 }).map((parts) => parts.join('')),
});

it('[LSP12] after 5,000 edits in UTF-16 positions the text is the text, and can be read', () => {
  let edits = 0;
  const endings = ['\n', '\r\n', '\r'].map((end) => SAMPLE.replaceAll('\n', end));
  fc.assert(
    fc.property(
      fc.constantFrom(...endings),
      fc.array(edit, { minLength: 50, maxLength: 50 }),
      (first, list) => {
        const notes = new OpenNotes(16 * 1024 * 1024);
        const languageId = 'markdown';
        notes.add({ textDocument: { uri: URI, languageId, version: 0, text: first } });
        let text = first;
        for (const [at, { from, length, text: put }] of list.entries()) {
          const start = place(text, Math.floor(from * text.length));
          const end = place(text, Math.min(text.length, start + length));
          const contentChanges: TextDocumentContentChangeEvent[] = [
            { range: { start: position(text, start), end: position(text, end) }, text: put },
          ];
          text = text.slice(0, start) + put + text.slice(end);
          if (at % 7 === 0) {
            // Several changes at once: each applies to the result of the one before.
            const last = place(text, text.length);
            const range = { start: position(text, last), end: position(text, last) };
            contentChanges.push({ range, text: '🎌' });
            text = `${text.slice(0, last)}🎌${text.slice(last)}`;
          }
          notes.update({ textDocument: { uri: URI, version: at + 1 }, contentChanges });
          edits += contentChanges.length;
          const open = notes.get(URI);
          expect(open?.text).toBe(text);
          expect(open?.version).toBe(at + 1);
        }
        const open = notes.get(URI);
        expect(open?.note?.text ?? text).toBe(text);
        // Applying our edits leads back to the first text as well.
        expect(applyEdits(text, open?.editsTo(first) ?? [])).toBe(first);
      },
    ),
    { numRuns: 100 },
  );
  expect(edits).toBeGreaterThanOrEqual(5_000);
});
