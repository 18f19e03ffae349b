import { afterEach, describe, expect, test } from 'vitest';
import { startModel } from '../bridge/model';
import { requestsOf } from '../bridge/opencode-steps';
import { TestClient } from '../bridge/test-client';
import { startEndpoint } from '../workbench/model-endpoint';
import { serveOn } from './served-model';

const AGENT = (model: string): string =>
  `---\ndescription: Has a model\nmode: all\nmodel: ${model}\n---\nHelp.\n`;

let close: (() => Promise<void>) | undefined;
afterEach(async () => {
  await close?.();
  close = undefined;
});

async function serve() {
  const run = await serveOn(await startModel(['first', 'set', 'chosen', 'other']), {
    args: ['--model', 'set'],
    files: {
      '.opencode/agents/own.md': AGENT('own/of-the-agent'),
      '.opencode/agents/foreign.md': AGENT('openai/gpt'),
    },
  });
  close = () => run.close();
  return run;
}

describe('which model answers', () => {
  test('[ENGINE17] the one of the prompt, else of the session, else of the agent, else the one that is set', async () => {
    const run = await serve();
    const client = await TestClient.connect(run.runFile, ['permissions']);
    const asked = async (agent: string, model?: string, ofPrompt?: string) => {
      const title = `${agent} ${model} ${ofPrompt}`;
      const sessionId = await client.start(title, { agent, ...(model && { model }) });
      const payload = { text: 'go', ...(ofPrompt && { model: ofPrompt }) };
      client.send({ type: 'session.message', sessionId, payload });
      await client.next('turn.end', (end) => end.sessionId === sessionId);
      return requestsOf(run, sessionId)[0]?.model;
    };
    expect(await asked('build')).toBe('set');
    expect(await asked('foreign')).toBe('set');
    expect(await asked('own')).toBe('of-the-agent');
    expect(await asked('own', 'own/chosen')).toBe('chosen');
    expect(await asked('own', 'own/chosen', 'own/other')).toBe('other');
    await client.close();
  });

  test('[ENGINE17] a subagent has its own model, else that of its caller', async () => {
    const run = await serve();
    const client = await TestClient.connect(run.runFile, ['permissions']);
    const sessionId = await client.start('Delegates', { model: 'own/chosen' });
    const start = (agent: string) => ({
      name: 'task',
      args: { description: 'Look', prompt: 'Look', subagent_type: agent },
    });
    run.model.play(sessionId, { tools: [start('own')] }, { tools: [start('general')] }, {});
    await client.prompt(sessionId, 'go');
    const children = run.model.requests.filter(({ parentId }) => parentId === sessionId);
    expect(children.map(({ model }) => model)).toEqual(['of-the-agent', 'chosen']);
    await client.close();
  });

  test('[ENGINE16] while the model is to be asked again, the session says why and when', async () => {
    const run = await serve();
    const client = await TestClient.connect(run.runFile, ['permissions']);
    const sessionId = await client.start('Again');
    run.model.play(sessionId, { status: 503 }, { text: 'now' });
    const end = client.prompt(sessionId, 'go');
    const retry = await client.next('progress.update', ({ payload }) => payload.kind === 'retry');
    expect(retry.payload).toMatchObject({ kind: 'retry', attempt: 1 });
    expect(JSON.stringify(retry.payload)).toContain('is overloaded or has a fault (status 503)');
    expect((await end).payload.reason).toBe('completed');
    // The session is reported idle after the end of its turn.
    await expect
      .poll(() => {
        const kinds = client.ofType('progress.update').map(({ payload }) => payload.kind);
        return kinds.slice(kinds.indexOf('retry'));
      })
      .toEqual(['retry', 'busy', 'tokens', 'idle']);
    run.model.play(sessionId, ...Array.from({ length: 6 }, () => ({ status: 503 })));
    client.send({ type: 'session.message', sessionId, payload: { text: 'again' } });
    // At the 4th attempt the wait is long enough for another client to join.
    await client.next(
      'progress.update',
      ({ payload }) => payload.kind === 'retry' && payload.attempt === 4,
    );
    const late = await TestClient.connect(run.runFile, []);
    const [welcome] = late.ofType('welcome');
    expect(welcome?.payload.sessions.find(({ id }) => id === sessionId)?.status).toBe('retry');
    client.send({ type: 'session.interrupt', sessionId, payload: {} });
    await client.next('turn.end', ({ payload }) => payload.reason === 'interrupted');
    await late.close();
    await client.close();
  });
});

describe('the start of serve', () => {
  test('[ENGINE18] a key that is refused, or missing, is said with what to do, and nothing is served', async () => {
    const endpoint = await startEndpoint('sk-right');
    close = () => endpoint.close();
    const env = { AGENT_BOARDS_KEY: 'sk-wrong-0123456789' };
    const refused = serveOn(endpoint, { env });
    await expect(refused).rejects.toThrow(
      /refuses the key \(status 401\)\. Check it.*AGENT_BOARDS_KEY/s,
    );
    await expect(refused).rejects.not.toThrow(/sk-wrong-0123456789/);
    await expect(serveOn(endpoint)).rejects.toThrow(/wants a key\..*AGENT_BOARDS_KEY/s);
  });

  test('[ENGINE18] a model that the provider does not list is warned of', async () => {
    const run = await serveOn(await startEndpoint(), { args: ['--model', 'gone'] });
    close = () => run.close();
    expect(run.said()).toMatch(/does not list “gone”, only qwen3, small\.\n$/);
  });

  test('[ENGINE18] an endpoint that can’t be reached is warned of, and sessions are served', async () => {
    const endpoint = await startEndpoint();
    await endpoint.close();
    const run = await serveOn(endpoint);
    close = () => run.close();
    expect(run.said()).toMatch(
      /Nothing listens at 127\.0\.0\.1:.*Sessions are served all the same/s,
    );
    const client = await TestClient.connect(run.runFile, []);
    await client.close();
  });
});
