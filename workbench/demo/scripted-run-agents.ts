import type { GoalScript } from './goal-script';
import { joinedTurns } from './joined-turns';
import { parseRunPrompt, type RunPrompt } from './run-prompt';
import type { ModelRequest } from './scripted-model';
import type { Turn } from './turn-schema';

/** A prompt of a run that the model received. */
export interface AgentPrompt extends RunPrompt {
  readonly sessionId: string;
  /** names of the tools offered in the request */
  readonly tools: readonly string[];
}

/** An answer to a prompt, before it is sent. */
export interface AgentAnswer {
  readonly prompt: AgentPrompt;
  /** from 0 */
  readonly index: number;
}

/**
 * Plays the agents of a run: recognises what each prompt is for, and returns the script's answers.
 * A prompt that is sent again is answered from the start.
 */
export class ScriptedRunAgents {
  /** each prompt once, in order of arrival */
  readonly prompts: AgentPrompt[] = [];
  readonly #answerCounts = new Map<string, number>();
  readonly #attempts = new Map<string, number>();

  constructor(
    private readonly script: GoalScript,
    /** called before an answer is sent */
    private readonly beforeAnswer: (answer: AgentAnswer) => Promise<void> = () => Promise.resolve(),
    /** whether each answer without a tool call, which would end the turn, is joined with the next one */
    private readonly joinsTurns = false,
  ) {}

  /**
   * Returns the answer to a request, and whether more answers follow; undefined if it does not
   * belong to a run.
   */
  async answer(request: ModelRequest): Promise<{ turn: Turn; more: boolean } | undefined> {
    const seen = request.tools.length === 0 ? undefined : parseRunPrompt(request.messages);
    if (seen === undefined) return undefined;
    const key = `${request.sessionId} ${seen.n}`;
    const index = this.#answerCounts.get(key) ?? 0;
    this.#answerCounts.set(key, index + 1);
    const prompt = this.#prompt(request, seen);
    if (index === 0) this.prompts.push(prompt);
    await this.beforeAnswer({ prompt, index });
    const scripted = this.#turns(prompt);
    const turns = this.joinsTurns ? joinedTurns(scripted) : scripted;
    return { turn: turns[index] ?? {}, more: index + 1 < turns.length };
  }

  /** The attempts for which a task was prompted, in order. */
  count(role: RunPrompt['role'], task: string): readonly number[] {
    return this.prompts
      .filter((one) => one.role === role && one.task === task)
      .map(({ attempt }) => attempt);
  }

  /** The prompt of a check names no attempt, so it gets the latest attempt of its task. */
  #prompt({ sessionId, tools }: ModelRequest, seen: RunPrompt): AgentPrompt {
    if (seen.role === 'work') this.#attempts.set(seen.task, seen.attempt);
    const attempt = seen.role === 'check' ? (this.#attempts.get(seen.task) ?? 1) : seen.attempt;
    return { ...seen, attempt, sessionId, tools };
  }

  #turns(prompt: AgentPrompt): readonly Turn[] {
    switch (prompt.role) {
      case 'plan':
        return this.script.plan;
      case 'work':
        return this.#work(prompt);
      case 'check':
        return this.#check(prompt);
    }
  }

  #work({ task, id, attempt }: AgentPrompt): readonly Turn[] {
    const scripted = this.#scripted(task)?.work ?? [];
    const { turns = [], completes = true, result = '' } = entryForAttempt(scripted, attempt) ?? {};
    const operations = [{ type: 'complete', id }];
    const done: Turn = { tools: [{ name: 'tasks', args: { operations } }] };
    const words = completes ? `Done: ${task}.` : 'It can’t be done like this.';
    return [...turns, ...(completes ? [done] : []), { text: result === '' ? words : result }];
  }

  #check({ task, attempt, criteria }: AgentPrompt): readonly Turn[] {
    const scripted = this.#scripted(task)?.check ?? [];
    const {
      turns = [],
      met = true,
      why = '',
      result = '',
    } = entryForAttempt(scripted, attempt) ?? {};
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

function entryForAttempt<T>(attempts: readonly T[], attempt: number): T | undefined {
  return attempts[attempt - 1] ?? attempts.at(-1);
}
