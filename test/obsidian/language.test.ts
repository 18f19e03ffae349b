import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { refuseChange } from '../../src/core/board/change-faults';
import { refusal } from '../../src/core/fault';
import { importPlan } from '../../src/core/exchange/import-plan';
import { joinNotes } from '../../src/core/exchange/join-notes';
import { readPlanText } from '../../src/core/exchange/plan-text';
import { locateTaskLine } from '../../src/core/board/note/edit-task';
import { withStoreErrors } from '../../src/obsidian/adapter/vault-files';
import { newNoteText } from '../../src/core/board/note/edit-header';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { findings } from '../../src/core/board/board-findings';
import { parseNote } from '../../src/core/board/note/parse-note';
import { undoRefused } from '../../src/core/board/history/undo-record';
import { readState } from '../../src/core/orchestrator/serialise';
import type { AuditedCall } from '../../src/core/permission/audit/explain-call';
import { checkUndo } from '../../src/core/permission/audit/undo-change';
import { verifyAudit } from '../../src/core/permission/audit/verify-audit';
import { LIMITS } from '../../src/core/orchestrator/limits';
import { ENGLISH } from '../../src/obsidian/language/english';
import { OTHER_LANGUAGES } from '../../src/obsidian/language/languages';
import type { Message } from '../../src/obsidian/language/message';
import { ErrorHandler } from '../../src/core/error-handler';
import { readPattern } from '../../src/core/permission/path-pattern';
import { PathResolver } from '../../src/core/permission/path-resolver';
import { nodeHttp } from '../../src/node/http-client';
import { nodeProgramHost } from '../../src/node/programs/program-host';
import { storeError } from '../../src/node/store-error';
import { memoryFolder } from '../config/memory-folder';
import { KEY, useModelClients } from '../model/model-clients';
import type { Answer } from '../model/model-server';
import { ManualClock } from '../wire/manual-clock';

const english: Readonly<Record<string, Readonly<Record<string, Message>>>> = ENGLISH;

describe('texts in another language', () => {
  beforeEach(() => {
    vi.resetModules();
    vi.doMock('obsidian', async (original) => ({
      ...(await original<object>()),
      getLanguage: () => 'pl',
    }));
    const forms = { one: '{count} zadanie', few: '{count} zadania', other: '{count} zadań' };
    vi.doMock('../../src/obsidian/language/languages', () => ({
      OTHER_LANGUAGES: { pl: { common: { close: 'Zamknij', tasks: forms } } },
    }));
  });

  afterEach(() => {
    vi.doUnmock('obsidian');
    vi.doUnmock('../../src/obsidian/language/languages');
    vi.resetModules();
  });

  test('[LANG2] what the language has is shown in it, all else in English', async () => {
    const { t, languageCode } = await import('../../src/obsidian/language/text');
    expect(languageCode).toBe('pl');
    expect(t('common.close')).toBe('Zamknij');
    expect(t('common.cancel')).toBe('Cancel');
  });

  test('[LANG3] a number chooses its plural form, and is written as the language writes it', async () => {
    const { figure, t } = await import('../../src/obsidian/language/text');
    const tasks = [1, 3, 5, 22, 12_345].map((count) => t('common.tasks', { count }));
    expect(tasks).toEqual(['1 zadanie', '3 zadania', '5 zadań', '22 zadania', '12\u00a0345 zadań']);
    expect([999, 12_345].map(figure)).toEqual(['999', '12\u00a0345']);
  });
});

test('[LANG3] English has two forms, and commas from 1,000 on', async () => {
  const { t } = await import('../../src/obsidian/language/text');
  const tasks = [0, 1, 2, 1_000].map((count) => t('common.tasks', { count }));
  expect(tasks).toEqual(['0 tasks', '1 task', '2 tasks', '1,000 tasks']);
});

describe('what is wrong with a note', () => {
  useJapanese();

  test.each([
    [
      '- [ ] T 🆔 k3f9-2 oops ^k3f9-2',
      '10行目: ID k3f9-2の後に文字があります。🆔の前に移動してください。',
    ],
    ['- [ ] A 🆔 k3f9-2 ⛔ k3f9-9', '#2 Aが待っているk3f9-9は、このボードのタスクではありません。'],
  ])('[LANG6] is said in the language of the app: %s', async (line, words) => {
    const { findingWords } = await import('../../src/obsidian/board/repairs');
    const header = [
      '---',
      'board: 1',
      'session: s',
      'agent: a',
      'prefix: k3f9',
      'next: 3',
      'rev: 1',
    ];
    const text = [...header, '---', '', line, ''].join('\n');
    const [finding] = findings([parseNote('root/s/a-tasks.md', text).board], []);
    expect(finding && findingWords(finding).text).toContain(words);
    expect(finding?.text).toMatch(/^(Line 10: there is text|#2 A waits for k3f9-9)/);
  });

  test('[LANG6] so are sentences of a run; what a model says stays as it is', async () => {
    const { translated: runSaid } = await import('../../src/obsidian/language/text');
    const { waitReason } = await import('../../src/obsidian/run/run-words');
    const task = { id: 'k3f9-1', title: 'T' };
    const why = {
      kind: 'held',
      task,
      why: 'interrupted',
      message: 'You stopped the turn.',
    } as const;
    expect(waitReason(why, LIMITS)).toBe('T: あなたがターンを停止しました。');
    expect(runSaid('The model is overloaded.')).toBe('The model is overloaded.');
    expect(runSaid('Not met: It (really) leans')).toBe('満たされていません: It (really) leans');
    const noAccess =
      'The turn failed. It needs a key, credit or a sign-in, which only you can give.';
    expect(runSaid(noAccess)).toContain('ターンが失敗しました。 キー、クレジット');
    const { message = '' } = readState('{"v":2}') as { message?: string };
    expect(runSaid(message)).toContain('保存された実行の形式が1ではありません。');
  });

  test('[LANG6] so is why a change of a board or of a note is not undone, and a broken audit', async () => {
    const { faultText } = await import('../../src/obsidian/language/text');
    const values = { task: '"Ship"', who: 'build' };
    expect(faultText(undoRefused('changed_since', 'changedByOther', values))).toBe(
      '"Ship"はその後buildが変更しました。そのためボードは変更していません。ボードを見て、必要な変更を加えてください。',
    );
    const bad = {
      list: () => Promise.resolve(['2026-11.a.jsonl']),
      read: () => Promise.resolve('{}\n'),
    };
    const digest = (text: string) => Promise.resolve(text);
    const report = await verifyAudit(bad, 'a', digest, undefined);
    expect(report.ok ? '' : faultText(report)).toContain('エントリ1は、書き込み後に変更');
    const call = { intent: { dryRun: false, operation: 'read' } } as unknown as AuditedCall;
    const fault = await checkUndo(call, {} as Parameters<typeof checkUndo>[1]);
    expect(fault.ok ? '' : faultText(fault)).toBe('この呼び出しはノートを変更していません。');
  });

  test('[LANG6] so is why a change is refused, also inside another sentence', async () => {
    const { faultText } = await import('../../src/obsidian/language/text');
    const { typedProblem } = await import('../../src/obsidian/ui/text');
    const text = newNoteText({ session: 's', agent: 'a', title: 'T', prefix: 'k3f9' });
    const { board } = parseNote('root/s/a-tasks.md', text);
    expect(typedProblem(board, '')).toBe('タイトルが空です。1〜500文字で入力してください。');
    const values = { task: '"A"', path: '"B", "A"' };
    expect(faultText(refuseChange('cycle', 'cycle', values))).toBe(
      '"A"が自分自身を待つことになります: "A"、"B", "A"。',
    );
    const { broken } = parseNote('root/s/a-tasks.md', '---\nboard: 1\nsession: s\n---\n').board;
    const refused = refuseChange('broken_note', 'readOnly', {
      why: [broken?.reason ?? '', broken?.said],
    });
    expect(refused.message).toContain('until it is repaired. Line 4: the header has no "agent".');
    expect(faultText(refused)).toContain(
      '読み取り専用です。 4行目: ヘッダーに「agent」がありません。',
    );
  });

  test('[LANG6] so is what the store and an import refuse', async () => {
    const { errorText, faultText } = await import('../../src/obsidian/language/text');
    const full = () => Promise.reject(new Error('ENOSPC: no space left on device'));
    const error: unknown = await withStoreErrors('a.md', full).catch((one: unknown) => one);
    expect(errorText(error)).toBe('ディスクがいっぱいのため、a.mdは保存されませんでした。');
    const refused = await refusal(() => withStoreErrors('a.md', full));
    expect(refused && faultText(refused)).toBe(errorText(error));
    const reader = {
      list: () => Promise.resolve([]),
      read: () => Promise.resolve('{'),
      stat: () => Promise.resolve(undefined),
    };
    const plan = await importPlan({ path: 'plan.json', kind: 'file', reader }, undefined);
    expect(plan.ok ? '' : faultText(plan)).toContain('plan.jsonはJSONではありません');
    const notTodos = { list: () => Promise.resolve([]), read: () => Promise.resolve('{}') };
    const source = { path: 'plan.json', kind: 'file', reader: notTodos } as const;
    const none = await importPlan(source, 'todowrite');
    expect(none.ok ? '' : faultText(none)).toBe(
      'plan.jsonに種類「todowrite」のタスクはありません。 plan.json: ToDoのリストではありません。',
    );
    const joined = joinNotes([{ path: 'a.md', text: 'no front matter' }], '2026-11-30');
    expect(joined.ok ? '' : faultText(joined)).toBe('フォルダにindex.mdがありません。');
    const { sentenceText } = await import('../../src/obsidian/language/text');
    const { plan: coloured } = readPlanText(JSON.stringify({ steps: [{ title: '\u001b[1mA' }] }));
    expect(coloured.left.map(({ what, said }) => sentenceText([what, said]))).toEqual([
      'タスク1の色: 端末の色指定を取り除きました。',
    ]);
    const text = newNoteText({ session: 's', agent: 'a', title: 'T', prefix: 'k3f9' });
    const note = parseNote('a.md', `${text}\n- [ ] T 🆔 k3f9-2 oops\n`);
    const tail = locateTaskLine(note, note.board.tasks[0]?.key ?? '');
    expect(tail.ok ? '' : faultText(tail)).toMatch(/^\d+行目: ID k3f9-2の後に文字があります。/);
  });

  test('[LANG6] so is what is wrong with its header', async () => {
    const { problemWords } = await import('../../src/obsidian/board/repairs');
    const { broken } = parseNote('root/s/a-tasks.md', '---\nboard: 1\nsession: s\n---\n').board;
    expect(broken?.reason).toBe('Line 4: the header has no "agent". Add it above this line.');
    const words = '4行目: ヘッダーに「agent」がありません。この行の上に追加してください。';
    expect(broken && problemWords(broken)).toBe(words);
  });
});

describe('what the core, engines and programs say in English', () => {
  useJapanese();
  const here = useModelClients();

  test.each([
    [{ status: 401 }, 'がキーを拒否しました（ステータス401）。'],
    [{ status: 402 }, 'クレジットが残っていません。'],
    [{ status: 429, headers: { 'retry-after': '7' } }, '7 s後にもう一度試してください。'],
    [{ status: 413 }, '会話が長すぎて'],
    [{ status: 503 }, '混雑しているか、障害が起きています（ステータス503）。'],
    [{ status: 404 }, 'そのモデルまたはアドレス'],
    [{ status: 302 }, '応答は転送（302）で、転送には従いません。'],
    [
      { status: 400, body: '{"error":{"message":"No such thing"}}' },
      'リクエストを拒否しました（ステータス400）。別のモデルを選ぶか、依頼の内容を変えてください。 プロバイダーの応答: No such thing.',
    ],
    [{ body: '<html>' }, 'の応答を理解できません: '],
  ] satisfies [Answer, string][])(
    '[LANG7] testing the connection says in Japanese what a provider refuses: %o',
    async (answer, words) => {
      const server = await here.server();
      server.answer(answer);
      const { createProviderClient } = await import('../../src/core/model/provider-client');
      const { testConnection } = await import('../../src/obsidian/provider/test-connection');
      const ids = { unique: () => 'own', random: () => 0.5 };
      const client = createProviderClient(
        { provider: 'own', url: server.url, key: KEY, keyInSettings: true },
        { http: nodeHttp(), clock: here.clock(), ids },
      );
      const tested = await testConnection(client, 'own', 'm');
      expect(tested.ok).toBe(false);
      expect(tested.words).toContain(words);
      expect(tested.words.replace(/https?:\S+|No such thing/g, '')).not.toMatch(/[a-z]{3}/);
    },
  );

  test('[LANG7] so do the state of a program that does not start, and its notice', async () => {
    const { Launcher } = await import('../../src/obsidian/program/launcher');
    const { programState } = await import('../../src/obsidian/program/program-log');
    const folder = await mkdtemp(join(tmpdir(), 'atb-'));
    const script = async (name: string, text: string) => {
      await writeFile(join(folder, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
      return join(folder, name);
    };
    const ends = await script('ends', 'echo "no such plan" >&2; exit 3');
    const told: string[] = [];
    const start = async (path: string, vault: string) => {
      const launcher = new Launcher({
        start: (heard) =>
          Promise.resolve(nodeProgramHost().openCode({ ...heard, path, folder: vault })),
        allowed: () => true,
        notify: (text) => {
          told.push(text);
          return () => undefined;
        },
        onReady: () => undefined,
      });
      await launcher.start();
      return programState(launcher.state, 'OpenCode');
    };
    const vault = await mkdtemp(join(tmpdir(), 'atb-'));
    expect(await start('/nowhere/opencode', vault)).toBe(
      '/nowhere/opencodeにプログラムがありません。パスを設定するか、「検出」を使ってください。',
    );
    expect(await start(ends, folder)).toContain('保管庫の中のプログラムは起動しません。');
    const state = 'OpenCodeは準備ができる前に終了しました（終了コード3）。';
    expect(await start(ends, vault)).toBe(state);
    expect(told.at(-1)).toBe(`${state} 最後のエラー: no such plan`);
  });

  test('[LANG7] so do problems of the configuration, with what to do', async () => {
    const { ConfigSource } = await import('../../src/obsidian/config/config-source');
    const { configProblems } = await import('../../src/obsidian/problems/problems');
    const vault = memoryFolder({
      'opencode.json': '{"modle": "a/b", "share": 3, "default_agent": "nobody"}',
      '.opencode/agent/a.md': '---\nmode: primry\n---\n',
      '.opencode/agent/b.md': '---\nmode: [\n---\n',
      '.opencode/skill/c/SKILL.md': '---\nname: d\n---\n',
      '.opencode/agent-task-boards.json': '{"hooks": {}}',
    });
    const open = () => Promise.resolve({ vault, home: undefined, reachesHome: false });
    const config = new ConfigSource(open, new ManualClock(), (error) => expect(error).toBe(''));
    await config.read();
    const found = configProblems(config).problems();
    expect(found.length).toBeGreaterThan(5);
    const words = found.map(({ title, text }) => `${title} ${text}`);
    expect(words).toContainEqual(
      expect.stringContaining('「modle」はここで使えるキーではありません。'),
    );
    expect(words).toContainEqual(expect.stringContaining('「nobody」でセッションを始められません'));
    for (const one of words) {
      expect(
        one.replace(
          /「[^」]*」|\[\{.*\}\]|[\w./-]+\.(md|json)|OpenCode|YAML|unexpected end of the stream within a flow collection/g,
          '',
        ),
      ).not.toMatch(/[a-z]{4}/i);
    }
  });

  test('[LANG7] so do faults, and why a pattern or a path is none', async () => {
    const { faultProblems } = await import('../../src/obsidian/problems/problems');
    const { faultText } = await import('../../src/obsidian/language/text');
    const log = new ErrorHandler({ now: () => 0 });
    const why = storeError('a.md', Object.assign(new Error('full'), { code: 'ENOSPC' })).message;
    log.note('Which line is being typed could not be kept.', { at: 'store.typed', why });
    expect(faultProblems(log).problems()).toMatchObject([
      {
        title: '入力中の行を記録できませんでした。',
        text: 'a.md: ディスクがいっぱいです。空きを作ってから、もう一度試してください。',
      },
    ]);
    const pattern = readPattern('a\\b');
    expect('ok' in pattern && faultText(pattern)).toContain(
      'パターンにバックスラッシュがあります。',
    );
    const resolver = new PathResolver(() => Promise.resolve({ kind: 'outside' }));
    const target = await resolver.resolve('a.md');
    expect('ok' in target && faultText(target)).toBe(
      'a.mdは保管庫の外に出ます。保管庫の中のパスを使ってください。',
    );
  });
});

describe.each(Object.entries(OTHER_LANGUAGES))('%s', (code, messages = {}) => {
  test('[LANG4] has only texts that English has, with the same values in each', () => {
    for (const [area, texts] of Object.entries(messages)) {
      for (const [name, message] of Object.entries(texts)) {
        const original = originalOf(area, name);
        expect(original, `${area}.${name}`).toBeDefined();
        const wanted = valuesOf(forms(original ?? '').join(' '));
        const [last = '', ...others] = forms(message).toReversed();
        expect(valuesOf(last), `${area}.${name}`).toEqual(wanted);
        // As in "One task": the form for a single number may omit it.
        for (const form of others) expect(wanted).toEqual(expect.arrayContaining(valuesOf(form)));
      }
    }
  });

  test('[LANG4] has each plural form that its numbers need', () => {
    const { pluralCategories } = new Intl.PluralRules(code).resolvedOptions();
    const plural = Object.values(messages)
      .flatMap((texts) => Object.values(texts))
      .filter((message) => typeof message !== 'string');
    expect(plural.length).toBeGreaterThan(10);
    for (const message of plural) expect(Object.keys(message)).toEqual(pluralCategories);
  });
});

describe.each(Object.entries(OTHER_LANGUAGES))('%s', (_, messages = {}) => {
  test('[LANG4] has one text for what English says in the same words', () => {
    const known = new Map<string, Message>();
    let twice = 0;
    for (const [area, texts] of Object.entries(messages)) {
      for (const [name, message] of Object.entries(texts)) {
        const original = JSON.stringify(originalOf(area, name));
        if (original.split(' ').length < 4) continue;
        const first = known.get(original);
        if (first === undefined) known.set(original, message);
        else expect(message, `${area}.${name}`).toEqual(first);
        if (first !== undefined) twice++;
      }
    }
    expect(twice).toBeGreaterThan(10);
  });
});

/** Loads the modules that a test imports with Japanese as the app's language. */
function useJapanese(): void {
  beforeEach(() => {
    vi.resetModules();
    vi.doMock('obsidian', async (original) => ({
      ...(await original<object>()),
      getLanguage: () => 'ja',
    }));
  });

  afterEach(() => {
    vi.doUnmock('obsidian');
    vi.resetModules();
  });
}

/** In these areas, the English text is the key. */
function originalOf(area: string, name: string): Message | undefined {
  return ['sentences', 'configProblem'].includes(area) ? name : english[area]?.[name];
}

function forms(message: Message): readonly string[] {
  return typeof message === 'string' ? [message] : Object.values(message);
}

/** The sorted placeholder names (in braces). */
function valuesOf(text: string): string[] {
  return [...new Set([...text.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name))].sort();
}
