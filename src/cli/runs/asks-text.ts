import { takesWords } from './question-answers';
import type { WaitingAsk, WaitingAsks } from './waiting-asks';

/** Of an id: they begin alike, and end by chance. */
const SHORT = 8;

/** What names a request on the command line. */
export function shortId(requestId: string): string {
  return requestId.slice(-SHORT);
}

/** All that waits, each in full: who answers sees what for. */
export function asksText({ asks, others }: WaitingAsks): string {
  if (asks.length === 0 && others.length === 0) return 'Nothing waits for an answer.';
  return [
    ...asks.flatMap(askLines),
    ...others.map(
      ({ task, what }) =>
        `${'-'.padEnd(SHORT)}  ${nameOf(task)} waits${what === '' ? '' : ` for ${what}`}: Obsidian asks this, answer it there.`,
    ),
    ...(asks.length === 0 ? [] : HOW),
  ].join('\n');
}

const HOW = [
  'agent-boards run answer ID once|always|reject answers a permission, --words TEXT goes with reject;',
  'to a question the number of a choice, several as 1,3, or your own words.',
];

function askLines(ask: WaitingAsk): readonly string[] {
  const head = `${shortId(ask.request.requestId).padEnd(SHORT)}  ${nameOf(ask.task)}`;
  if (ask.kind === 'permission') {
    const { permission, patterns, always } = ask.request;
    return [
      `${head} asks for ${permission}:`,
      ...patterns.flatMap(quoted),
      ...(always.length === 0 ? [] : [`${INDENT}always would allow:`, ...always.flatMap(quoted)]),
    ];
  }
  return ask.request.questions.flatMap((question, at, { length }) => {
    const which = length === 1 ? '' : `${at + 1} of ${length}: `;
    const words = takesWords(question) ? [`${INDENT}or your own words`] : [];
    const choices = question.options.flatMap(({ label, description = '' }, n) =>
      quoted(`${n + 1} ${label}${description === '' ? '' : `: ${description}`}`),
    );
    return [
      `${head} asks: ${which}`.trimEnd(),
      ...quoted(question.question),
      ...choices,
      ...(question.options.length === 0 ? [] : words),
    ];
  });
}

const INDENT = ' '.repeat(SHORT + 2);

/** Each line marked, so that no line of an agent passes for one of ours. */
function quoted(text: string): readonly string[] {
  return text.split(/\r\n|[\r\n\u2028\u2029]/).map((line) => `${INDENT}| ${line}`);
}

function nameOf(task: string | null): string {
  return task ?? 'The planning';
}
