// Swaps a folder of a vault for a link to the outside and back, as fast as the system can.
import { lstatSync, renameSync, symlinkSync } from 'node:fs';

const [name = '', way = ''] = process.argv.slice(2);
const [aside, link] = [`${name}-aside`, `${name}-link`];
let made = 0;

/** Moves the folder away and the link to its name, then back. In between the name doesn't exist. */
function swapFolder(): void {
  move(name, aside);
  move(link, name);
  move(name, link);
  move(aside, name);
}

/** Renames. The program under test may have created a folder while the name was free. */
function move(from: string, to: string): void {
  for (;;) {
    try {
      renameSync(from, to);
      return;
    } catch (error) {
      if (lstatSync(to, { throwIfNoEntry: false })?.isDirectory() !== true) throw error;
      renameSync(to, `${to}-made-${(made += 1)}`);
    }
  }
}

/** The name is always a link, in turn to the folder inside and to the one outside. */
function swapLink(): void {
  for (const target of [link, aside]) {
    symlinkSync(target, `${name}-next`);
    renameSync(`${name}-next`, name);
  }
}

if (way === 'link') {
  renameSync(name, aside);
  symlinkSync(aside, name);
}
const swap = way === 'link' ? swapLink : swapFolder;
let swaps = 0;
let ended = false;
process.on('message', () => (ended = true));

function turn(): void {
  for (let n = 0; n < 100; n += 1) swap();
  swaps += 100;
  if (ended) process.send?.({ swaps }, () => process.disconnect());
  else setImmediate(turn);
}

process.send?.({ swaps });
turn();
