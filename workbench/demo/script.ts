import * as z from 'zod';
import { statusOf } from './status-word';

/** One tool call of an answer. `args` are handed on as they are, right or wrong. */
const toolCall = z.strictObject({
  name: z.string().min(1),
  args: z.unknown().optional(),
});

/** One answer of the scripted model; `{}` is an answer with nothing in it. */
const turn = z.strictObject({
  thinking: z.string().optional(),
  text: z.string().optional(),
  tools: z.array(toolCall).optional(),
  /** ms between two chunks of the stream */
  delayMs: z.number().min(0).max(10_000).optional(),
  /** answer with this HTTP error instead; 5xx and 429 are asked again by OpenCode */
  status: z.int().min(400).max(599).optional(),
});

const after = z.int().min(0);
const task = z.string().min(1);

/** What the person does after so many answers of the prompt; 0 is before the first. */
const personAction = z
  .discriminatedUnion('do', [
    z.strictObject({ after, do: z.literal('tick'), task, value: z.unknown().optional() }),
    z.strictObject({ after, do: z.literal('status'), task, value: z.string() }),
    z.strictObject({ after, do: z.literal('rename'), task, value: z.string().min(1) }),
    z.strictObject({ after, do: z.literal('add'), task, value: z.string().min(1).optional() }),
    z.strictObject({ after, do: z.literal('edit'), task, value: z.string() }),
  ])
  .check(({ value, issues }) => {
    if (value.do !== 'status' || statusOf(value.value) !== undefined) return;
    const message =
      'Is no status. Use pending, in_progress, completed, cancelled, failed or deferred';
    issues.push({ code: 'custom', path: ['value'], message, input: value.value });
  });

const answer = z.union([
  z.strictObject({
    permission: z.string().min(1),
    reply: z.enum(['once', 'always', 'reject']),
    message: z.string().optional(),
  }),
  z.strictObject({
    question: z.string().min(1),
    reply: z.union([z.string(), z.array(z.string())]),
    message: z.string().optional(),
  }),
]);

const prompt = z.strictObject({
  text: z.string().min(1),
  turns: z.array(turn).default([]),
  person: z.array(personAction).default([]),
  answers: z.array(answer).default([]),
});

const session = z.strictObject({
  title: z.string().min(1),
  prompts: z.array(prompt),
});

const script = z.strictObject({ sessions: z.array(session).min(1) }).check(({ value, issues }) => {
  const seen = new Set<string>();
  value.sessions.forEach(({ title }, index) => {
    const path = ['sessions', index, 'title'];
    const message = 'Is the title of an earlier session too; titles must be unique';
    if (seen.has(title)) issues.push({ code: 'custom', path, message, input: title });
    seen.add(title);
  });
});

export type Script = z.infer<typeof script>;
export type ScriptSession = Script['sessions'][number];
export type Prompt = ScriptSession['prompts'][number];
export type Turn = Prompt['turns'][number];
export type PersonAction = Prompt['person'][number];
export type Answer = Prompt['answers'][number];

export type ReadScript =
  { readonly ok: true; readonly script: Script } | { readonly ok: false; readonly message: string };

/** Reads a script's text; `message` names the wrong field by its path, `sessions[0].title`. */
export function readScript(text: string): ReadScript {
  let json: unknown;
  try {
    json = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { ok: false, message: `The script is no JSON: ${why}.` };
  }
  const parsed = script.safeParse(json, { error: plainly });
  if (parsed.success) return { ok: true, script: parsed.data };
  const problems = parsed.error.issues.slice(0, 5).map(describe);
  const rest = parsed.error.issues.length - problems.length;
  if (rest > 0) problems.push(`and ${rest} more`);
  return { ok: false, message: `The script is not right: ${problems.join('; ')}.` };
}

function plainly(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code === 'invalid_type' && issue.input === undefined) return 'Is missing';
  if (issue.code === 'invalid_union' && issue.discriminator === 'do') {
    return 'Must be tick, status, rename, add or edit';
  }
  return undefined;
}

function describe(issue: z.core.$ZodIssue): string {
  const path = issue.path.map((part) =>
    typeof part === 'number' ? `[${part}]` : `.${String(part)}`,
  );
  const where = path.join('').replace(/^\./, '') || 'the whole';
  return `${where}: ${issue.message.charAt(0).toLowerCase()}${issue.message.slice(1)}`;
}
