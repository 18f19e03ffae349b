// @vitest-environment happy-dom
import { render } from 'preact';
import { act } from 'preact/test-utils';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { AttentionItem } from '../../src/obsidian/model/attention';
import { askCommands } from '../../src/obsidian/ask/prompts';
import { NeedsYou, type NeedsYouProps } from '../../src/obsidian/sidebar/needs-you';
import { SidebarRequests } from '../../src/obsidian/sidebar/ui-state';
import { makeAsk } from './ask-fixture';
import { session } from './sidebar-fixture';

const QUESTION: AttentionItem = {
  kind: 'question',
  session: session('s'),
  request: { requestId: 'q1', questions: [{ question: 'Who?', options: [] }] },
};
const ASK: AttentionItem = { kind: 'ask', session: undefined, request: makeAsk('r1') };

function setUp(needs: readonly AttentionItem[], mine = false) {
  const done: string[] = [];
  const prompts: Parameters<typeof askCommands>[0] = {
    needs: () => needs,
    review: (id, step) => void done.push(`${id ?? ''} ${step ?? 'ask'}`),
  };
  const showNext = () => Promise.resolve(void done.push('next'));
  const commands = askCommands(prompts, () => mine, showNext);
  const listed = commands.filter((one) => one.checkCallback?.(true)).map(({ id }) => id);
  const run = (id: string) => commands.find((one) => one.id === id)?.checkCallback?.(false);
  return { done, listed, run };
}

describe('the commands about what is asked', () => {
  test('[ASK14] open the dialog, at the words where it is a no, and answer nothing', () => {
    const { done, run } = setUp([QUESTION, ASK]);
    for (const id of ['permission-review', 'permission-allow-once', 'permission-deny']) run(id);
    run('answer-question');
    run('needs-you-next');
    expect(done).toEqual(['r1 ask', 'r1 ask', 'r1 deny', 'q1 ask', 'next']);
  });

  test.each([
    [[], false, []],
    [[], true, ['needs-you-next']],
    [[QUESTION], false, ['needs-you-next', 'answer-question']],
    [
      [ASK],
      false,
      ['needs-you-next', 'permission-review', 'permission-allow-once', 'permission-deny'],
    ],
  ] as const)('[ASK14] are listed only where there is something: %#', (needs, mine, ids) => {
    expect(setUp(needs, mine).listed).toEqual(ids);
  });
});

describe('going to what needs the person', () => {
  let root: HTMLElement;

  beforeEach(() => {
    vi.useFakeTimers();
    root = document.body.appendChild(document.createElement('div'));
  });

  afterEach(() => {
    void act(() => render(null, root));
    root.remove();
    vi.useRealTimers();
  });

  test('[ASK14] goes from card to card and round, also where they were folded', () => {
    const requests = new SidebarRequests();
    const needs = [QUESTION, ASK];
    const props = {
      requests,
      needs: { needs: () => needs, onChange: () => () => undefined },
      state: { boards: [], sessions: [], runs: [], continues: new Map() },
      intents: {},
    } as unknown as NeedsYouProps;
    void act(() => render(<NeedsYou {...props} />, root));
    void act(() => root.querySelector<HTMLElement>('.atb-needs-head')?.click());
    expect(root.querySelector('.atb-card')).toBeNull();
    const next = () => {
      void act(() => requests.send('needs-you'));
      void act(() => void vi.advanceTimersByTime(1));
      return document.activeElement?.closest('.atb-card')?.getAttribute('data-need');
    };
    expect([next(), next(), next()]).toEqual(['q1', 'r1', 'q1']);
  });
});
