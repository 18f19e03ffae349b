import { afterEach, expect, test, vi } from 'vitest';
import { byteLength, utf8Bytes } from '../../src/core/board/answer/text-budget';
import { quoted, shortened } from '../../src/core/board/find-task';
import { inProcessCli } from '../cli/in-process-cli';

const cli = inProcessCli();

afterEach(() => vi.restoreAllMocks());

test('[CLI48] of a long title the beginning alone is taken apart, and its bytes are counted, not made', () => {
  const title = 'é😀 word'.repeat(200_000);
  const expected = Buffer.byteLength(title);
  const apart: number[] = [];
  const iterate = String.prototype[Symbol.iterator];
  vi.spyOn(String.prototype, Symbol.iterator).mockImplementation(function (this: string) {
    apart.push(this.length);
    return iterate.call(this);
  });
  const found = [byteLength(title), shortened(title, 10), quoted(title).length];
  vi.restoreAllMocks();
  expect(found.slice(0, 2)).toEqual([expected, 'é😀 wordé😀…']);
  expect(Math.max(0, ...apart)).toBeLessThan(1_000);
});

test('[CLI48] bytes are counted as they are made, and what is short enough stays whole', () => {
  for (const text of [
    '',
    'a',
    'é',
    '€',
    '😀',
    'a\u00e9\u20ac\u{1f600}z',
    '\u07ff\u0800\ud7ff\ue000',
  ]) {
    expect([text, byteLength(text)]).toEqual([text, utf8Bytes(text).length]);
  }
  expect(shortened('😀'.repeat(5), 5)).toBe('😀'.repeat(5));
  expect(shortened('😀'.repeat(6), 5)).toBe(`${'😀'.repeat(4)}…`);
});

test('[CLI48] a board with such a title is listed and added to, and keeps its text', async () => {
  await cli.runAsAgent('add', 'A');
  const title = 'word and (more) text '.repeat(20_000).trim();
  await cli.write(cli.board(), (await cli.read(cli.board())).replace('] A', `] ${title}`));
  expect((await cli.runAsAgent('list')).out).toContain(title);
  expect((await cli.runAsAgent('add', 'B')).code).toBe(0);
  expect(await cli.read(cli.board())).toContain(`- [ ] ${title}`);
});
