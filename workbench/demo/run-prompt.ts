import * as z from 'zod';

/** A prompt of a run, parsed from the model's request. */
export interface RunPrompt {
  readonly role: 'plan' | 'work' | 'check';
  /** title of the task, with each straight quote replaced by ”; empty for the plan */
  readonly task: string;
  /** task id as the prompt names it; empty if it does not */
  readonly id: string;
  /** number in the prompt; a check has none */
  readonly attempt: number;
  /** number of criteria that a check lists */
  readonly criteria: number;
  /** number of the prompt among the run's prompts to this session, from 1 */
  readonly n: number;
}

const content = z.union([
  z.string(),
  z.array(z.looseObject({ text: z.string().optional() })).transform(joined),
]);
const userMessage = z.object({ role: z.literal('user'), content });

const ROLE_MARKERS = [
  ['plan', 'Plan this goal; do none of it yet.'],
  ['check', 'Another session says that this task is done.'],
  ['work', 'Do only this task.'],
] as const;

/** The latest prompt of a run in a request's messages; undefined if a later message is the person's. */
export function parseRunPrompt(messages: readonly unknown[]): RunPrompt | undefined {
  const texts = promptsIn(messages);
  const text = texts.at(-1);
  const role = text === undefined ? undefined : roleOf(text);
  if (text === undefined || role === undefined) return undefined;
  return {
    role,
    task: role === 'plan' ? '' : (/^#\d+ "(.+)"$/m.exec(text)?.[1] ?? ''),
    id: /"type": "complete", "id": "([^"]+)"/.exec(text)?.[1] ?? '',
    attempt: Number(/This is attempt (\d+)\./.exec(text)?.[1] ?? 1),
    criteria: role === 'check' ? criteriaIn(text) : 0,
    n: texts.filter((one) => roleOf(one) !== undefined).length,
  };
}

/** The text of the latest user message of a request. */
export function newestPrompt(messages: readonly unknown[]): string | undefined {
  return promptsIn(messages).at(-1);
}

function promptsIn(messages: readonly unknown[]): readonly string[] {
  return messages.flatMap((one) => userMessage.safeParse(one).data?.content ?? []);
}

function roleOf(text: string): RunPrompt['role'] | undefined {
  return ROLE_MARKERS.find(([, mark]) => text.includes(mark))?.[0];
}

/** Number of criteria, which stand right before the instructions, under any heading. */
function criteriaIn(text: string): number {
  const before = text
    .slice(0, text.indexOf(ROLE_MARKERS[1][1]))
    .replace(/\s*(?:##[^\n]*\s*)?$/, '');
  const lines = before.split('\n').reverse();
  const other = lines.findIndex((line) => !/^\d+\. /.test(line));
  return other < 0 ? lines.length : other;
}

function joined(parts: readonly { readonly text?: string | undefined }[]): string {
  return parts.map(({ text }) => text ?? '').join('\n');
}
