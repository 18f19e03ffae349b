import type { RunAction } from '../../../core/orchestrator/event';
import { usage, type Exit } from '../../exit';
import { actOn, runOf } from '../carry-run';
import { FOLLOWS, type RunDesk, type RunVerb } from '../run-verb';
import { moreOf } from '../wish-of';

/** What a run is told by a word alone. */
function act(type: 'approve' | 'pause' | 'finish' | 'cancel', says: string): RunVerb {
  return {
    name: type,
    takes: '[RUN]',
    says,
    options: FOLLOWS,
    words: { least: 0, most: 1 },
    run: (desk) => told(desk, desk.words[0], { type }),
  };
}

const interrupt: RunVerb = {
  name: 'interrupt',
  takes: '[RUN]',
  says: 'stops the turns that run now; each step then waits for you',
  options: FOLLOWS,
  words: { least: 0, most: 1 },
  run: (desk) => told(desk, desk.words[0], { type: 'interrupt', task: null }),
};

const replan: RunVerb = {
  name: 'replan',
  takes: 'WORDS [RUN]',
  says: 'has another plan made, with your words on what should be otherwise',
  options: FOLLOWS,
  words: { least: 1, most: 2 },
  run: (desk) => {
    const [words = '', run] = desk.words;
    if (words.trim() === '') return Promise.resolve(usage('replan takes your words.', 'run'));
    return told(desk, run, { type: 'replan', words });
  },
};

const more: RunVerb = {
  name: 'more',
  takes: '[RUN]',
  says: 'lets it use more: --turns N, --tokens N, --minutes N',
  options: ['turns', 'tokens', 'minutes', ...FOLLOWS],
  words: { least: 0, most: 1 },
  run: (desk) => {
    const given = moreOf(desk.given);
    if (typeof given === 'string') return Promise.resolve(usage(given, 'run'));
    return told(desk, desk.words[0], { type: 'more', more: given });
  },
};

function told(desk: RunDesk, named: string | undefined, action: RunAction): Promise<Exit> {
  const chosen = runOf(desk, named);
  if (!chosen.ok) return Promise.resolve(usage(chosen.message, 'run'));
  return actOn(desk, chosen.view, action);
}

/** What the person can want of a whole run. */
export const ACTS: readonly RunVerb[] = [
  act('approve', 'begins with the plan as it stands on the board'),
  replan,
  act('pause', 'begins no further turn; those that run go on to their end'),
  interrupt,
  more,
  act('finish', 'ends it as it stands'),
  act('cancel', 'ends it and stops its turns'),
];
