import { afterEach, expect, test, vi } from 'vitest';
import { replacingNotify } from '../../src/obsidian/board/board-actions';
import { copyButton, tryOrNotify, type NoticeButton } from '../../src/obsidian/ui/notify';

afterEach(() => void vi.unstubAllGlobals());

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

test('[PLUGIN123] a text that was not sent can be copied, from the window that has the focus, until that worked', async () => {
  const shown: string[] = [];
  let button: NoticeButton | undefined;
  const tell = (message: string, one?: NoticeButton) => {
    shown.push(message);
    button = one;
  };
  const copied: string[] = [];
  let refuses = true;
  const writeText = (text: string) => {
    if (refuses) return Promise.reject(new DOMException('Not focused', 'NotAllowedError'));
    copied.push(text);
    return Promise.resolve();
  };
  vi.stubGlobal('activeWindow', { navigator: { clipboard: { writeText } } });
  const sent = Promise.reject(new Error('Not connected.'));
  await tryOrNotify(tell, 'It was not sent.', sent, copyButton('my words', tell));
  const press = async () => {
    const told = shown.length;
    button?.onClick();
    await vi.waitUntil(() => shown.length > told);
  };
  await press();
  refuses = false;
  await press();
  expect(shown).toEqual([
    'It was not sent. Not connected.',
    'It was not copied: the app has no access to the clipboard.',
    'Copied.',
  ]);
  expect(copied).toEqual(['my words']);
});
