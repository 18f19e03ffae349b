import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const VIEWS = join(import.meta.dirname, '../../src/obsidian');

/** Files that may use `useEffect`: each says why it has to run after the frame. */
const AFTER_THE_FRAME = ['ui/armed.ts'];

test('[ARCH11] effects of views run with what was drawn; after the frame is too late for the next key', () => {
  const files = readdirSync(VIEWS, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\.tsx?$/.test(name),
  );
  const late = files.filter((name) =>
    /\buseEffect\b/.test(readFileSync(join(VIEWS, name), 'utf8')),
  );
  expect(files.length).toBeGreaterThan(100);
  expect(late.map((name) => name.replaceAll('\\', '/'))).toEqual(AFTER_THE_FRAME);
});
