import * as z from 'zod';
import { readJson, type Read } from './read-json';
import { answer, turn } from './turn-schema';

/** What the agent does in one attempt of a task. */
const workAttempt = z.strictObject({
  turns: z.array(turn).default([]),
  /** it completes the task after them */
  completes: z.boolean().default(true),
  /** its last words; a sentence of its own without them */
  result: z.string().default(''),
});

/** What the session that checks an attempt says. */
const checkAttempt = z.strictObject({
  turns: z.array(turn).default([]),
  /** of each criterion, or of all */
  met: z.union([z.boolean(), z.array(z.boolean())]).default(true),
  /** why one is not met */
  why: z.string().default(''),
  result: z.string().default(''),
});

/** By attempt, the first first; further ones are as the last. */
const taskOfGoal = z.strictObject({
  /** its title */
  task: z.string().min(1),
  work: z.array(workAttempt).default([]),
  check: z.array(checkAttempt).default([]),
});

const most = z.int().min(1);

const goalScript = z.strictObject({
  /** answers to the prompt that asks for a plan */
  plan: z.array(turn).min(1),
  /** a task that is not here is completed as soon as it is asked for, and passes */
  tasks: z.array(taskOfGoal).default([]),
  /** to what is asked in whatever step, each used once */
  answers: z.array(answer).default([]),
  limits: z
    .strictObject({
      turns: most.optional(),
      tokens: most.optional(),
      minutes: most.optional(),
      attempts: most.optional(),
      parallel: most.optional(),
    })
    .default({}),
});

export type GoalScript = z.infer<typeof goalScript>;
export type WorkAttempt = z.infer<typeof workAttempt>;
export type CheckAttempt = z.infer<typeof checkAttempt>;

/** Reads the script of a run; `message` names the wrong field by its path, `tasks[0].task`. */
export function readGoalScript(text: string): Read<GoalScript> {
  return readJson(text, goalScript);
}

/** A script as it is after reading, for tests: what is left out is as it is by itself. */
export function goalScriptOf(script: z.input<typeof goalScript>): GoalScript {
  return goalScript.parse(script);
}
