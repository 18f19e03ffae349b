import { expect, test } from 'vitest';
import { jsonSize } from '../../src/core/tool/tool-host';
import { fc } from '../seeded';

test('[LINK22] a size is never less than what is written, before escapes', () => {
  const numbers = fc.oneof(fc.double(), fc.maxSafeInteger());
  const plain = fc.string({ unit: fc.constantFrom('a', 'ä', '漢', '🙂') });
  const value = fc.anything({ values: [plain, numbers, fc.boolean()], key: plain, maxDepth: 4 });
  let nested = 0;
  fc.assert(
    fc.property(value, (made) => {
      const written = JSON.stringify(made) as string | undefined;
      if (written === undefined) return;
      if (/[[{].*[[{]/.test(written)) nested++;
      expect(jsonSize(made)).toBeGreaterThanOrEqual(written.length);
    }),
  );
  expect(nested).toBeGreaterThan(10);
});

test('[LINK22] a unit comes to six bytes at most', () => {
  const text = '\u0000"\\\ud800漢'.repeat(10);
  const bytes = Buffer.byteLength(JSON.stringify({ [text]: [text] }));
  expect(jsonSize({ [text]: [text] }) * 6).toBeGreaterThanOrEqual(bytes);
  expect(jsonSize('x'.repeat(1000))).toBe(1002);
});
