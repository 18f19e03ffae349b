import type { Faults } from './faults';
import type { OpencodeEvent } from './opencode-events';
import type { Answer } from './script';
import type { Stage } from './stage';

interface Page {
  readonly where: string;
  readonly answers: Answer[];
}

/**
 * The scripted answers to what OpenCode asks, each used once, by the prompt that runs. A question is
 * named by its header or its text, or just `question`.
 */
export class AnswerBook {
  private readonly pages = new Map<string, Page>();
  private readonly parents = new Map<string, string>();
  private readonly open = new Set<Promise<void>>();

  constructor(
    private readonly stage: Stage,
    private readonly faults: Faults,
  ) {}

  /** From now on requests of the session are answered from these. */
  turn(sessionId: string, where: string, answers: readonly Answer[]): void {
    this.pages.set(sessionId, { where, answers: [...answers] });
  }

  take(event: OpencodeEvent): void {
    if (event.type === 'session.created') {
      const { id, parentID } = event.properties.info;
      if (parentID !== undefined) this.parents.set(id, parentID);
    }
    if (event.type === 'permission.asked') {
      const { id, sessionID, permission } = event.properties;
      const found = this.find(
        sessionID,
        (one) => 'permission' in one && one.permission === permission,
      );
      this.settle('permission', id, sessionID, permission, found ? [found] : undefined);
    }
    if (event.type === 'question.asked') {
      const { id, sessionID, questions } = event.properties;
      const found = questions.map(({ header, question }) =>
        this.find(
          sessionID,
          (one) => 'question' in one && [header, question, 'question'].includes(one.question),
        ),
      );
      const all = found.every((one) => one !== undefined) ? found : undefined;
      this.settle('question', id, sessionID, questions[0]?.question ?? '', all);
    }
  }

  /** Fulfilled when no answer is on its way. */
  async quiet(): Promise<void> {
    await Promise.all(this.open);
  }

  /** A sub-agent's request is its root session's matter. */
  private page(sessionId: string): Page | undefined {
    let root = sessionId;
    for (let up = this.parents.get(root); up !== undefined; up = this.parents.get(root)) root = up;
    return this.pages.get(root);
  }

  private find(sessionId: string, fits: (answer: Answer) => boolean): Answer | undefined {
    const answers = this.page(sessionId)?.answers ?? [];
    const at = answers.findIndex(fits);
    return at < 0 ? undefined : answers.splice(at, 1)[0];
  }

  private settle(
    kind: 'permission' | 'question',
    requestId: string,
    sessionId: string,
    name: string,
    answers: readonly Answer[] | undefined,
  ): void {
    const where = this.page(sessionId)?.where ?? 'A session of its own';
    if (!answers) {
      this.faults.add(
        `${where}: OpenCode asked the ${kind} "${name}", and the script has no answer.`,
      );
      // Refused, so that the turn can end; a question has no such answer and runs into the limit.
      if (kind === 'question') return;
    }
    const refusal: Answer = { permission: name, reply: 'reject' };
    const work = this.stage
      .answer({ kind, requestId }, answers ?? [refusal])
      .catch((error: unknown) => this.faults.caught(`${where}: the ${kind} "${name}"`, error));
    this.open.add(work);
    void work.finally(() => this.open.delete(work));
  }
}
