import { load } from 'js-yaml';
import { parseNote } from '../../src/core/board/note/parse-note';
import { setTaskStatus } from '../../src/core/board/note/edit-task';
import { compare, type Work } from '../measure';
import type { Row } from '../row';

const PHASE_OF = 100;

/** A board of `size` tasks as agents write them: phases, sub-tasks, fields, dependencies. */
function boardText(size: number): string {
  const lines = Array.from({ length: size }, (_, at) => {
    const n = at + 1;
    const heading = at % PHASE_OF === 0 ? [`## Phase ${at / PHASE_OF + 1}`, ''] : [];
    const waits = n > 3 ? ` ⛔ k3f9-${n - 3}` : '';
    const risk = n % 7 === 0 ? ' [risk:: high]' : '';
    const task = `${n % 5 === 0 ? '\t' : ''}- [${n % 4 === 0 ? 'x' : ' '}] Build part ${n} of the index${risk} 🆔 k3f9-${n}${waits} ⏫ ^k3f9-${n}`;
    return [...heading, task].join('\n');
  });
  const header = `---\nboard: 1\nsession: ses_bench\nagent: build\ntitle: Bench\nprefix: k3f9\nnext: ${size + 1}\nrev: 9\n---\n\n# Bench\n\n`;
  return `${header}${lines.join('\n')}\n`;
}

function parsing(text: string): Work {
  return (times) => {
    let tasks = 0;
    for (let n = 0; n < times; n++) tasks += parseNote('bench.md', text).board.tasks.length;
    return tasks;
  };
}

/** The least that reads a board at all: the header by js-yaml, one regular expression per line. */
function headerAndRegex(text: string): Work {
  const task =
    /^(\s*)[-*+] \[(.)\] (.*?)(?: 🆔 (\S+))?(?: ⛔ (\S+))?(?: [🔺⏫🔼🔽⏬])?(?: \^(\S+))?$/u;
  return (times) => {
    let tasks = 0;
    for (let n = 0; n < times; n++) {
      const end = text.indexOf('\n---', 4);
      load(text.slice(4, end));
      for (const line of text.slice(end).split('\n')) if (task.test(line)) tasks++;
    }
    return tasks;
  };
}

function statusEdit(text: string): Work {
  const note = parseNote('bench.md', text);
  return (times) => {
    let length = 0;
    for (let n = 0; n < times; n++) {
      const edited = setTaskStatus(note, 'k3f9-501', 'in_progress', { today: '2026-11-21' });
      if (!edited.ok) throw new Error(edited.message);
      length += edited.text.length;
    }
    return length;
  };
}

export function noteRows(): Row[] {
  const thousand = boardText(1000);
  return [
    {
      name: 'note.parse',
      against: 'js-yaml header and one regular expression per line',
      target: 0.5,
      measure: () => compare(parsing(thousand), headerAndRegex(thousand)),
    },
    {
      name: 'note.parse.scale',
      against: 'a tenth of the tasks',
      target: 11,
      measure: () => compare(parsing(boardText(10_000)), parsing(thousand)),
    },
    {
      name: 'note.edit',
      against: 'reading the whole note once',
      target: 0.05,
      measure: () => compare(statusEdit(thousand), headerAndRegex(thousand)),
    },
  ];
}
