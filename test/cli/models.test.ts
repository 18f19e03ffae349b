import { afterEach, describe, expect, test } from 'vitest';
import { startModelServer, type ModelServer } from '../model/model-server';
import { inProcessCli } from './in-process-cli';

const here = inProcessCli();

const KEY = 'sk-canary-0123456789abcdef';

const servers: ModelServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

async function serverOf(status: number, body: unknown): Promise<ModelServer> {
  const server = await startModelServer();
  servers.push(server);
  server.answer({ status, body: JSON.stringify(body) });
  return server;
}

const models = (...args: string[]) =>
  here.run(['models', ...args], '', { env: { OPENAI_API_KEY: KEY } });

describe('agent-boards models', () => {
  const list = {
    data: [
      { id: 'qwen3', context_length: 40_960 },
      {
        ...{ id: 'x/y', context_length: 200_000, top_provider: { max_completion_tokens: 64_000 } },
        pricing: { prompt: '0.000003', completion: '0.000015' },
      },
      { id: 'small' },
    ],
  };

  test('[MODEL15] lists the models of a provider at its address, with the key of the environment', async () => {
    const { url, requests: asked } = await serverOf(200, list);
    expect(await models('--provider', 'openai', '--url', url)).toEqual({
      code: 0,
      out: [
        'qwen3  40960 tokens of context',
        'x/y  200000 tokens of context  64000 of an answer  $3 and $15 for a million',
        'small',
        '',
      ].join('\n'),
      err: '',
    });
    expect(asked[0]?.headers.authorization).toBe(`Bearer ${KEY}`);
  });

  test('[CLI5] settings of the folder, whatever they are, do not concern it', async () => {
    for (const text of ['{', '\ud800']) {
      await here.write('.opencode/agent-task-boards.json', text);
      expect(await models()).toMatchObject({ code: 0, err: '' });
    }
  });

  test('[MODEL15] the key for any other address is that of serve', async () => {
    const { url, requests: asked } = await serverOf(200, list);
    await here.run(['models', '--url', url], '', { env: { AGENT_BOARDS_KEY: KEY } });
    expect(asked[0]?.headers.authorization).toBe(`Bearer ${KEY}`);
  });

  test('[MODEL15] --url alone is any compatible address, without a key; --json has all that is known', async () => {
    const { url, requests: asked } = await serverOf(200, list);
    const { code, out } = await models('--url', url, '--json');
    expect([code, JSON.parse(out)]).toEqual([
      0,
      {
        ...{ ok: true, provider: 'own' },
        models: [
          { id: 'qwen3', name: 'qwen3', context: 40_960 },
          {
            ...{ id: 'x/y', name: 'x/y', context: 200_000, output: 64_000 },
            price: { input: 3, output: 15 },
          },
          { id: 'small', name: 'small' },
        ],
      },
    ]);
    expect(asked[0]?.headers.authorization).toBeUndefined();
  });

  test('[MODEL15] says what failed and what to do, without the key, and exits with 1', async () => {
    const { url } = await serverOf(401, { error: { message: `Incorrect key ${KEY}` } });
    const words =
      'OpenAI refuses the key (status 401). Check it, and what it may do, or set another in the environment as OPENAI_API_KEY.';
    const plain = await models('--provider', 'openai', '--url', url);
    expect([plain.code, plain.out, plain.err]).toEqual([1, '', `agent-boards: ${words}\n`]);
    const { code, out } = await models('--provider', 'openai', '--url', url, '--json');
    expect([code, JSON.parse(out)]).toEqual([
      1,
      { ok: false, error: { code: 'auth', message: words } },
    ]);
    const none = await models('--provider', 'anthropic');
    expect(none.err).toBe(
      'agent-boards: Anthropic needs a key. Set it in the environment as ANTHROPIC_API_KEY.\n',
    );
  });

  test('[MODEL15] an empty list is said to be one', async () => {
    const { url } = await serverOf(200, { data: [] });
    expect((await models('--provider', 'ollama', '--url', url)).out).toBe(
      'It has no models yet.\n',
    );
  });

  test('[MODEL15] without options lists the providers, and which keys are set but not the keys', async () => {
    const { code, out } = await models();
    expect(code).toBe(0);
    expect(out.split('\n')).toContain(
      'openai     https://api.openai.com/v1  OPENAI_API_KEY is set',
    );
    expect(out.split('\n')).toContain('ollama     http://127.0.0.1:11434/v1  no key');
    expect(out).not.toContain(KEY);
    expect((await models('--provider', 'ms')).code).toBe(2);
  });
});
