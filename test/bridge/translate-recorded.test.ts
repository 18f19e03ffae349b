import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readEvent } from '../../src/bridge/opencode/opencode-event';
import { Translator } from '../../src/bridge/opencode/translator';
import { decodeFromBridge, encode } from '../../src/protocol/codec';
import { stamp } from '../../src/protocol/envelope';
import type { FromDraft } from '../../src/core/engine/engine';

const corpus = join(import.meta.dirname, '../corpus/opencode');
const events = readFileSync(join(corpus, 'events-1.18.33.jsonl'), 'utf8')
  .trimEnd()
  .split('\n')
  .map((line): unknown => JSON.parse(line));

function translated(): FromDraft[] {
  const translator = new Translator(() => undefined);
  return events.flatMap((event) => {
    const known = readEvent(event);
    return known ? translator.translate(known) : [];
  });
}

const drafts = translated();
const ROOT = 'ses_e03cad1b6ffeT1i8eheubC04pt';
const CHILD = 'ses_e03cac8c9ffen5CPTbpMJxrHo2';

function ends(session: string) {
  return drafts.flatMap((draft) =>
    draft.type === 'turn.end' && draft.sessionId === session ? [draft.payload] : [],
  );
}

describe('a recorded run of OpenCode 1.18.33', () => {
  test('[BRIDGE1] each message is what the golden file says, in order', async () => {
    const lines = drafts.map(line).join('\n');
    await expect(`${lines}\n`).toMatchFileSnapshot(join(corpus, 'messages-1.18.33.txt'));
  });

  test('[BRIDGE1] every message fits the protocol', () => {
    expect(drafts.length).toBeGreaterThan(150);
    const refused = drafts
      .map((draft, index) => decodeFromBridge(encode(stamp(draft, `b${index}`, 1))))
      .filter((decoded) => !decoded.ok);
    expect(refused).toEqual([]);
  });

  test('[BRIDGE2] each of the 15 prompts ends exactly once, for the reason it ended', () => {
    expect(ends(ROOT).map((end) => [end.messageId?.slice(-6), end.reason])).toEqual([
      ['vgfOmn', 'completed'],
      ['gN0Bx0', 'completed'],
      ['EMkBit', 'completed'],
      ['TSle0Q', 'completed'],
      ['RpTbhp', 'completed'],
      ['Go5a8p', 'completed'],
      ['YJvlF4', 'completed'],
      ['d9Ge5m', 'interrupted'],
      ['0Iprea', 'interrupted'],
      ['qukXsh', 'interrupted'],
      ['wto3qY', 'completed'],
      ['3L6vxF', 'error'],
      ['gqY9g2', 'completed'],
      ['gdbJEU', 'completed'],
      ['XQ5qOW', 'completed'],
    ]);
    expect(ends(CHILD).map((end) => [end.messageId?.slice(-6), end.reason])).toEqual([
      ['rDpB3X', 'completed'],
    ]);
  });

  test('[BRIDGE2] a turn that the provider refused says why', () => {
    expect(ends(ROOT)[11]?.error).toEqual({ code: 'APIError', message: 'scripted bad request' });
  });

  test('[BRIDGE3] the words of a part add up to its whole text, of thinking too', () => {
    const sums = new Map<string, string>();
    const finals = { text: 0, thinking: 0 };
    for (const draft of drafts) {
      if (draft.type === 'stream.token' || draft.type === 'stream.thinking') {
        const { partId, delta } = draft.payload;
        sums.set(partId, (sums.get(partId) ?? '') + delta);
      }
      if (draft.type !== 'message.final' || draft.payload.role === 'user') continue;
      finals[draft.payload.kind ?? 'text']++;
      expect(sums.get(draft.payload.partId)).toBe(draft.payload.text);
    }
    expect(finals).toEqual({ text: 12, thinking: 1 });
  });

  test('[BRIDGE8] each prompt is told, with whom it was for; a compaction is none', () => {
    const prompts = drafts.flatMap((draft) =>
      draft.type === 'message.final' && draft.payload.role === 'user' ? [draft] : [],
    );
    expect(prompts.map(({ payload: { text } }) => text)).toEqual([
      '[script:board] go',
      '[script:perm] go',
      '[script:del] go',
      '[script:del] again',
      '[script:child] go',
      '[script:childwork] look',
      '[script:bad] go',
      '[script:fails] go',
      '[script:slow] go',
      '[script:hang] go',
      '[script:hang] again',
      '[script:steady] right after',
      '[script:http400] go',
      '[script:plain] go',
      '[script:plain] after compaction',
    ]);
    const [child] = prompts.filter(({ sessionId }) => sessionId === CHILD);
    expect(child?.payload).toMatchObject({ agent: 'general', model: 'fake/fake-1' });
  });

  test('[BRIDGE3] thinking is told apart from text, and prompts and summaries are neither', () => {
    const text = (type: string): string =>
      drafts.flatMap((draft) => (draft.type === type ? [draftDelta(draft)] : [])).join('');
    expect(text('stream.thinking')).toBe('I should put up a board first.');
    expect(text('stream.token')).not.toContain('[script:');
    expect(text('stream.token')).not.toContain('Fake summary');
    expect(text('stream.token')).toContain('All set: the board is up.');
  });
});

function draftDelta(draft: FromDraft): string {
  return draft.type === 'stream.token' || draft.type === 'stream.thinking'
    ? draft.payload.delta
    : '';
}

/** One message as a readable line. */
function line(draft: FromDraft): string {
  const who = draft.sessionId === CHILD ? 'child' : draft.sessionId === ROOT ? 'root ' : '-    ';
  const short = JSON.stringify(draft.payload).replaceAll(
    /\b((?:msg|prt|per|ses)_)\w*(\w{6})\b/g,
    '$1$2',
  );
  return `${who} ${draft.type} ${short}`;
}
