import { describe, expect, test } from 'vitest';
import {
  csvLine,
  csvText,
  EXPORT_KINDS,
  exportBoard,
  jsonText,
} from '../../src/core/exchange/export-board';
import { dotText, mermaidText } from '../../src/core/exchange/export-graph';
import { parseNote } from '../../src/core/board/note/parse-note';
import type { Task } from '../../src/core/board/task';
import { fc } from '../seeded';
import { notes } from './note-maker';
import { hostileNotes } from './hostile-notes';
import { HEADER, noteOf } from './note-sample';

const NOTE = noteOf(
  [
    '## Ground',
    '- [x] First 🆔 k3f9-1 ✅ 2026-11-20 ^k3f9-1',
    '- [ ] Say "hi", now #tag [owner:: me] [estimate:: 2h] 🆔 k3f9-2 ⛔ k3f9-1,k3f9-9 ⏫ 📅 2026-12-24 ^k3f9-2',
    '\tLine one',
    '\t- [ ] =SUM(A1) 🆔 k3f9-3 ^k3f9-3',
    '- [ ] Last 🆔 k3f9-4 ⛔ k3f9-2',
    '',
  ].join('\n'),
);
const BOARD = NOTE.board;

const boards = hostileNotes.map(({ board }) => board);

describe('a board in other forms', () => {
  test('[EXP1] JSON has all that a task says, and what follows from the board', () => {
    const json = JSON.parse(jsonText(NOTE)) as { tasks: readonly Task[]; board: object };
    expect(json).toMatchObject({
      format: 'agent-task-boards',
      version: 1,
      board: { session: 'ses_1', agent: 'build', title: 'Offline search', prefix: 'k3f9', rev: 17 },
    });
    expect(json.tasks).toHaveLength(4);
    expect(json.tasks[1]).toMatchObject({
      id: 'k3f9-2',
      n: 2,
      title: 'Say "hi", now #tag',
      dependsOn: ['k3f9-1', 'k3f9-9'],
      blockedBy: ['k3f9-9'],
      blocks: ['k3f9-4'],
      blocked: true,
      ready: false,
      body: ['Line one'],
      due: '2026-12-24',
    });
    const line =
      '- [?] A [room:: hall] 🔁 every week 🏁 delete ➕ 2026-11-01 🛫 2026-11-02 ⏳ 2026-11-03 ^a';
    expect(JSON.parse(jsonText(noteOf(line)))).toMatchObject({
      tasks: [
        {
          mark: '?',
          recurrence: 'every week',
          onCompletion: 'delete',
          created: '2026-11-01',
          start: '2026-11-02',
          scheduled: '2026-11-03',
          fields: [{ key: 'room', value: 'hall' }],
          blockId: 'a',
        },
      ],
    });
    fc.assert(
      fc.property(notes, (text) => {
        const note = parseNote('p.md', text);
        const { board } = note;
        const { tasks } = JSON.parse(jsonText(note)) as { tasks: readonly Task[] };
        board.tasks.forEach((task, at) => expect(tasks[at]).toMatchObject({ ...task }));
        expect(tasks).toHaveLength(board.tasks.length);
      }),
      { numRuns: 300 },
    );
  });

  test('[EXP2] [EXP3] CSV as spreadsheets read it; nothing in it is a formula', () => {
    expect(csvText(BOARD)).toBe(
      [
        'id,title,status,phase,parent,dependsOn,priority,owner,scope,risk,impact,level,reason,estimate,due,done,cancelled,waitsFor,body,ready,blockedBy,critical,review',
        'k3f9-1,First,completed,Ground,,,normal,,,,,,,,,2026-11-20,,,,no,,no,no',
        'k3f9-2,"Say ""hi"", now #tag",pending,Ground,,k3f9-1 k3f9-9,high,me,,,,,,2h,2026-12-24,,,,Line one,no,k3f9-9,yes,no',
        "k3f9-3,'=SUM(A1),pending,Ground,k3f9-2,,normal,,,,,,,,,,,,,no,,no,no",
        'k3f9-4,Last,pending,Ground,,k3f9-2,normal,,,,,,,,,,,,,no,k3f9-2,yes,no',
        '',
      ].join('\r\n'),
    );
    let guarded = 0;
    fc.assert(
      fc.property(
        fc.oneof(
          notes.map((text) => parseNote('p.md', text).board),
          boards,
        ),
        (board) => {
          const rows = readCsv(csvText(board));
          expect(rows).toHaveLength(board.tasks.length + 1);
          board.tasks.forEach((task, at) => {
            const cells = rows[at + 1] ?? [];
            expect(cells).toHaveLength(23);
            const [, title = ''] = cells;
            expect(/^[=+\-@＝＋－＠\t\r\n]/.test(title)).toBe(false);
            const plain = /^'+[=+\-@＝＋－＠\t\r\n]/.test(title) ? title.slice(1) : title;
            if (plain !== title) guarded += 1;
            expect(plain).toBe(task.title);
          });
        },
      ),
      { numRuns: 1_000 },
    );
    expect(guarded).toBeGreaterThan(10);
  });

  test('[EXP3] no formula begins with a full-width sign, a line break, or behind another separator', () => {
    expect(csvLine(['＝1', '－2', '\n=1', 'a;=1', 'b\t=1', "''=1", 'ー'])).toBe(
      `'＝1,'－2,"'\n=1","a;=1","b\t=1",'''=1,ー\r\n`,
    );
  });

  test('[EXP4] a Mermaid flowchart, with the critical path thick', () => {
    expect(mermaidText(BOARD)).toBe(
      [
        'flowchart LR',
        '  subgraph p1["Ground"]',
        '    t1["#35;1 First"]:::completed',
        '    t2["#35;2 Say #34;hi#34;, now #35;tag"]',
        '    t3["#35;3 #61;SUM#40;A1#41;"]',
        '    t4["#35;4 Last"]',
        '  end',
        '  t1 --> t2',
        '  t2 --> t4',
        '  t3 -.-> t2',
        '  classDef completed fill:#d4edda',
        '  classDef cancelled fill:#eeeeee',
        '  classDef failed fill:#f8d7da',
        '  classDef in_progress fill:#fff3cd',
        '  classDef critical stroke:#c0392b,stroke-width:3px',
        '  class t2,t4 critical',
        '  linkStyle 1 stroke:#c0392b,stroke-width:3px',
        '',
      ].join('\n'),
    );
  });

  test('[EXP4] no title can break a flowchart: each label reads back', () => {
    let special = 0;
    fc.assert(
      fc.property(boards, (board) => {
        const lines = mermaidText(board).split('\n');
        const labels = lines.flatMap((line) => /^ {4}t\d+\["(.*)"\]/.exec(line)?.[1] ?? []);
        expect(labels.map(unnumbered)).toEqual(
          board.tasks.map(({ n, title }) => `#${n} ${title.replace(/\p{Cc}/gu, ' ')}`),
        );
        special += labels.filter((label) => label.includes('#91;')).length;
        const known =
          /^(?:flowchart LR| {2}(?:subgraph p\d+\["[^"[\]]*"\]|end|t\d+ (?:-->|-\.->) t\d+|classDef \w+ [\w#:,-]+|class [\w,]+ critical|linkStyle [\d,]+ [\w#:,-]+)| {4}t\d+\["[^"[\]<>`\\|{}()]*"\](?::::\w+)?|)$/;
        expect(lines.filter((line) => !known.test(line))).toEqual([]);
      }),
      { numRuns: 500 },
    );
    expect(special).toBeGreaterThan(10);
  });

  test('[EXP5] a graph of Graphviz, in which each label reads back', () => {
    const text = dotText(BOARD);
    expect(text).toContain(
      '  t2 [label="#2 Say \\"hi\\", now #tag", color="#c0392b", penwidth=3];',
    );
    expect(text).toContain('  t1 -> t2;\n  t2 -> t4 [color="#c0392b", penwidth=3];');
    expect(text).toContain('  t3 -> t2 [style=dashed, arrowhead=none];\n}\n');
    let quotes = 0;
    fc.assert(
      fc.property(boards, (board) => {
        const lines = dotText(board).split('\n');
        const nodes = lines.filter((line) => /^ {2}t\d+ \[/.test(line));
        expect(lines).toHaveLength(
          nodes.length + lines.filter((l) => / -> /.test(l) && !/label=/.test(l)).length + 5,
        );
        const labels = nodes.map(
          (line) => /\[label="((?:[^"\\]|\\.)*)"[,\]]/.exec(line)?.[1] ?? '',
        );
        expect(labels.map((label) => label.replace(/\\(.)/g, '$1'))).toEqual(
          board.tasks.map(({ n, title }) => `#${n} ${title.replace(/\p{Cc}/gu, ' ')}`),
        );
        quotes += labels.filter((label) => label.includes('\\"')).length;
      }),
      { numRuns: 500 },
    );
    expect(quotes).toBeGreaterThan(10);
  });

  test('[EXP7] a note that needs repair is exported in no form', () => {
    for (const kind of EXPORT_KINDS) {
      const done = exportBoard('x/build-tasks.md', 'no header', kind);
      expect(done).toMatchObject({ ok: false, code: 'broken_note' });
      expect(exportBoard('x/build-tasks.md', HEADER, kind)).toMatchObject({ ok: true });
    }
  });
});

/** A CSV reader after RFC 4180, written for this test. */
function readCsv(text: string): readonly (readonly string[])[] {
  const rows: string[][] = [];
  let row: string[] = [];
  for (let at = 0; at < text.length;) {
    let cell = '';
    if (text[at] === '"') {
      for (at += 1; ; at += 1) {
        if (text[at] === '"' && text[at + 1] === '"') at += 1;
        else if (text[at] === '"') break;
        cell += text[at] ?? '';
      }
      at += 1;
    } else while (at < text.length && !',\r'.includes(text[at] ?? '')) cell += text[at++] ?? '';
    row.push(cell);
    if (text[at] === ',') {
      at += 1;
      continue;
    }
    if (text.slice(at, at + 2) !== '\r\n') throw new Error(`no line end at ${at}`);
    at += 2;
    rows.push(row);
    row = [];
  }
  return rows;
}

/** Decodes the numeric entities of a label as Mermaid does. */
function unnumbered(label: string): string {
  return label.replace(/#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code)));
}
