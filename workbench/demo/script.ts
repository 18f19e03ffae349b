import * as z from 'zod';
import { localDate } from '../../src/node/node-ports';
import { readJson, type ScriptResult } from './read-json';
import { parseStatus } from './status-label';
import { answer, turn } from './turn-schema';

const after = z.int().min(0);
const task = z.string().min(1);

/** A person's action after a number of answers of the prompt; 0 is before the first. */
const personAction = z
  .discriminatedUnion('do', [
    z.strictObject({ after, do: z.literal('tick'), task, value: z.unknown().optional() }),
    z.strictObject({ after, do: z.literal('status'), task, value: z.string() }),
    z.strictObject({ after, do: z.literal('rename'), task, value: z.string().min(1) }),
    z.strictObject({ after, do: z.literal('add'), task, value: z.string().min(1).optional() }),
    z.strictObject({ after, do: z.literal('edit'), task, value: z.string() }),
  ])
  .check(({ value, issues }) => {
    if (value.do !== 'status' || parseStatus(value.value) !== undefined) return;
    const message =
      'Is no status. Use pending, in_progress, completed, cancelled, failed or deferred';
    issues.push({ code: 'custom', path: ['value'], message, input: value.value });
  });

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
export type PersonAction = Prompt['person'][number];
export type { Answer, Turn } from './turn-schema';

export type ReadScript = ScriptResult<Script>;

/**
 * Parses a script; `message` names the invalid field by its path, such as `sessions[0].title`.
 * `{{+3d}}` is replaced by the date three days after `today`, so that due dates stay in the future.
 */
export function readScript(text: string, today = new Date()): ReadScript {
  const dated = text.replace(/\{\{\+(\d{1,3})d\}\}/g, (_, days: string) => {
    const day = today.getDate() + Number(days);
    return localDate(new Date(today.getFullYear(), today.getMonth(), day));
  });
  return readJson(dated, script);
}
