import { describe, expect, test } from 'vitest';
import { insertBelow } from '../../workbench/demo/edit-note';

describe('typing below a line', () => {
  test('[DEMO8] puts the raw lines there and changes nothing else', () => {
    expect(insertBelow('a\nb\nc\n', 2, '  x ^y\n- [ ] z')).toBe('a\nb\n  x ^y\n- [ ] z\nc\n');
  });

  test('[DEMO8] keeps the line ends of the note', () => {
    expect(insertBelow('a\r\nb\r\n', 1, 'x\ny')).toBe('a\r\nx\r\ny\r\nb\r\n');
  });

  test('[DEMO8] below a last line without an end it begins a new line', () => {
    expect(insertBelow('a\nb', 2, 'x')).toBe('a\nb\nx');
  });
});
