// Appends task lines to a note without taking our lock, in one of the ways that other programs do.
import { execFile } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { appendFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';

const [note = '', way = '', name = '', count = '0'] = process.argv.slice(2);
const shell = promisify(execFile);

/** Lines appended per shell process; the shell opens and closes the file for each. */
const IN_ONE_SHELL = 4;
const SCRIPT = 'for line; do printf "%s\\n" "$line" >> "$0"; done';
/** Longest pause between two lines, in ms, so that the writers get their turn. */
const LONGEST_PAUSE = 20;

const lines = Array.from({ length: Number(count) }, (_, n) => `- [ ] ${name}-${n + 1}`);
const atOnce = way === 'shell' ? IN_ONE_SHELL : 1;
for (let at = 0; at < lines.length; at += atOnce) {
  const some = lines.slice(at, at + atOnce);
  if (way === 'shell') await shell('sh', ['-c', SCRIPT, note, ...some]);
  else if (way === 'promise') await appendFile(note, `${some.join('')}\n`);
  else appendFileSync(note, `${some.join('')}\n`);
  await pause(Math.random() * LONGEST_PAUSE * atOnce);
}
