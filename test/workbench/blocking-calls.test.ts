import type * as Fs from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { startRig, type Rig } from './workbench-rig';

let rig: Rig;
afterEach(() => rig.close());

it('[WB28] a blocking call answers before anything else runs, also a long one, and fails when the server is gone', async () => {
  const text = 'Zwölf Boxkämpfer. '.repeat(200_000);
  rig = await startRig({ 'Long.md': text });
  const page = await rig.open();
  await page.evaluate((vault) => {
    const fs = window.fixtureModules.require('node:fs') as unknown as typeof Fs;
    const read = () => {
      try {
        return fs.readFileSync(`${vault}/Long.md`, 'utf8').length;
      } catch (error) {
        return (error as NodeJS.ErrnoException).code;
      }
    };
    Object.assign(window, { read, fs });
  }, rig.vault);
  const run = <T>(code: string) => page.evaluate<T>(code);
  const order = `(() => { const seen = []; queueMicrotask(() => seen.push('later'));
    seen.push(read()); return seen; })()`;
  expect(await run(order)).toEqual([text.length]);
  const missing = join(rig.vault, 'New.md');
  await run(`fs.linkSync('${join(rig.vault, 'Long.md')}', '${missing}')`);
  expect(await readFile(missing, 'utf8')).toBe(text);
  await rig.workbench.close();
  expect(await run('read()')).toBe('EIO');
});
