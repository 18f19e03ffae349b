import { describe, expect, test } from 'vitest';
import { contextUse, tokensIn } from '../../src/core/context/context-use';
import type { Block, TokenUse } from '../../src/core/session/transcript/transcript';

const prompt = (at: number, text: string): Block => ({
  ...{ kind: 'prompt', id: `p${at}`, messageId: `m${at}` },
  ...{ at, text },
});
const said = (at: number, text: string): Block => ({
  ...{ kind: 'text', id: `t${at}`, messageId: `m${at}` },
  ...{ at, text, live: false },
});
const call = (at: number, tool: string, output: string): Block => ({
  ...{ kind: 'tool', id: `c${at}`, tool, status: 'completed' },
  ...{ at, ended: at, output },
});
const compacted = (at: number, summary: string): Block => ({
  ...{ kind: 'compacted', id: `s${at}`, at, summary },
});
const words = (tokens: number) => 'abc'.repeat(tokens);
const told = (more: Partial<TokenUse>): TokenUse => ({ input: 0, output: 0, at: 5, ...more });

describe('tokens of a text', () => {
  test.each([
    ['nothing', '', 0],
    ['four letters are one, and a third more', 'abcd', 2],
    ['of letters', 'a'.repeat(300), 100],
    ['Japanese letters count whole, and a third more', '今日は'.repeat(100), 400],
    ['of both', `${'a'.repeat(300)}${'日'.repeat(3)}`, 104],
  ])('[CTX1] %s', (_, text, tokens) => {
    expect(tokensIn(text)).toBe(tokens);
  });
});

describe('how full a context is', () => {
  test('[CTX2] is what the newest answer told and an estimate of what came since', () => {
    const blocks = [prompt(1, words(100)), said(3, words(50)), prompt(6, words(40))];
    const tokens = told({ context: 1_000, limit: 2_000 });
    const use = contextUse({ blocks, tokens }, { next: words(60) });
    expect(use).toMatchObject({ used: 1_100, limit: 2_000, reserve: 0, share: 0.55 });
  });

  test('[CTX2] counts the output of a call by when it ended', () => {
    const late: Block = { ...call(4, 'bash', words(30)), ...{ ended: 6 } };
    const use = contextUse({
      blocks: [call(3, 'bash', words(9)), late],
      tokens: told({ context: 500 }),
    });
    expect(use.used).toBe(530);
  });

  test('[CTX3] its parts are estimated, and the rest is the system prompt and the tools', () => {
    const blocks = [
      prompt(1, words(100)),
      call(2, 'read', words(200)),
      call(2, 'obsidian_read_note', words(10)),
      call(2, 'bash', words(40)),
      said(3, words(50)),
    ];
    const use = contextUse(
      { blocks, tokens: told({ context: 1_000 }) },
      { instructions: words(20), skills: words(10), board: words(25) },
    );
    expect(use.parts).toEqual({
      system: 545,
      instructions: 20,
      skills: 10,
      board: 25,
      notes: 210,
      tools: 40,
      conversation: 150,
    });
    expect(use.share).toBeUndefined();
  });

  test('[CTX3] an estimate above what was told shrinks, and the sum of the parts is what is used', () => {
    const blocks = [prompt(1, words(300)), call(2, 'read', words(100))];
    const { used, parts } = contextUse({ blocks, tokens: told({ context: 200 }) });
    expect([used, parts]).toEqual([
      200,
      { system: 0, instructions: 0, skills: 0, board: 0, notes: 50, tools: 0, conversation: 150 },
    ]);
  });

  test('[CTX3] what was said before a compaction fills nothing', () => {
    const blocks = [prompt(1, words(900)), compacted(6, words(20)), prompt(7, words(10))];
    const { used, parts } = contextUse({ blocks, tokens: told({ context: 20 }) });
    expect([used, parts.conversation]).toEqual([30, 30]);
  });

  test('[CTX3] right after a compaction only the summary is counted, until the next answer', () => {
    const blocks = [compacted(6, words(20)), prompt(7, words(10))];
    const tokens = told({ context: 20, summary: true });
    const use = contextUse({ blocks, tokens }, { board: words(30), skills: words(40) });
    expect(use).toMatchObject({ used: 30, summaryOnly: true });
    expect(use.parts).toMatchObject({ system: 0, skills: 0, board: 0, conversation: 30 });
  });

  test('[CTX2] what is kept for the answer does not count as room', () => {
    const tokens = told({ context: 680, limit: 1_000, reserve: 200 });
    expect(contextUse({ blocks: [], tokens }).share).toBe(0.85);
    const odd = told({ context: 5, limit: 10, reserve: 10 });
    expect(contextUse({ blocks: [], tokens: odd }).share).toBe(5);
  });

  test('[CTX2] nothing that was told: all of it is an estimate', () => {
    const blocks = [prompt(1, words(10)), said(2, words(5))];
    const use = contextUse({ blocks });
    expect(use).toMatchObject({ used: 15, parts: { system: 0, conversation: 15 } });
    expect(use.limit).toBeUndefined();
  });
});
