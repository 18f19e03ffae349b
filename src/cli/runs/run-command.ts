import {
  usageExit,
  argumentCountOf,
  type Command,
  type Exit,
  type CommandArgs,
  type OpenVault,
  type Options,
  type CliEnvironment,
} from '../command';
import { errorLog } from '../error-log';
import { openRuns, type RunVerb } from './open-runs';
import { RunReporter } from './run-text';
import { ACTION_VERBS, resume, start, TASK_VERBS } from './verbs/action-verbs';
import { ASK_VERBS } from './verbs/ask-verbs';
import { CHECKPOINT_VERBS, listRuns, showRunNote, replayVerb, status } from './verbs/read-verbs';

const OPTIONS: Options = {
  agent: { value: 'A', says: 'who plans, and on whose board (build)' },
  model: { value: 'P/M', says: 'provider/model; else what the program chooses' },
  session: { value: 'S', says: 'the session whose board is the plan already' },
  'no-approve': { says: 'carries the plan out without asking you first' },
  turns: { value: 'N', says: 'how many prompts at most; with more, how many to add' },
  tokens: { value: 'N', says: 'how many tokens at most; with more, how many to add' },
  minutes: { value: 'N', says: 'how many minutes at most; with more, how many to add' },
  attempts: { value: 'N', says: 'how many attempts for each task' },
  parallel: { value: 'N', says: 'how many tasks at the same time' },
  stay: { says: 'keeps waiting while the run waits for you, until the run ends' },
  words: { value: 'TEXT', says: 'with reject: what the agent reads before it continues' },
  reason: { value: 'TEXT', says: 'why' },
  defer: { says: 'defers it instead; what waits for it stays blocked' },
  label: { value: 'TEXT', says: 'what it is called' },
  yes: { says: 'rolls back; without it, only shows what would change' },
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
  ...ACTION_VERBS,
  ...ASK_VERBS,
  ...TASK_VERBS,
  ...CHECKPOINT_VERBS,
  showRunNote,
  replayVerb,
];

/** `agent-boards run`: carries a goal out with the agents of the program that runs sessions. */
export const runCommand: Command = {
  name: 'run',
  takes: 'VERB …',
  says: 'a goal is planned, carried out and checked by agents',
  options: allOptions(),
  words: { least: 0, most: 4 },
  rows: RUN_VERBS.map(({ name, takes, says }) => [`${name} ${takes}`.trim(), says]),
  part: verbAsCommand,
  async run(given, vault, environment) {
    const [name = '', ...words] = given.words;
    const verb = RUN_VERBS.find((one) => one.name === name);
    if (verb === undefined) {
      const names = RUN_VERBS.map((one) => one.name).join(', ');
      return usageExit(`run takes one of ${names}.`);
    }
    const fault = argumentFault(verb, given, words);
    if (fault !== undefined) return usageExit(fault, `run ${name}`);
    return withRuns(verb, words, { given, vault, around: environment });
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

const COMMON_OPTION_NAMES = new Set(['vault', 'wait', 'json', 'help', 'verbose']);

function argumentFault(
  verb: RunVerb,
  given: CommandArgs,
  words: readonly string[],
): string | undefined {
  const { name, takes, options = [] } = verb;
  const { least, most } = argumentCountOf(verb);
  if (words.length < least) return `run ${name} takes ${takes}.`;
  const more = words.slice(most);
  if (more.length > 0) {
    const what = takes === '' ? 'options only' : takes;
    return `"${more.join(' ')}" is not understood: run ${name} takes ${what}. Put several words in quotes.`;
  }
  const odd = given.names.find((one) => !COMMON_OPTION_NAMES.has(one) && !options.includes(one));
  return odd === undefined ? undefined : `run ${name} takes no --${odd}.`;
}

/** Opens the vault's runs for a verb. Afterwards runs stop being carried out here. */
async function withRuns(
  verb: RunVerb,
  words: readonly string[],
  {
    given,
    vault,
    around: environment,
  }: { given: CommandArgs; vault: OpenVault; around: CliEnvironment },
): Promise<Exit> {
  const reporter = new RunReporter(given.json, (text) => environment.print(text));
  const log = errorLog((fault) => {
    if (given.flag('verbose') || fault.module === 'hook') reporter.log(fault);
  });
  const open = openRuns(vault, log);
  // Neither the clock's timers nor a pending connection keep the process alive.
  const keepAlive = setInterval(() => undefined, 60_000);
  try {
    await vault.manager.scan();
    await open.runs.scan();
    return await verb.run({ vault, given, words, environment, ...open });
  } finally {
    clearInterval(keepAlive);
    await open.close();
  }
}
