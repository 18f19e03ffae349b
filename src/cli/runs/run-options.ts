import type { Options } from '../command';
import type { RunVerb } from './run-verb';
import { RUN_VERBS } from './run-verbs';

const OPTIONS: Options = {
  agent: { type: 'string', value: 'A', says: 'who plans, and on whose board (build)' },
  model: { type: 'string', value: 'P/M', says: 'provider/model; else OpenCode’s own choice' },
  session: { type: 'string', value: 'S', says: 'the session whose board is the plan already' },
  'no-approve': { type: 'boolean', says: 'carries the plan out without asking you first' },
  turns: { type: 'string', value: 'N', says: 'so many prompts at most; with more, in addition' },
  tokens: { type: 'string', value: 'N', says: 'so many tokens at most; with more, in addition' },
  minutes: { type: 'string', value: 'N', says: 'so many minutes at most; with more, in addition' },
  attempts: { type: 'string', value: 'N', says: 'so many attempts for each step' },
  parallel: { type: 'string', value: 'N', says: 'so many steps at the same time' },
  stay: { type: 'boolean', says: 'goes on also while the run waits for you, until it ends' },
  words: { type: 'string', value: 'TEXT', says: 'with reject: what the agent reads, and goes on' },
  reason: { type: 'string', value: 'TEXT', says: 'why' },
  defer: { type: 'boolean', says: 'puts it off instead, what waits for it stays blocked' },
  label: { type: 'string', value: 'TEXT', says: 'what it is called' },
  yes: { type: 'boolean', says: 'does it' },
};
const VERBOSE: Options = {
  verbose: { type: 'boolean', says: 'also prints what goes wrong on the way' },
};

/** More verbs than these are not named at an option. */
const MOST_NAMED = 2;

/** The options of all verbs, each with whose it is. */
export function allOptions(): Options {
  const named = Object.entries(OPTIONS).map(([name, option]) => {
    const verbs = RUN_VERBS.filter(({ options }) => options.includes(name)).map((one) => one.name);
    const whose = verbs.length > MOST_NAMED ? '' : `${verbs.join(', ')}: `;
    return [name, { ...option, says: `${whose}${option.says}` }] as const;
  });
  return { ...Object.fromEntries(named), ...VERBOSE };
}

export function optionsOf({ options }: Pick<RunVerb, 'options'>): Options {
  const own = Object.entries(OPTIONS).filter(([name]) => options.includes(name));
  return { ...Object.fromEntries(own), ...VERBOSE };
}
