import { nodeClock } from '../../node/node-clock';
import type { Command, OpenVault } from '../command';
import { usage, type Exit, type Surroundings } from '../exit';
import type { Given } from '../given';
import { openRuns } from './open-runs';
import { allOptions, optionsOf } from './run-options';
import { RunTeller } from './run-teller';
import type { RunVerb } from './run-verb';
import { RUN_VERBS } from './run-verbs';

/** `agent-boards run`: from a goal to done, with the agents of OpenCode. */
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
      return usage(`run takes one of ${names}.`, 'run');
    }
    const fault = misfit(verb, given, words);
    if (fault !== undefined) return usage(fault, `run ${name}`);
    return withRuns(verb, words, { given, vault, around });
  },
};

/** One verb, as help shows it. */
function verbAsCommand(word: string): Command | undefined {
  const verb = RUN_VERBS.find(({ name }) => name === word);
  if (verb === undefined) return undefined;
  const { takes, says, words } = verb;
  const { rows: _rows, part: _part, ...whole } = runCommand;
  return { ...whole, name: `run ${verb.name}`, takes, says, words, options: optionsOf(verb) };
}

const EVERYWHERE = new Set(['vault', 'wait', 'json', 'help', 'verbose']);

function misfit(verb: RunVerb, given: Given, words: readonly string[]): string | undefined {
  const { name, takes, options } = verb;
  if (words.length < verb.words.least) return `run ${name} takes ${takes}.`;
  const more = words.slice(verb.words.most);
  if (more.length > 0) {
    const what = takes === '' ? 'options only' : takes;
    return `"${more.join(' ')}" is not understood: run ${name} takes ${what}. Several words stand in quotes.`;
  }
  const odd = given.names.find((one) => !EVERYWHERE.has(one) && !options.includes(one));
  return odd === undefined ? undefined : `run ${name} takes no --${odd}.`;
}

/** The runs of the vault as long as the verb needs them; what is carried out here rests afterwards. */
async function withRuns(
  verb: RunVerb,
  words: readonly string[],
  { given, vault, around }: { given: Given; vault: OpenVault; around: Surroundings },
): Promise<Exit> {
  const teller = new RunTeller(given.json, (text) => around.print(text));
  const note = given.flag('verbose')
    ? (message: string, context = {}): void => teller.log(message, context)
    : (): void => undefined;
  // What a run tells the person is printed as it happens.
  const open = openRuns(vault, nodeClock, { note }, () => undefined);
  // No timer of the clock keeps the process alive, nor does a connection that is being made.
  const alive = setInterval(() => undefined, 60_000);
  try {
    await vault.manager.scan();
    await open.runs.scan();
    return await verb.run({ vault, given, words, around, open });
  } finally {
    clearInterval(alive);
    await open.close();
  }
}
