import { rename, readFile, writeFile } from 'node:fs/promises';

/** Inserts raw lines below a line of a note, as a person in any editor would; changes nothing else. */
export async function typeBelow(file: string, line: number, text: string): Promise<void> {
  const note = await readFile(file, 'utf8');
  const draft = `${file}.typed`;
  await writeFile(draft, insertBelow(note, line, text));
  await rename(draft, file);
}

/** @param line 1-based */
export function insertBelow(note: string, line: number, text: string): string {
  const end = note.includes('\r\n') ? '\r\n' : '\n';
  const typed = text.split(/\r\n|\n/).join(end);
  let at = 0;
  for (let passed = 0; passed < line; passed += 1) {
    const next = note.indexOf('\n', at);
    if (next < 0) return `${note}${end}${typed}`;
    at = next + 1;
  }
  return `${note.slice(0, at)}${typed}${end}${note.slice(at)}`;
}
