import type { GoalScript } from './goal-script';
import { joinedTurns } from './joined-turns';
import { seenPrompt, type SeenPrompt } from './run-prompt-seen';
import type { ModelRequest } from './scripted-model';
import type { Turn } from './turn-schema';

/** A prompt of a run that came to the model. */
export interface CastPrompt extends SeenPrompt {
  readonly sessionId: string;
  /** names of the tools offered with it */
  readonly tools: readonly string[];
}

/** One answer of a prompt, before it is given. */
export interface CastAnswer {
  readonly prompt: CastPrompt;
  /** from 0 */
  readonly index: number;
}

/**
 * Plays the agents of a run: tells by each prompt what it is for, and says what the script has for
 * it. A prompt that is sent once more is played from its first answer.
 */
export class GoalCast {
  /** each prompt once, in the order in which they came */
  readonly prompts: CastPrompt[] = [];
  readonly #given = new Map<string, number>();
  readonly #attempts = new Map<string, number>();

  constructor(
    private readonly script: GoalScript,
    /** runs before an answer is given */
    private readonly before: (answer: CastAnswer) => Promise<void> = () => Promise.resolve(),
    /** answers that call nothing end a turn: each is said together with the next one */
    private readonly joins = false,
  ) {}

  /** The answer to a request, and whether the prompt goes on after it; undefined: not of a run. */
  async answer(request: ModelRequest): Promise<{ turn: Turn; more: boolean } | undefined> {
    const seen = request.tools.length === 0 ? undefined : seenPrompt(request.messages);
    if (seen === undefined) return undefined;
    const key = `${request.sessionId} ${seen.n}`;
    const index = this.#given.get(key) ?? 0;
    this.#given.set(key, index + 1);
    const prompt = this.#prompt(request, seen);
    if (index === 0) this.prompts.push(prompt);
    await this.before({ prompt, index });
    const scripted = this.#turns(prompt);
    const turns = this.joins ? joinedTurns(scripted) : scripted;
    return { turn: turns[index] ?? {}, more: index + 1 < turns.length };
  }

  /** How often a task was asked for, with its attempts in order. */
  count(role: SeenPrompt['role'], task: string): readonly number[] {
    return this.prompts
      .filter((one) => one.role === role && one.task === task)
      .map(({ attempt }) => attempt);
  }

  /** A check says no attempt: it is about the newest work on its task. */
  #prompt({ sessionId, tools }: ModelRequest, seen: SeenPrompt): CastPrompt {
    if (seen.role === 'work') this.#attempts.set(seen.task, seen.attempt);
    const attempt = seen.role === 'check' ? (this.#attempts.get(seen.task) ?? 1) : seen.attempt;
    return { ...seen, attempt, sessionId, tools };
  }

  #turns(prompt: CastPrompt): readonly Turn[] {
    switch (prompt.role) {
      case 'plan':
        return this.script.plan;
      case 'work':
        return this.#work(prompt);
      case 'check':
        return this.#check(prompt);
    }
  }

  #work({ task, id, attempt }: CastPrompt): readonly Turn[] {
    const scripted = this.#scripted(task)?.work ?? [];
    const { turns = [], completes = true, result = '' } = ofAttempt(scripted, attempt) ?? {};
    const operations = [{ type: 'complete', id }];
    const done: Turn = { tools: [{ name: 'tasks', args: { operations } }] };
    const words = completes ? `Done: ${task}.` : 'It can’t be done like this.';
    return [...turns, ...(completes ? [done] : []), { text: result === '' ? words : result }];
  }

  #check({ task, attempt, criteria }: CastPrompt): readonly Turn[] {
    const scripted = this.#scripted(task)?.check ?? [];
    const { turns = [], met = true, why = '', result = '' } = ofAttempt(scripted, attempt) ?? {};
    const judged = Array.from({ length: criteria }, (_, at) => {
      const good = typeof met === 'boolean' ? met : (met[at] ?? true);
      return { n: at + 1, met: good, why: good ? '' : why };
    });
    const verdict = judged.every((one) => one.met) ? 'pass' : 'fail';
    const text = JSON.stringify({ verdict, criteria: judged, result });
    return [...turns, { text: `I looked at each criterion.\n\n${text}` }];
  }

  #scripted(title: string): GoalScript['tasks'][number] | undefined {
    return this.script.tasks.find(({ task }) => task.replaceAll('"', '”') === title);
  }
}

function ofAttempt<T>(attempts: readonly T[], attempt: number): T | undefined {
  return attempts[attempt - 1] ?? attempts.at(-1);
}
