import { describe, expect, test } from 'vitest';
import { readHistory } from '../../src/bridge/opencode/history';
import { OpencodeApi } from '../../src/bridge/opencode/opencode-api';
import {
  readRunPrompt,
  runPrompt,
  simpleConcatenation,
  structuredTemplate,
} from '../../src/core/orchestrator/run-prompt';
import { MAX_FRAME_BYTES } from '../../src/protocol/frame-limits';
import { board, task } from '../orchestrator/plan-board';

/** The pages in which a session's messages are sent. */
function pagesOf(messages: readonly { role: string; text: string }[]) {
  const body = messages.map(({ role, text }, at) => ({
    info: { id: `msg_${at}`, role, time: { created: at } },
    parts: [{ id: `prt_${at}`, type: 'text', text }],
  }));
  const api = new OpencodeApi(() => Promise.resolve({ status: 200, body }), '/v');
  return readHistory(api, { sessionId: 'ses_1', payload: { limit: 100 } });
}

/** The text of the only message sent. */
async function told(role: string, text: string): Promise<string> {
  const [[message] = []] = await pagesOf([{ role, text }]);
  const [part] = message?.parts ?? [];
  return part?.kind === 'text' ? part.text : '';
}

describe('texts of a history', () => {
  test.each([
    ['under headings', structuredTemplate],
    ['one after another', simpleConcatenation],
  ] as const)('[BRIDGE94] a long prompt of a run, %s, is known as one', async (_, by) => {
    const work = { role: 'work', task: 'k3f9-1', attempt: 2, wrong: null } as const;
    const one = task(1, { title: 'Write the guide', body: ['word '.repeat(1_600)] });
    const prompt = runPrompt(work, 'goal '.repeat(4_000), board([one]), by);
    if (!prompt.ok) throw new Error(prompt.message);
    expect(prompt.text.length).toBeGreaterThan(28_000);
    const seen = readRunPrompt(await told('user', prompt.text));
    expect(seen).toEqual({ role: 'work', task: 'Write the guide', attempt: 2 });
  });

  test('[BRIDGE94] a prompt keeps its beginning and its end, an answer its beginning', async () => {
    const long = `first ${'x'.repeat(100_000)} last`;
    const prompt = await told('user', long);
    expect(prompt).toHaveLength(32_768);
    expect(prompt).toMatch(/^first x+\n…\nx+ last$/);
    const answer = await told('assistant', long);
    expect(answer).toHaveLength(8_193);
    expect(answer).toMatch(/^first x+…$/);
  });

  test('[BRIDGE94] each page of long prompts stays within a frame, in order', async () => {
    const many = Array.from({ length: 40 }, (_, at) => ({
      ...{ role: 'user', text: `${at} ${'\u0001'.repeat(40_000)}` },
    }));
    const pages = await pagesOf(many);
    for (const page of pages) {
      expect(Buffer.byteLength(JSON.stringify(page))).toBeLessThan(MAX_FRAME_BYTES);
    }
    expect(pages.flat().map(({ messageId }) => messageId)).toEqual(
      many.map((_, at) => `msg_${at}`),
    );
  });
});
