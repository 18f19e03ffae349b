import * as z from 'zod';
import { readJson, type ScriptResult } from './read-json';
import { answer, turn } from './turn-schema';

/** What the agent does in one attempt of a task. */
const workAttempt = z.strictObject({
  turns: z.array(turn).default([]),
  /** whether the agent completes the task after its turns */
  completes: z.boolean().default(true),
  /** final text; a default sentence if absent */
  result: z.string().default(''),
});

/** What the session that checks an attempt answers. */
const checkAttempt = z.strictObject({
  turns: z.array(turn).default([]),
  /** the verdict for each criterion, or one for all */
  met: z.union([z.boolean(), z.array(z.boolean())]).default(true),
  /** the reason for criteria that are not met */
  why: z.string().default(''),
  result: z.string().default(''),
});

/** Entries by attempt, starting with the first; later attempts repeat the last entry. */
const taskOfGoal = z.strictObject({
  /** title of the task */
  task: z.string().min(1),
  work: z.array(workAttempt).default([]),
  check: z.array(checkAttempt).default([]),
});

const positiveInt = z.int().min(1);

const goalScript = z.strictObject({
  /** answers to the prompt that asks for a plan */
  plan: z.array(turn).min(1),
  /** tasks that are not listed are completed at once, and pass their check */
  tasks: z.array(taskOfGoal).default([]),
  /** answers to questions and requests of any step, each used once */
  answers: z.array(answer).default([]),
  limits: z
    .strictObject({
      turns: positiveInt.optional(),
      tokens: positiveInt.optional(),
      minutes: positiveInt.optional(),
      attempts: positiveInt.optional(),
      parallel: positiveInt.optional(),
    })
    .default({}),
});

export type GoalScript = z.infer<typeof goalScript>;
export type WorkAttempt = z.infer<typeof workAttempt>;
export type CheckAttempt = z.infer<typeof checkAttempt>;

/** Parses the script of a run; `message` names the invalid field by its path, such as `tasks[0].task`. */
export function readGoalScript(text: string): ScriptResult<GoalScript> {
  return readJson(text, goalScript);
}

/** A script with its defaults filled in, for tests. */
export function goalScriptOf(script: z.input<typeof goalScript>): GoalScript {
  return goalScript.parse(script);
}
