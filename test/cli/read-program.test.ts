import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { READ_COMMANDS } from '../../src/cli/read-boards';
import { COMMANDS } from '../../src/cli/whole-program';

test('[CLI43] the program of reads has the commands that main.ts starts it for, and the whole one all', () => {
  const started = /READS = \[(.*?)\]/.exec(readFileSync('src/cli/main.ts', 'utf8'))?.[1] ?? '';
  const names = READ_COMMANDS.map(({ name }) => name);
  expect(started.split(', ').map((name) => name.slice(1, -1))).toEqual(names);
  expect([...COMMANDS.byName.keys()].slice(0, names.length)).toEqual(names);
  expect(readFileSync('dist/read-program.js').length).toBeLessThan(450_000);
});
