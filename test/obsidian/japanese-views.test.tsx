// @vitest-environment happy-dom
import { afterEach, beforeEach, expect, test, vi } from 'vitest';

const NONE = () => undefined;
const root = document.body.appendChild(document.createElement('div'));

beforeEach(() => {
  vi.resetModules();
  vi.doMock('obsidian', async (original) => ({
    ...(await original<object>()),
    getLanguage: () => 'ja',
  }));
});

afterEach(() => {
  root.replaceChildren();
  vi.doUnmock('obsidian');
  vi.resetModules();
});

test.each([
  [
    'It needs a sign-in: "The model is busy or slow."',
    'It needs a sign-in: "The model is busy or slow."',
  ],
  [
    'The model said nothing. Try again, or choose another model.',
    'モデルが何も答えませんでした。もう一度試すか、別のモデルを選んでください。',
  ],
  [
    'The agent ended (exit code 2). no such file or folder',
    'エージェントが終了しました（終了コード2）。 no such file or folder',
  ],
  [
    'The agent wants you to sign in first: type: agent login. Do it in a terminal, then send the prompt again.',
    '先にサインインが必要です: type: agent login。ターミナルでサインインし、プロンプトをもう一度送信してください。',
  ],
  [
    'OpenAI refuses the key (status 401). Check it, and what it may do, or set another in the environment as OPENAI_API_KEY.',
    'OpenAIがキーを拒否しました（ステータス401）。キーとその権限を確認するか、環境変数OPENAI_API_KEYで別のキーを設定してください。',
  ],
])(
  '[LANG7] the end of a turn says why in Japanese; what a model says stays: %s',
  async (message, words) => {
    const { h, render } = await import('preact');
    const { BlockView } = await import('../../src/obsidian/conversation/block-view');
    const block = { kind: 'turn', id: 't', at: 1, reason: 'error', changedTasks: 0 } as const;
    const copied: string[] = [];
    const actions = {
      ...{
        review: NONE,
        allowOnce: NONE,
        connected: () => true,
        tryAgain: NONE,
        openSession: NONE,
      },
      copy: (text: string) => void copied.push(text),
    };
    const view = h(BlockView, {
      ...{ block: { ...block, error: { code: 'auth', message } }, board: undefined, id: 't' },
      ...{ agentName: null, pending: false, last: true, actions, open: true, onToggle: NONE },
    });
    render(view, root);
    expect(root.textContent).toContain(words);
    [...root.querySelectorAll('button')].at(-1)?.click();
    expect(copied).toEqual([`auth: ${message}`]);
  },
);

test('[LANG7] so do a connection that failed, and a pattern that is none', async () => {
  const { h, render } = await import('preact');
  const { ConnectionBanner } = await import('../../src/obsidian/sidebar/empty-state');
  const { RuleForm } = await import('../../src/obsidian/permission/rule-forms');
  const message = 'Another window of this vault took over the connection.';
  const connection = { kind: 'failed', code: 'replaced', message } as const;
  const intents = { connect: NONE, installBridge: NONE };
  render(h(ConnectionBanner, { connection, canConnect: true, intents }), root);
  expect(root.textContent).toContain('この保管庫の別のウィンドウが接続を引き継ぎました。');
  const deps = { now: () => 0, sessions: () => [], agents: () => [], phone: false };
  const rule = { permission: 'read', pattern: '/a', action: 'deny' } as const;
  render(h(RuleForm, { rule, deps, onDone: NONE }), root);
  expect(root.textContent).toContain('保管庫のフォルダーから始めてください。');
});
