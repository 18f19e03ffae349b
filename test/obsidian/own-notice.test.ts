import { expect, test } from 'vitest';
import { replacingNotify } from '../../src/obsidian/board/board-actions';

test('[PLUGIN66] a notice takes the place of the one before it, but for one that stays', () => {
  let shown: string[] = [];
  const tell = replacingNotify((message) => {
    shown.push(message);
    return () => void (shown = shown.filter((one) => one !== message));
  });
  tell('Added.');
  tell('Renamed.');
  expect(shown).toEqual(['Renamed.']);
  tell('You typed “x”.', { label: 'Copy', onClick: () => undefined, stays: true });
  tell('Moved.');
  tell('Added.');
  expect(shown).toEqual(['You typed “x”.', 'Added.']);
});
