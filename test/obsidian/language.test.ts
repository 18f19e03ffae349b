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
    const { translateRunText: runSaid, waitReason } =
      await import('../../src/obsidian/run/run-words');
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

describe.each(Object.entries(OTHER_LANGUAGES))('%s', (code, messages = {}) => {
  test('[LANG4] has only texts that English has, with the same values in each', () => {
    for (const [area, texts] of Object.entries(messages)) {
      for (const [name, message] of Object.entries(texts)) {
        const original = english[area]?.[name];
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
        const original = JSON.stringify(english[area]?.[name]);
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

function forms(message: Message): readonly string[] {
  return typeof message === 'string' ? [message] : Object.values(message);
}

/** The sorted placeholder names (in braces). */
function valuesOf(text: string): string[] {
  return [...new Set([...text.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name))].sort();
}
