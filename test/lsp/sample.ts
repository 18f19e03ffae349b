import { applySplices } from '../../src/core/board/note/edit-result';
import { OpenNotes, type NoteContext, type OpenNote } from '../../src/lsp/open-notes';
import { parseNote } from '../../src/core/board/note/parse-note';
import { TextDocument } from 'vscode-languageserver-textdocument';
import type { TextEdit } from 'vscode-languageserver-protocol';

export const HEADER = `---
board: 1
session: s1
agent: build
title: Search
prefix: k3f9
next: 8
rev: 4
archived: 7
---
`;

/** A board with everything that the server reports to an editor. */
export const SAMPLE = `${HEADER}
# Search

## Groundwork

- [x] Choose the tokeniser 🆔 k3f9-1 ✅ 2026-11-20 ^k3f9-1
- [/] Build the index [owner:: explore] 🆔 k3f9-2 ⛔ k3f9-1 ⏫ ^k3f9-2
	Result: half of it.
	- [ ] Segment 🎌 text 🆔 k3f9-3 ^k3f9-3
- [ ] Write the guide 🆔 k3f9-5 ⛔ k3f9-2,k3f9-3 ^k3f9-5

## Release

- [ ] Publish 🆔 k3f9-6 ⛔ k3f9-5, k3f9-7 ^k3f9-6
- [ ] no id yet, see #2 and [[build-tasks#^k3f9-3]]
`;

export const URI = 'file:///v/.opencode/todos/s1/build-tasks.md';
export const TODAY = '2026-11-27';

export function openNote(text: string, place?: Partial<NoteContext>, uri = URI): OpenNote {
  const notes = new OpenNotes(16 * 1024 * 1024);
  notes.add({ textDocument: { uri, languageId: 'markdown', version: 1, text } });
  if (place !== undefined) notes.setContext(uri, { ...PLACE, ...place });
  const note = notes.get(uri);
  if (note === undefined) throw new Error('The note is not open.');
  return note;
}

const PLACE: NoteContext = {
  path: '.opencode/todos/s1/build-tasks.md',
  isBoard: true,
  archive: undefined,
  agents: () => Promise.resolve(['build', 'plan']),
};

/** The archive of that board, with task 7. */
export const ARCHIVE = {
  uri: 'file:///v/.opencode/todos/s1/build-tasks.archive.md',
  note: parseNote(
    '.opencode/todos/s1/build-tasks.archive.md',
    `${HEADER.replace('archived: 7\n', '')}\n# Search, archive\n\n- [x] Sign it 🆔 k3f9-7 ^k3f9-7\n`,
  ),
};

/** Position of the first occurrence of these words, plus `behind` characters. */
export function positionOf(text: string, words: string, behind = 0) {
  const at = text.indexOf(words);
  if (at < 0) throw new Error(`No ${words}.`);
  return TextDocument.create('', '', 0, text).positionAt(at + behind);
}

/** The text after edits, applied as an editor does. */
export function applyEdits(text: string, edits: readonly TextEdit[]): string {
  const document = TextDocument.create('', '', 0, text);
  const splices = edits.map(({ range, newText }) => ({
    from: document.offsetAt(range.start),
    to: document.offsetAt(range.end),
    text: newText,
  }));
  return applySplices(text, splices);
}

/** The lines that differ, as they are afterwards. */
export function newLines(before: string, after: string): readonly string[] {
  const old = new Set(before.split(/\r?\n/));
  return after.split(/\r?\n/).filter((line) => !old.has(line));
}
