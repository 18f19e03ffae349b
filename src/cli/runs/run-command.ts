import {
  usage,
  wordsOf,
  type Command,
  type Exit,
  type Given,
  type OpenVault,
  type Options,
  type CliSurroundings,
} from '../command';
import { errorLog } from '../error-log';
import { openRuns, type RunVerb } from './open-runs';
import { RunReporter } from './run-text';
import { ACTS, resume, start, TASK_ACTS } from './verbs/acts';
import { ASKS } from './verbs/asks';
import { CHECKPOINTS, listRuns, showRunNote, replayVerb, status } from './verbs/looks';

const OPTIONS: Options = {
  agent: { value: 'A', says: 'who plans, and on whose board (build)' },
  model: { value: 'P/M', says: 'provider/model; else OpenCode’s own choice' },
  session: { value: 'S', says: 'the session whose board is the plan already' },
  'no-approve': { says: 'carries the plan out without asking you first' },
  turns: { value: 'N', says: 'how many prompts at most; with more, how many to add' },
  tokens: { value: 'N', says: 'how many tokens at most; with more, how many to add' },
  minutes: { value: 'N', says: 'how many minutes at most; with more, how many to add' },
  attempts: { value: 'N', says: 'how many attempts for each task' },
  parallel: { value: 'N', says: 'how many tasks at the same time' },
  stay: { says: 'goes on also while the run waits for you, until it ends' },
  words: { value: 'TEXT', says: 'with reject: what the agent reads before it goes on' },
  reason: { value: 'TEXT', says: 'why' },
  defer: { says: 'puts it off instead; what waits for it stays blocked' },
  label: { value: 'TEXT', says: 'what it is called' },
  yes: { says: 'does it' },
};

const VERBOSE: Options = {
  verbose: { says: 'also prints what goes wrong on the way' },
};

/** Maximum verbs named at an option. */
const MAX_NAMED = 2;

/** The options of all verbs, each with its verbs. */
function allOptions(): Options {
  const named = Object.entries(OPTIONS).map(([name, option]) => {
    const verbs = RUN_VERBS.filter(({ options }) => options?.includes(name)).map((one) => one.name);
    const whose = verbs.length > MAX_NAMED ? '' : `${verbs.join(', ')}: `;
    return [name, { ...option, says: `${whose}${option.says}` }] as const;
  });
  return { ...Object.fromEntries(named), ...VERBOSE };
}

function optionsOf({ options = [] }: Pick<RunVerb, 'options'>): Options {
  const own = Object.entries(OPTIONS).filter(([name]) => options.includes(name));
  return { ...Object.fromEntries(own), ...VERBOSE };
}

/** All verbs of `agent-boards run`, in the order of help. */
const RUN_VERBS: readonly RunVerb[] = [
  start,
  resume,
  listRuns,
  status,
  ...ACTS,
  ...ASKS,
  ...TASK_ACTS,
  ...CHECKPOINTS,
  showRunNote,
  replayVerb,
];

/** `agent-boards run`: carries a goal out with the agents of OpenCode. */
export const runCommand: Command = {
  name: 'run',
  takes: 'VERB …',
  says: 'a goal is planned, carried out and checked by the agents of OpenCode',
  options: allOptions(),
  words: { least: 0, most: 4 },
  rows: RUN_VERBS.map(({ name, takes, says }) => [`${name} ${takes}`.trim(), says]),
  part: verbAsCommand,
  async run(given, vault, around) {
    const [name = '', ...words] = given.words;
    const verb = RUN_VERBS.find((one) => one.name === name);
    if (verb === undefined) {
      const names = RUN_VERBS.map((one) => one.name).join(', ');
      return usage(`run takes one of ${names}.`);
    }
    const fault = misfit(verb, given, words);
    if (fault !== undefined) return usage(fault, `run ${name}`);
    return withRuns(verb, words, { given, vault, around });
  },
};

/** A verb as a command, for its help. */
function verbAsCommand(word: string): Command | undefined {
  const verb = RUN_VERBS.find(({ name }) => name === word);
  if (verb === undefined) return undefined;
  const { takes, says } = verb;
  const { rows: _rows, part: _part, words: _words, ...whole } = runCommand;
  return { ...whole, name: `run ${verb.name}`, takes, says, options: optionsOf(verb) };
}

const EVERYWHERE = new Set(['vault', 'wait', 'json', 'help', 'verbose']);

function misfit(verb: RunVerb, given: Given, words: readonly string[]): string | undefined {
  const { name, takes, options = [] } = verb;
  const { least, most } = wordsOf(verb);
  if (words.length < least) return `run ${name} takes ${takes}.`;
  const more = words.slice(most);
  if (more.length > 0) {
    const what = takes === '' ? 'options only' : takes;
    return `"${more.join(' ')}" is not understood: run ${name} takes ${what}. Put several words in quotes.`;
  }
  const odd = given.names.find((one) => !EVERYWHERE.has(one) && !options.includes(one));
  return odd === undefined ? undefined : `run ${name} takes no --${odd}.`;
}

/** Opens the vault's runs for a verb. Afterwards runs stop being carried out here. */
async function withRuns(
  verb: RunVerb,
  words: readonly string[],
  { given, vault, around }: { given: Given; vault: OpenVault; around: CliSurroundings },
): Promise<Exit> {
  const teller = new RunReporter(given.json, (text) => around.print(text));
  const log = errorLog((fault) => {
    if (given.flag('verbose') || fault.module === 'hook') teller.log(fault);
  });
  const open = openRuns(vault, log);
  // Neither the clock's timers nor a pending connection keep the process alive.
  const alive = setInterval(() => undefined, 60_000);
  try {
    await vault.manager.scan();
    await open.runs.scan();
    return await verb.run({ vault, given, words, around, ...open });
  } finally {
    clearInterval(alive);
    await open.close();
  }
}
