import { describe, expect, it } from 'vitest';
import type { Note } from '../../src/core/board/note/note';
import { parseNote } from '../../src/core/board/note/parse-note';
import { apply } from '../../src/core/board/apply';
import { PERSON_POLICY } from '../../src/core/board/policy';
import {
  boardLayout,
  moveLane,
  type BoardLayout,
  type LaneKind,
  type LayoutOptions,
} from '../../src/obsidian/board-view/columns';
import {
  dropOperations,
  dropPositionWords,
  type CardDropTarget,
} from '../../src/obsidian/board-view/drop';
import { countWords } from '../../src/obsidian/board-view/column-heads';
import { toggledFacets } from '../../src/obsidian/board-view/filter-bar';
import { edgeSpeed } from '../../src/obsidian/ui/drag';

const TEXT = `---
board: 1
session: ses_1
agent: build
title: Plan
prefix: k3f9
next: 9
rev: 1
---

# Plan

## First

- [ ] Read 🆔 k3f9-1 ^k3f9-1
- [ ] Write 🆔 k3f9-2 ⛔ k3f9-1 ⏫ ^k3f9-2
	- [ ] Draft 🆔 k3f9-3 ^k3f9-3
	- [ ] Correct [owner:: me] 🆔 k3f9-4 ^k3f9-4
- [ ] Check 🆔 k3f9-5 ^k3f9-5

## Last

- [/] Print [owner:: explore] 🆔 k3f9-6 ^k3f9-6
- [ ] Bind 🆔 k3f9-7 ^k3f9-7
- [ ] By hand
`;

const note = (text = TEXT) => parseNote('p/ses_1/build-tasks.md', text);
const lay = (kind: LaneKind, part: Partial<LayoutOptions> = {}, text = TEXT): BoardLayout =>
  boardLayout([note(text).board], {
    ...{ lanes: kind, order: [], filter: '', facets: new Set() },
    ...{ changes: new Map(), older: new Set(), ...part },
  });
const lanesOf = (layout: BoardLayout) => layout.lanes.map(({ title }) => title);

/** The note after these cards were dropped at a spot. */
function dropped(
  titles: readonly string[],
  spot: CardDropTarget,
  kind: LaneKind = 'heading',
  text = TEXT,
): string {
  const layout = lay(kind, {}, text);
  const cards = titles.flatMap((title) =>
    [...layout.byId.values()].filter(({ task }) => task.title === title),
  );
  let now: Note = note(text);
  const context = {
    ...{ policy: PERSON_POLICY, path: now.board.path, today: '2026-11-24', caller: 'me' },
    ...{ theirs: [], seen: undefined, told: (one: Note) => one, fresh: () => '' },
  };
  for (const op of dropOperations(layout, kind, cards, spot)) {
    const done = apply(now, op, context);
    if (!done.ok || done.note === undefined) throw new Error('refused');
    now = done.note;
  }
  return now.text;
}

const body = (text: string) => text.slice(text.indexOf('## First'));
const outline = (text: string) =>
  note(text).board.tasks.map(({ title, phase, depth }) => `${phase ?? ''} ${depth} ${title}`);

describe('lanes', () => {
  it('[KANBAN2] stand as in the note, by name behind the person, from the top, and as they were arranged', () => {
    expect(lanesOf(lay('heading'))).toEqual(['First', 'Last']);
    expect(lanesOf(lay('agent'))).toEqual(['You', 'build', 'explore']);
    expect(lanesOf(lay('priority'))).toEqual(['High priority', 'Normal priority']);
    expect(lanesOf(lay('none'))).toEqual(['']);
    expect(lanesOf(lay('agent', { order: ['explore'] }))).toEqual(['explore', 'You', 'build']);
    const layout = lay('agent');
    expect(moveLane(layout, 'build', -1)).toEqual(['build', 'me', 'explore']);
    expect(moveLane(layout, 'me', -1)).toEqual(['me', 'build', 'explore']);
    const { lanes, laneIds } = layout;
    const narrowed = { lanes: lanes.filter(({ id }) => id !== 'build'), laneIds };
    expect(moveLane(narrowed, 'explore', -1)).toEqual(['explore', 'me', 'build']);
    expect(moveLane(narrowed, 'me', 1)).toEqual(['build', 'explore', 'me']);
  });

  it('[KANBAN1] Done shows its 20 newest first, and counts the others until they are asked for', () => {
    const tasks = Array.from(
      { length: 25 },
      (_, at) =>
        `- [x] T${at} 🆔 k3f9-${at + 1} ✅ 2026-11-${String(at + 1).padStart(2, '0')} ^k3f9-${at + 1}`,
    );
    const text = TEXT.slice(0, TEXT.indexOf('- [ ] Read')) + tasks.join('\n') + '\n';
    const items = lay('heading', {}, text).lanes[0]?.items.get('completed') ?? [];
    expect(items).toHaveLength(21);
    expect(items[0]).toMatchObject({ task: { title: 'T24' } });
    expect(items[20]).toMatchObject({ kind: 'older', count: 5 });
    const older = new Set(['completed\nFirst']);
    expect(lay('heading', { older }, text).lanes[0]?.items.get('completed')).toHaveLength(25);
  });

  it('[KANBAN5] counts of facets do not depend on the filter, a column says how many of its tasks match', () => {
    const layout = lay('heading', { filter: 'last #6', facets: new Set() });
    expect([...layout.byId.values()].map(({ task }) => task.title)).toEqual(['Print']);
    expect([layout.matching.pending, layout.columns.pending]).toEqual([0, 7]);
    expect(countWords(7, undefined, 0)).toBe('0 of 7');
    expect(layout.facets).toMatchObject({ ready: 4, waiting: 3, mine: 1 });
    expect(toggledFacets(['ready'], 'waiting')).toEqual(['waiting']);
    expect(toggledFacets(['mine', 'risk'], 'mine')).toEqual(['risk']);
  });
});

it('[KANBAN3] the critical path follows each change that decides on it', () => {
  const critical = (change = (text: string) => text) =>
    [...lay('none', { facets: new Set(['critical']) }, change(TEXT)).byId.values()].map(
      ({ task }) => task.title,
    );
  expect(critical()).toEqual(['Read', 'Write']);
  expect(critical((text) => text.replace('[ ] Read', '[/] Read'))).toEqual(['Read', 'Write']);
  expect(critical((text) => text.replace('[ ] Read', '[x] Read'))).toEqual([]);
  expect(critical()).toEqual(['Read', 'Write']);
  expect(critical((text) => text.replace('Check 🆔', 'Check [estimate:: 90h] 🆔'))).toEqual([]);
  const after = (text: string) => text.replace('🆔 k3f9-5', '🆔 k3f9-5 ⛔ k3f9-3');
  expect(critical(after)).toEqual(['Read', 'Draft', 'Check']);
  expect(critical((text) => after(text).replaceAll('\t', ''))).toEqual(['Read', 'Write']);
});

describe('a drop', () => {
  it('[KANBAN6] in another column changes the one mark', () => {
    const text = dropped(['Read'], { lane: 'First', status: 'in_progress' });
    expect(body(text)).toBe(body(TEXT).replace('- [ ] Read', '- [/] Read'));
  });

  it('[KANBAN6] in another lane of agents or priorities changes that alone', () => {
    const mine = dropped(['Check'], { lane: 'me', status: 'pending' }, 'agent');
    expect(body(mine)).toBe(body(TEXT).replace('Check 🆔', 'Check [owner:: me] 🆔'));
    const nobody = dropped(['Correct'], { lane: 'build', status: 'pending' }, 'agent');
    expect(body(nobody)).toBe(body(TEXT).replace(' [owner:: me]', ''));
    const high = dropped(['Check'], { lane: 'high', status: 'pending' }, 'priority');
    expect(body(high)).toBe(body(TEXT).replace('k3f9-5 ^', 'k3f9-5 ⏫ ^'));
  });

  it('[KANBAN7] leaves a subtask under its parent, and takes it out under another heading', () => {
    const among = outline(dropped(['Correct'], { lane: 'First', status: 'pending', at: 1 }));
    expect(among).toEqual([
      ...['First 0 Read', 'First 0 Write', 'First 1 Correct', 'First 1 Draft', 'First 0 Check'],
      ...['Last 0 Print', 'Last 0 Bind', 'Last 0 By hand'],
    ]);
    const out = outline(dropped(['Correct'], { lane: 'Last', status: 'pending' }));
    expect(out.at(-1)).toBe('Last 0 Correct');
  });

  it('[KANBAN7] before the first task of a heading moves the card alone', () => {
    const text = dropped(['Check'], { lane: 'First', status: 'pending', at: 0 });
    expect(outline(text).slice(0, 2)).toEqual(['First 0 Check', 'First 0 Read']);
  });

  it('[KANBAN12] of several keeps their order, behind each other', () => {
    const text = dropped(['Read', 'Check'], { lane: 'Last', status: 'pending' });
    expect(outline(text).slice(-2)).toEqual(['Last 0 Read', 'Last 0 Check']);
  });

  it('[KANBAN12] of several is in the order of the note, with subtasks below a parent that moves too', () => {
    const turned = dropped(['Check', 'Read'], { lane: 'Last', status: 'pending' });
    expect(outline(turned).slice(-2)).toEqual(['Last 0 Read', 'Last 0 Check']);
    const family = dropped(['Draft', 'Write', 'Correct'], { lane: 'Last', status: 'pending' });
    expect(outline(family).slice(-3)).toEqual(
      outline(TEXT)
        .slice(1, 4)
        .map((line) => line.replace('First', 'Last')),
    );
  });

  it('[KANBAN12] of several that were only typed keeps their order too', () => {
    const text = `${TEXT}- [ ] Also\n`;
    const cards = ['By hand', 'Also'];
    const first = dropped(cards, { lane: 'First', status: 'pending' }, 'heading', text);
    expect(outline(first).slice(4, 7)).toEqual([
      'First 0 Check',
      'First 0 By hand',
      'First 0 Also',
    ]);
  });

  it('[KANBAN6] of a line without an id changes status and heading in one', () => {
    const text = dropped(['By hand'], { lane: 'First', status: 'failed' });
    expect(text).toMatch(/- \[!\] By hand 🆔 k3f9-9/u);
    expect(outline(text)).toContain('First 0 By hand');
  });

  it('[KANBAN8] where the card stands is no change', () => {
    const layout = lay('heading');
    const cards = [...layout.byId.values()].filter(({ task }) => task.title === 'Read');
    const spot = { lane: 'First', status: 'pending' } as const;
    expect(dropOperations(layout, 'heading', cards, spot)).toEqual([]);
    expect(dropOperations(layout, 'heading', cards, { ...spot, at: 0 })).toEqual([]);
    expect(dropPositionWords(layout, 'heading', cards, { ...spot, status: 'failed' })).toBe(
      'Failed, 1 of 1 in First',
    );
  });
});

describe('words and speed', () => {
  it('[KANBAN16] a limit is said in words', () => {
    expect(countWords(6, undefined, 6)).toBe('6');
    expect(countWords(2, 3, 2)).toBe('2 of 3');
    expect(countWords(4, 3, 1)).toBe('4 of 3, over the limit');
  });

  it('[KANBAN10] a board scrolls faster nearer to its edge, and not from afar', () => {
    const box = { left: 0, right: 1_000, top: 0, bottom: 800 };
    expect(edgeSpeed(box, { x: 500, y: 400 })).toEqual({ x: 0, y: 0 });
    expect(edgeSpeed(box, { x: 500, y: 800 }).y).toBeGreaterThan(
      edgeSpeed(box, { x: 500, y: 770 }).y,
    );
    expect(edgeSpeed(box, { x: 2, y: 400 }).x).toBeLessThan(0);
    expect(edgeSpeed(box, { x: 500, y: 2_000 })).toEqual({ x: 0, y: 0 });
  });
});
