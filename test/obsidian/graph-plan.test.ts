import { readFileSync } from 'node:fs';
import * as dagre from '@dagrejs/dagre';
import { describe, expect, test } from 'vitest';
import { nextNode, nextListNode } from '../../src/obsidian/graph/graph-keys';
import {
  cycleWords,
  edgeWords,
  nodeFacts,
  pathFacts,
  stuckWords,
  summaryWords,
  titleLookup,
  whatIfWords,
} from '../../src/obsidian/graph/graph-words';
import { layoutPlan, type Box, type PlanLayout } from '../../src/obsidian/graph/layout';
import {
  DEFAULT_TOGGLES,
  FOLDED_KEY,
  outsideTasks,
  planDrawing,
  type GraphToggles,
  type PlanDrawing,
} from '../../src/obsidian/graph/plan-drawing';
import { svgText } from '../../src/obsidian/graph/plan-svg';
import type { Board } from '../../src/core/board/task';
import { parseNote } from '../../src/core/board/note/parse-note';
import { boardOf, HEADER } from '../board/note-sample';

/** The plan of the pictures: 2 and 4 are finished, 8 is cancelled, 11 failed. */
const STORY = boardOf(
  [
    '- [x] Read 🆔 k3f9-2',
    '- [/] Index [risk:: high] 🆔 k3f9-3 ⛔ k3f9-2',
    '\t- [x] Split 🆔 k3f9-4',
    '\t- [/] Keep 🆔 k3f9-5',
    '- [ ] Score 🆔 k3f9-6 ⛔ k3f9-3',
    '- [ ] Highlight 🆔 k3f9-7 ⛔ k3f9-6',
    '- [-] Rewrite 🆔 k3f9-8',
    '- [ ] Choose [owner:: me] 🆔 k3f9-9',
    '- [ ] Measure 🆔 k3f9-10 ⛔ k3f9-6,k3f9-9',
    '- [!] Sign [reason:: No key] 🆔 k3f9-11',
    '- [ ] Guide 🆔 k3f9-12 ⛔ k3f9-6 📅 2026-11-28',
    '- [ ] Publish 🆔 k3f9-13 ⛔ k3f9-10,k3f9-11,k3f9-12',
    '',
  ].join('\n'),
);
const ROUND = boardOf(
  '- [ ] Sign 🆔 k3f9-1 ⛔ k3f9-2\n- [ ] Publish 🆔 k3f9-2 ⛔ k3f9-1\n- [ ] Tell 🆔 k3f9-3 ⛔ k3f9-2,k3f9-4\n- [ ] Choose 🆔 k3f9-4\n',
);

const COLOURS = {
  ground: '#fff',
  frame: '#eee',
  text: '#000',
  muted: '#666',
  line: '#ccc',
  accent: '#75e',
  red: '#e33',
  font: '"Inter"',
};

const draw = (board: Board, toggles: Partial<GraphToggles> = {}) =>
  planDrawing(board, { ...DEFAULT_TOGGLES, ...toggles });
const place = (drawing: PlanDrawing) => layoutPlan(drawing, dagre, ({ length }) => length > 26);
const waves = (drawing: PlanDrawing) =>
  drawing.waves.map(({ title, tasks }) => [title, ...tasks.map(({ task }) => task.key)]);
const edges = (drawing: PlanDrawing) =>
  drawing.edges.map(({ from, to, critical }) => `${from} ${critical ? '=' : '-'} ${to}`);
const titles = (board: Board) => titleLookup(new Map(board.tasks.map((task) => [task.key, task])));
const one = (drawing: PlanDrawing, key: string) => {
  const found = drawing.tasks.find(({ task }) => task.key === key);
  if (found === undefined) throw new Error(`${key} is not drawn`);
  return found;
};

describe('what of a plan is drawn', () => {
  test('[GVIEW1] open tasks by wave; finished ones fold but for parts of open ones; cancelled ones are left out', () => {
    const drawing = draw(STORY);
    expect(waves(drawing)).toEqual([
      ['Finished', 'k3f9-4'],
      ['Now', 'k3f9-3', 'k3f9-5', 'k3f9-9', 'k3f9-11'],
      ['Wave 2', 'k3f9-6'],
      ['Wave 3', 'k3f9-7', 'k3f9-10', 'k3f9-12'],
      ['Wave 4', 'k3f9-13'],
    ]);
    expect(drawing).toMatchObject({ folded: ['k3f9-2'], open: 9, cancelled: 1 });
    expect(
      drawing.tasks.filter(({ frame }) => frame === 'k3f9-3').map(({ task }) => task.key),
    ).toEqual(['k3f9-4', 'k3f9-5']);
    const all = draw(STORY, { finished: true, cancelled: true });
    expect(all.folded).toEqual([]);
    expect(waves(all)[0]).toEqual(['Finished', 'k3f9-2', 'k3f9-4', 'k3f9-8']);
  });

  test('[GVIEW2] an edge is a dependency; those of the critical path are marked while that is shown', () => {
    expect(edges(draw(STORY))).toEqual([
      `${FOLDED_KEY} - k3f9-3`,
      'k3f9-3 = k3f9-6',
      'k3f9-6 - k3f9-7',
      'k3f9-6 = k3f9-10',
      'k3f9-9 - k3f9-10',
      'k3f9-6 - k3f9-12',
      'k3f9-10 = k3f9-13',
      'k3f9-11 - k3f9-13',
      'k3f9-12 - k3f9-13',
    ]);
    expect(edges(draw(STORY, { critical: false })).filter((edge) => edge.includes('='))).toEqual(
      [],
    );
  });

  test('[GVIEW3] tasks that wait for each other, and those behind them, have no place and no edge between', () => {
    const drawing = draw(ROUND);
    expect(waves(drawing)).toEqual([
      ['Now', 'k3f9-4'],
      ['Can’t start', 'k3f9-1', 'k3f9-2', 'k3f9-3'],
    ]);
    expect(edges(drawing)).toEqual(['k3f9-4 - k3f9-3']);
    expect(drawing.cycles).toEqual([
      {
        way: ['k3f9-1', 'k3f9-2', 'k3f9-1'],
        edges: [
          { task: 'k3f9-1', on: 'k3f9-2' },
          { task: 'k3f9-2', on: 'k3f9-1' },
        ],
      },
    ]);
  });

  test('[GVIEW3] of a circle through a part, what the whole waits for can be removed, and being a part can’t', () => {
    const drawing = draw(boardOf('- [ ] a 🆔 k3f9-1 ⛔ k3f9-2\n\t- [ ] b 🆔 k3f9-2\n'));
    expect(drawing.cycles).toEqual([
      { way: ['k3f9-2', 'k3f9-1', 'k3f9-2'], edges: [{ task: 'k3f9-1', on: 'k3f9-2' }] },
    ]);
  });
});

test('[GVIEW21] a task of another session stands left of all waves, named with its plan, and holds nothing up', () => {
  const board = boardOf(
    '- [ ] Sign 🆔 k3f9-1 [waitsFor:: ses_2/m2x1-4, ses_3/m9]\n- [x] Read 🆔 k3f9-2 [waitsFor:: ses_3/m8]\n',
  );
  const other = parseNote(
    '.opencode/todos/ses_2/build-tasks.md',
    `${HEADER.replace('ses_1', 'ses_2').replace('Offline search', 'Release')}- [/] Publish 🆔 m2x1-4\n`,
  ).board;
  const drawing = planDrawing(board, DEFAULT_TOGGLES, outsideTasks(board, [board, other]));
  const [known, unknown] = ['outside ses_2/m2x1-4', 'outside ses_3/m9'];
  expect(drawing.outside).toMatchObject([
    { key: known, title: 'Publish', plan: 'Release', mark: 'in_progress', at: { board: other } },
    { key: unknown, title: 'm9', plan: 'ses_3', at: undefined },
  ]);
  expect(waves(drawing)).toEqual([['Now', 'k3f9-1']]);
  expect(edges(drawing)).toEqual([`${known} - k3f9-1`, `${unknown} - k3f9-1`]);
  const layout = place(drawing);
  expect(layout.columns.map(({ title }) => title)).toEqual(['Other sessions', 'Finished', 'Now']);
  expect(overlaps(drawing, layout)).toEqual([]);
  expect(nextNode(layout, drawing, 'k3f9-1', 'before')).toBe(known);
  const ends = (['first', 'last'] as const).map((to) => nextNode(layout, drawing, known, to));
  expect(ends.sort()).toEqual([known, unknown]);
  expect(nextNode(layout, drawing, unknown, 'after')).toBe('k3f9-1');
  expect(nextListNode(drawing, FOLDED_KEY, 'down')).toBe(known);
  const titleOf = titleLookup(new Map(), drawing.outside);
  expect(edgeWords(one(drawing, 'k3f9-1'), board, titleOf)).toBe(
    'Publish (Release) never holds up this task; m9 (ses_3) never holds up this task',
  );
  const svg = svgText(drawing, layout, COLOURS);
  expect(svg).toContain('>Publish<');
  expect(svg.match(/stroke-dasharray="2 4"/g)).toHaveLength(2);
});

/** Pairs of overlapping boxes of which neither is the other's frame. */
function overlaps(drawing: PlanDrawing, { boxes }: PlanLayout): readonly string[] {
  const frames = (key: string): readonly string[] => {
    const frame = drawing.tasks.find(({ task }) => task.key === key)?.frame ?? null;
    return frame === null ? [] : [frame, ...frames(frame)];
  };
  const apart = (a: Box, b: Box) =>
    a.x + a.width <= b.x || b.x + b.width <= a.x || a.y + a.height <= b.y || b.y + b.height <= a.y;
  return [...boxes].flatMap(([key, box]) =>
    [...boxes]
      .filter(
        ([other]) => other !== key && !frames(key).includes(other) && !frames(other).includes(key),
      )
      .filter(([, other]) => !apart(box, other))
      .map(([other]) => `${key} ${other}`),
  );
}

describe('where it stands', () => {
  test('[GVIEW4] columns are waves, a frame is around its parts, and nothing stands on anything else', () => {
    const drawing = draw(STORY);
    const layout = place(drawing);
    expect(layout.columns.map(({ title }) => title)).toEqual([
      'Finished',
      'Now',
      'Wave 2',
      'Wave 3',
      'Wave 4',
    ]);
    const left = (key: string) => layout.boxes.get(key)?.x ?? NaN;
    expect(layout.columns.map(({ x }) => x)).toEqual(
      [FOLDED_KEY, 'k3f9-3', 'k3f9-6', 'k3f9-7', 'k3f9-13'].map(left),
    );
    expect([left('k3f9-9'), left('k3f9-11')]).toEqual([left('k3f9-3'), left('k3f9-3')]);
    expect(overlaps(drawing, layout)).toEqual([]);
    const [frame, part] = ['k3f9-3', 'k3f9-5'].map((key) => layout.boxes.get(key));
    expect(part).toMatchObject({ width: 216, height: 52 });
    expect(frame && part && part.x > frame.x && part.y > frame.y + 52).toBe(true);
    expect(frame && part && part.y + part.height < frame.y + frame.height).toBe(true);
  });

  test('[GVIEW4] each edge ends at its task, to the right of what that waits for', () => {
    const drawing = draw(STORY, { finished: true, cancelled: true });
    const layout = place(drawing);
    expect(layout.edges.length).toBe(9);
    for (const { from, to, tip, line } of layout.edges) {
      const [start, end] = [layout.boxes.get(from), layout.boxes.get(to)];
      expect(start && end && start.x + start.width < end.x).toBe(true);
      expect(tip.x).toBe(end?.x);
      expect(line.startsWith(`M${(start?.x ?? 0) + (start?.width ?? 0)} `)).toBe(true);
    }
  });

  test('[GVIEW4] a plan of many parts in parts keeps apart what is apart', () => {
    const lines = Array.from({ length: 60 }, (_, i) => {
      const depth = i % 5 === 0 ? 0 : i % 5 < 3 ? 1 : 2;
      const waits = i > 7 ? ` ⛔ k3f9-${i - 6}` : '';
      return `${'\t'.repeat(depth)}- [${i % 9 === 0 ? 'x' : ' '}] t${i} 🆔 k3f9-${i + 1}${waits}`;
    });
    for (const finished of [false, true]) {
      const drawing = draw(boardOf(`${lines.join('\n')}\n`), { finished });
      const layout = place(drawing);
      expect(layout.boxes.size).toBeGreaterThan(50);
      expect(overlaps(drawing, layout)).toEqual([]);
    }
  });

  test('[GVIEW9] arrows go along edges to the nearest, by those of the frame from its parts, and within a wave', () => {
    const drawing = draw(STORY);
    const layout = place(drawing);
    const go = (key: string, way: Parameters<typeof nextNode>[3]) =>
      nextNode(layout, drawing, key, way);
    expect(go('k3f9-3', 'after')).toBe('k3f9-6');
    expect(go('k3f9-5', 'after')).toBe('k3f9-6');
    expect(go('k3f9-6', 'before')).toBe('k3f9-3');
    expect(go('k3f9-3', 'before')).toBe(FOLDED_KEY);
    expect(go('k3f9-7', 'after')).toBeUndefined();
    expect(['k3f9-7', 'k3f9-10', 'k3f9-12']).toContain(go('k3f9-6', 'after'));
    const wave = [go('k3f9-9', 'first')];
    for (let next = go(wave[0] ?? '', 'down'); next !== undefined; next = go(next, 'down'))
      wave.push(next);
    expect([...wave].sort()).toEqual(['k3f9-11', 'k3f9-3', 'k3f9-5', 'k3f9-9']);
    expect(go(wave[1] ?? '', 'up')).toBe(wave[0]);
    expect(go('k3f9-9', 'last')).toBe(wave[3]);
    expect(nextListNode(drawing, 'k3f9-11', 'down')).toBe('k3f9-6');
    expect(nextListNode(drawing, 'k3f9-13', 'down')).toBe(FOLDED_KEY);
    expect(nextListNode(drawing, 'k3f9-13', 'before')).toBe('k3f9-10');
  });
});

describe('what it says', () => {
  const drawing = draw(STORY);
  const titleOf = titles(STORY);

  test('[GVIEW5] a node has its number and at most two facts, what stands in the way first', () => {
    const facts = (key: string) =>
      nodeFacts(one(drawing, key), '2026-11-24').map(({ text }) => text);
    expect(facts('k3f9-3')).toEqual(['#3', 'Frees 1', 'High risk']);
    expect(facts('k3f9-4')).toEqual(['#4']);
    expect(facts('k3f9-11')).toEqual(['#11', 'No key']);
    expect(facts('k3f9-12')).toEqual(['#12', '28 Nov']);
    expect(facts('k3f9-13')).toEqual(['#13', 'Stuck']);
    expect(edgeWords(one(drawing, 'k3f9-6'), STORY, titleOf)).toBe('waits for Index; frees 2');
    expect(edgeWords(one(drawing, 'k3f9-3'), STORY, titleOf)).toBe('frees 1');
  });

  test('[GVIEW6] a stuck task says each cause, and the way out', () => {
    const causes = (board: Board, key: string) =>
      one(draw(board), key).stuck.map((cause) => stuckWords(key, cause, titles(board)));
    expect(causes(STORY, 'k3f9-13')).toEqual(['Sign failed. Open it again, or cancel it.']);
    expect(causes(STORY, 'k3f9-11')).toEqual([]);
    expect(causes(ROUND, 'k3f9-3')).toEqual([
      'Sign and Publish wait for each other. Remove one of the dependencies.',
    ]);
    const gone = boardOf('- [ ] a 🆔 k3f9-1 ⛔ k3f9-9\n- [ ] b 🆔 k3f9-2 ⛔ k3f9-1\n');
    const way =
      'waits for k3f9-9, which is not on this board. Remove that dependency, or bring the task back.';
    expect(causes(gone, 'k3f9-1')).toEqual([`It ${way}`]);
    expect(causes(gone, 'k3f9-2')).toEqual([`a ${way}`]);
    expect(cycleWords(['k3f9-1', 'k3f9-1'], titles(ROUND))).toBe(
      'Sign waits for itself. Remove that dependency.',
    );
  });

  test('[GVIEW7] place on the path, slack, what depends on a task, and risk', () => {
    const facts = (key: string) =>
      pathFacts(STORY, drawing, one(drawing, key).task).map(([, value]) => value);
    expect(facts('k3f9-6')).toEqual(['2 of 4', 'None', '4 tasks depend on it', 'Not assessed']);
    expect(facts('k3f9-9')).toEqual([
      'Not on it',
      '1 task',
      '2 tasks depend on it',
      'Not assessed',
    ]);
    expect(facts('k3f9-3')).toEqual(['1 of 4', 'None', '5 tasks depend on it', 'High']);
    expect(facts('k3f9-13').slice(2, 3)).toEqual(['No task depends on it']);
  });

  test('[GVIEW8] what could start if a task were done, and what would still wait', () => {
    expect(whatIfWords(STORY, one(drawing, 'k3f9-6').task, titleOf)).toBe(
      'When Score is done, Highlight and Guide can be started. Measure still waits for Choose.',
    );
    expect(whatIfWords(STORY, one(drawing, 'k3f9-13').task, titleOf)).toBe(
      'When Publish is done, nothing else can be started.',
    );
  });

  test('[GVIEW10] the line below says the critical path in words, and what holds the plan up', () => {
    expect(summaryWords(drawing, titleOf)).toEqual({
      path: 'Critical path: 4 tasks left, ends with Publish',
      inOrder: 'In order: Index, Score, Measure, Publish.',
      stuck: '1 task can’t be finished · 1 failed task holds it up: Sign',
    });
    const free = boardOf('- [ ] a 🆔 k3f9-1\n- [ ] b 🆔 k3f9-2\n');
    expect(summaryWords(draw(free), titles(free))).toEqual({
      path: '2 open tasks, none waits for another',
      inOrder: '',
      stuck: undefined,
    });
  });

  test('[GVIEW16] the picture names each task that is drawn; titles are text in it', () => {
    const board = boardOf(
      '- [ ] <script>a&b"\u0001 🆔 k3f9-1\n- [ ] Then a title that is too long for one line of a node 🆔 k3f9-2 ⛔ k3f9-1\n',
    );
    const plan = draw(board);
    const svg = svgText(plan, place(plan), COLOURS);
    expect(svg).toContain('&#60;script&#62;a&#38;b&#34;');
    expect(svg).not.toMatch(/<script|\p{Cc}(?<!\n)|font-family=""Inter/u);
    expect(svg).toContain('>Then a title that is too<');
    expect(svg).toContain('>#2 · Waiting<');
    expect(svg.match(/<path /g)?.length).toBe(2);
  });

  test('[REVIEW20] the picture draws each state in a shape of its own, what waits for a review as an open check', () => {
    const lines = [' ] Ready', '/] Begun', '/] Held [review:: 2026-11-21]', 'x] Done', '!] Failed'];
    const more = ['>] Later', '-] Never', ' ] Blocked ⛔ k3f9-1'];
    const board = boardOf(
      [...lines, ...more].map((line, at) => `- [${line} 🆔 k3f9-${at + 1}\n`).join(''),
    );
    const plan = draw(board, { finished: true, cancelled: true });
    const svg = svgText(plan, place(plan), COLOURS);
    const drawn = [...svg.matchAll(/<g transform="[^"]*">(<rect.*?)<\/g><text[^>]*>(\w+)/g)];
    const marks = new Map(drawn.map(([, mark, title]) => [title, mark]));
    expect(new Set(marks.values()).size).toBe(8);
    expect(marks.get('Held')).toBe(
      '<rect width="13" height="13" rx="4" fill="none" stroke="#75e"/><path d="M3 6.5L5.5 9L10 3.5" fill="none" stroke="#75e" stroke-width="1.75"/>',
    );
    expect(svg).toContain('>#3 · In review<');
  });
});

test('[GVIEW17] dagre is evaluated when a graph is drawn, and nowhere else', () => {
  const source = readFileSync('src/obsidian/graph/layout.ts', 'utf8');
  expect(source.match(/@dagrejs\/dagre/g)).toEqual(['@dagrejs/dagre']);
  expect(source).toContain("await import('@dagrejs/dagre')");
});
