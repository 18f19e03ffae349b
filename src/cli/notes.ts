import { shownChange } from '../core/tool/note/change-text';
import type { AskPerson, Question } from '../core/tool/call-run';
import { LIST_LIMIT, MAX_ENTRIES, MAX_HITS, SEARCH_LIMIT } from '../core/tool/note/definitions';
import {
  AGENT_VARIABLE,
  resultExit,
  readCount,
  failUsage,
  refusalExit,
  SESSION_VARIABLE,
  usageExit,
  argumentCountOf,
  type CliEnvironment,
  type Command,
  type Exit,
  type CommandArgs,
  type Options,
  type OpenVault,
} from './command';
import { callTool } from './vault-calls';

/** A verb of `agent-boards notes`, which calls a tool for notes. */
interface NoteVerb extends Pick<Command, 'name' | 'takes' | 'says'> {
  /** the tool's name in the protocol */
  readonly tool: string;
  readonly options: readonly (keyof typeof OPTIONS)[];
  /** whether its last word is a text, which is read from standard input if it is not given */
  readonly writes?: boolean;
  readonly args: (given: CommandArgs, words: readonly string[]) => object;
}

const OPTIONS = {
  folder: { value: 'DIR', says: 'only notes in this folder' },
  limit: { value: 'N', says: 'how many at most' },
  after: { value: 'PATH', says: 'continues after this path of the previous list' },
  content: { says: 'with the text, as much of it as an answer holds' },
  heading: { value: 'H', says: 'read: only what is below it; update: put in below it' },
  block: { value: 'ID', says: 'only the block with this id' },
  lines: { value: 'A-B', says: 'only these lines, from 1' },
  flat: { says: 'only the folder itself, without its subfolders' },
  folders: { says: 'folders as well' },
  overwrite: { says: 'replaces an existing note' },
  mode: { value: 'M', says: 'replace, append or prepend' },
  line: { value: 'N', says: 'the text becomes this line' },
  marker: { value: 'TEXT', says: 'put in below the one line with this text' },
  'dry-run': { says: 'shows the change, writes nothing' },
  'as-person': { says: 'as the person: what the rules would ask about is allowed' },
} satisfies Options;

const NOTE_CALLER_OPTIONS: Options = {
  session: { value: 'S', env: SESSION_VARIABLE, says: 'the session, for rules and audit' },
  agent: { value: 'A', env: AGENT_VARIABLE, says: 'the agent, for rules and audit (cli)' },
};

const CHANGING = ['dry-run', 'as-person'] as const;

const VERBS: readonly NoteVerb[] = [
  {
    ...{ name: 'search', takes: 'QUERY', tool: 'obsidian.search_vault' },
    says: 'finds notes by their words, best first, with the lines that match',
    options: ['folder', 'limit', 'content', 'as-person'],
    args: (given, [query]) => ({
      query,
      folder: given.text('folder'),
      limit: limitOf(given, SEARCH_LIMIT, MAX_HITS),
      includeContent: given.flag('content'),
    }),
  },
  {
    ...{ name: 'read', takes: 'PATH', tool: 'obsidian.read_note' },
    says: 'a note, or a part of it',
    options: ['heading', 'block', 'lines', 'as-person'],
    args: (given, [path]) => ({
      ...{ path, heading: given.text('heading'), block: given.text('block') },
      lines: linesOf(given),
    }),
  },
  {
    ...{ name: 'list', takes: '[FOLDER]', tool: 'obsidian.list_notes' },
    says: 'the notes in a folder',
    options: ['flat', 'folders', 'limit', 'after', 'as-person'],
    args: (given, [folder = '']) => ({
      ...{ folder, recursive: !given.flag('flat'), includeFolders: given.flag('folders') },
      ...{ limit: limitOf(given, LIST_LIMIT, MAX_ENTRIES), after: given.text('after') },
    }),
  },
  {
    ...{ name: 'meta', takes: 'PATH', tool: 'obsidian.get_note_metadata' },
    says: 'front matter, tags, links, backlinks, headings and tasks of a note',
    options: ['as-person'],
    args: (_, [path]) => ({ path }),
  },
  {
    ...{ name: 'create', takes: 'PATH [TEXT]', tool: 'obsidian.create_note', writes: true },
    says: 'creates a note; without TEXT, its text is read from standard input',
    options: ['overwrite', ...CHANGING],
    args: (given, [path, content]) => ({
      ...{ path, content, overwrite: given.flag('overwrite'), dryRun: given.flag('dry-run') },
    }),
  },
  {
    ...{ name: 'update', takes: 'PATH [TEXT]', tool: 'obsidian.update_note', writes: true },
    says: 'changes a note: --mode M, or put in at --line, --heading or --marker',
    options: ['mode', 'line', 'heading', 'marker', ...CHANGING],
    args: (given, [path, content]) => ({
      ...{ path, content, mode: modeOf(given), dryRun: given.flag('dry-run') },
      ...{ heading: given.text('heading'), marker: given.text('marker') },
      line: readCount(given, 'line', MAX_LINE, '--line takes the number of a line.'),
    }),
  },
];

/**
 * `agent-boards notes`: works on the vault's notes by the rules for agents, and writes to the
 * audit.
 */
export const notes: Command = {
  name: 'notes',
  takes: 'VERB …',
  says: 'searches, reads and changes the notes of the vault, as the tools for agents do',
  options: { ...OPTIONS, ...NOTE_CALLER_OPTIONS },
  words: { least: 1, most: 3 },
  rows: VERBS.map(({ name, takes, says }) => [`${name} ${takes}`, says]),
  part: verbAsCommand,
  async run(given, vault, environment) {
    const [name = '', ...words] = given.words;
    const verb = VERBS.find((one) => one.name === name);
    if (verb === undefined) {
      return usageExit(`notes takes one of ${VERBS.map((one) => one.name).join(', ')}.`);
    }
    const fault = argumentFault(verb, given, words);
    return fault === undefined
      ? call(verb, given, words, vault, environment)
      : usageExit(fault, `notes ${name}`);
  },
};

function verbAsCommand(word: string): Command | undefined {
  const verb = VERBS.find(({ name }) => name === word);
  if (verb === undefined) return undefined;
  const { name, takes, says, options } = verb;
  const own = Object.entries(OPTIONS).filter(([one]) => options.some((each) => each === one));
  const { rows: _rows, part: _part, words: _words, ...whole } = notes;
  const all = { ...Object.fromEntries(own), ...NOTE_CALLER_OPTIONS };
  return { ...whole, name: `notes ${name}`, takes, says, options: all };
}

function argumentFault(
  { name, takes, options }: NoteVerb,
  given: CommandArgs,
  words: readonly string[],
): string | undefined {
  const { least, most } = argumentCountOf({ takes });
  if (words.length < least) return `notes ${name} takes ${takes}.`;
  if (words.length > most) {
    return `"${words.slice(most).join(' ')}" is not understood: notes ${name} takes ${takes}. Put several words in quotes.`;
  }
  const odd = given.names.find((one) => one in OPTIONS && !options.some((each) => each === one));
  return odd === undefined ? undefined : `notes ${name} takes no --${odd}.`;
}

async function call(
  { tool, writes = false, args }: NoteVerb,
  given: CommandArgs,
  words: readonly string[],
  vault: OpenVault,
  environment: CliEnvironment,
): Promise<Exit> {
  const isWhole = !writes || words.length > 1;
  const made = args(given, isWhole ? words : [...words, await environment.input()]);
  const { session: sessionId, agent = 'cli' } = given;
  const asPerson = given.flag('as-person');
  const ask: AskPerson = async (question) => {
    if (asPerson) return { reply: 'once' };
    const allowed = await environment.confirm?.(questionText(question));
    if (allowed === undefined) return undefined;
    return { reply: allowed ? 'once' : 'reject' };
  };
  const sent = { tool, args: made, sessionId, agent };
  const outcome = await callTool(vault, sent, { command: commandOf, ask, asPerson });
  if (outcome.ok) {
    const { output, metadata } = outcome;
    return resultExit(given, 0, { ok: true, ...metadata, output }, output);
  }
  return refusalExit(outcome.error);
}

/**
 * The command that does what a tool does.
 * @param tool without `obsidian_`
 */
function commandOf(tool: string): string | undefined {
  const verb = VERBS.find((one) => one.tool === `obsidian.${tool}`);
  return verb && `agent-boards notes ${verb.name}`;
}

function questionText({ request, decision, change }: Question): string {
  const { target, operation } = request;
  const path = target.path === '' ? 'the vault' : target.path;
  const shown = change === undefined ? '' : `${shownChange(path, change)}\n\n`;
  return `${shown}${decision.why}\nAllow to ${operation} ${path}?`;
}

const MAX_LINE = 9_999_999;

function limitOf(given: CommandArgs, unless: number, most: number): number {
  return readCount(given, 'limit', most, `--limit takes a number from 1 to ${most}.`) ?? unless;
}

function linesOf(given: CommandArgs): { readonly from?: number; readonly to?: number } | undefined {
  const text = given.text('lines');
  if (text === undefined) return undefined;
  const [, from = '', to = ''] = /^(\d{1,7})?(?:-(\d{1,7})?)?$/.exec(text) ?? [];
  if (from === '' && to === '') return failUsage('--lines takes lines, as in 1-20, 5 or 10-.');
  const end = text.includes('-') ? to : from;
  return {
    ...(from !== '' && { from: Number(from) }),
    ...(end !== '' && { to: Number(end) }),
  };
}

function modeOf(given: CommandArgs): string {
  const mode = given.text('mode');
  const isPlaced = ['line', 'heading', 'marker'].some((name) => given.text(name) !== undefined);
  if (mode === undefined && isPlaced) return 'insert';
  if (mode !== undefined && ['replace', 'append', 'prepend'].includes(mode)) return mode;
  return failUsage(
    'update takes --mode replace, append or prepend, or --line, --heading or --marker.',
  );
}
