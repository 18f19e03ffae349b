import type { TasksAnswer } from '../core/board/answer/write-answer';
import type { Question } from '../core/tool/call-run';
import { allowingRule, askingRule } from '../core/tool/ask-person';
import type { ToolOutcome } from '../core/tool/tool';

type Phrase = readonly [written: RegExp, shell: string];

/** Phrases of refusals for a model, with what a person types instead. */
const REFUSALS: readonly Phrase[] = [
  [/Send "" for the whole vault\./, 'Name none for the whole vault.'],
  [/Send heading or block, not both\./, 'Give --heading or --block, not both.'],
  [/or send overwrite true\./, 'or say --overwrite.'],
  [/Send "line" instead/, 'Say --line N instead'],
  [/(?<=^|\. )Send /g, 'Give '],
  [/mode "insert" takes exactly one of line, heading and marker/, 'update takes one place'],
  [/line, heading and marker go with mode "insert", not with "\w+"/, '--mode takes no place'],
  [/You may not read that note; append to it, or ask the person\./, 'Read it, or append to it.'],
  [/(?<=, then try again\.) Tell the person; try again once that is fixed\.$/, ''],
  [/ Tell the person; try again/, ' Try again'],
  [/ Tell the person\.$/, ''],
  [/Use another path, or ask the person\./, 'Use another path.'],
  [/the person can release it/, 'you can release it'],
];

/** Phrases at the end of an operation's refusal. */
const OPERATIONS: readonly Phrase[] = [
  [/ Send (1 to \d+ characters|at most \d+|one line of text|it whole|less|an id)\.$/, ' Give $1.'],
  [/ Send it as (\S+)\.$/, ' Give it as $1.'],
  [
    /Send "cascade": true to remove them too, or "promote": true to keep them in its place\.$/,
    'Say --cascade to remove them too, or --promote to keep them in its place.',
  ],
  [/Send "cascade": true to remove it too\.$/, 'Say --cascade to remove it too.'],
  [/Send cascade or promote, not both\.$/, 'Say --cascade or --promote, not both.'],
  [
    / is the person's own task; leave it to them, or send "force": true\.$/,
    ' is your own task: say --as-person, or --force for the agent.',
  ],
  [/ or send "force": true with a reason\./, ' or say --force with --reason TEXT.'],
  [/all the same, send "reason" with "force"\.$/, 'all the same, say --reason TEXT with --force.'],
  [/Send "reason" with "force"\.$/, 'Say --reason TEXT with --force.'],
  [/: send them in the body as they are\./, ': give them in --body as they are.'],
  [/; send it again only if you still want it\.$/, '; run it again only if you still want it.'],
];

/** Phrases of an answer outside the text of notes: at its end, and in its first line. */
const ENDS: readonly Phrase[] = [
  [
    /Nothing is written yet\. Send the same with dryRun false to write it\.$/,
    'Nothing is written yet: run it without --dry-run to write it.',
  ],
  [
    /Nothing is written yet\. Send the same with dryRun false to write it\. The person is asked first\.$/,
    'Nothing is written yet: run it without --dry-run to write it. You are asked first.',
  ],
];

const HEADS: readonly Phrase[] = [
  [
    / not listed, because a rule asks the person about reading: send their folder to have the person asked\.$/,
    ' not listed, because a rule asks about reading: list their folder to be asked, or say --as-person.',
  ],
  [
    / asks the person about reading: send their folder to have the person asked\.$/,
    ' asks about reading: name their folder with --folder to be asked, or say --as-person.',
  ],
  [/; for the others send "after": (".*")\./, '; for the others say --after $1.'],
  [/; ask for lines from (\d+)/, '; read on with --lines $1-'],
  [
    / or obsidian_list_notes\.( \d+ notes? w\w+ not searched, .*)?$/,
    ' or agent-boards notes list.$1',
  ],
];

/** The command that does the same as a note tool, named without `obsidian_`. */
export type CommandOf = (tool: string) => string | undefined;

/**
 * Rewrites a tool's outcome for a person at a shell; the text of notes is kept.
 * @param command undefined if the tool is not one for notes: its output is kept as it is
 */
export function toShellOutcome<Outcome extends ToolOutcome>(
  outcome: Outcome,
  command: CommandOf | undefined,
): Outcome {
  if (outcome.ok) {
    if (command === undefined) return outcome;
    const [head = '', ...rest] = applyPhrases(outcome.output, ENDS).split('\n');
    return { ...outcome, output: [applyPhrases(head, HEADS), ...rest].join('\n') };
  }
  const { code, message } = outcome.error;
  const replacedText = applyPhrases(message, REFUSALS).replaceAll(
    /obsidian[._](\w+)/g,
    (shown, tool: string) => command?.(tool) ?? shown,
  );
  return { ...outcome, error: { code, message: replacedText } };
}

/**
 * Rewrites an answer for operations that were given as options; what it says about the board is
 * kept.
 */
export function toShellAnswer(answer: TasksAnswer): TasksAnswer {
  const { result } = answer;
  const reword = <Failed extends { readonly message: string }>(error: Failed): Failed => ({
    ...error,
    message: applyPhrases(error.message, OPERATIONS),
  });
  const results = result.results.map(({ error, ...report }) =>
    error === undefined ? report : { ...report, error: reword(error) },
  );
  const errors = result.errors?.map(({ operation, error }) => ({
    ...{ operation, error: applyPhrases(error, OPERATIONS) },
  }));
  const lines = (text: string): string =>
    text.replaceAll(/^- \w+ FAILED \(.*$/gm, (line) => applyPhrases(line, OPERATIONS));
  return {
    ...answer,
    ...{ output: lines(answer.output), said: lines(answer.said) },
    result: { ...result, results, ...(errors !== undefined && { errors }) },
  };
}

function applyPhrases(text: string, phrases: readonly Phrase[]): string {
  return phrases.reduce((result, [written, shell]) => result.replace(written, shell), text);
}

/** Why nothing was done: a person has to be asked, and there is no terminal. */
export function notAskedMessage({ request, decision }: Question): string {
  const why = `Nothing was done: a person has to allow this, and there is no terminal to ask on. ${askingRule(decision)}`;
  const terminal = request.operation === 'tasks' ? 'Run it' : 'Run it on a terminal, or';
  return `${why} ${terminal} with --as-person where you act for them, or add a rule that allows ${allowingRule(request)} (docs/permissions.md).`;
}

export const DENIED_HERE = 'Nothing was done: you did not allow it.';
