import type { Faults } from './faults';
import type { OpencodeEvent } from './opencode-events';
import type { Answer } from './script';
import type { PersonRequest, Stage } from './stage';
import type { WaitingCall } from './wire-monitor';

interface PromptAnswers {
  readonly where: string;
  readonly answers: Answer[];
}

/**
 * The scripted answers to what OpenCode and the plugin ask, each used once, by the prompt that is
 * running. A question is matched by its header, its text, or just `question`.
 */
export class ScriptedAnswers {
  private readonly answersBySession = new Map<string, PromptAnswers>();
  private readonly parents = new Map<string, string>();
  private readonly open = new Set<Promise<void>>();

  constructor(
    private readonly stage: Stage,
    private readonly faults: Faults,
  ) {}

  /** Sets the answers for the session's next requests. */
  setAnswers(sessionId: string, where: string, answers: readonly Answer[]): void {
    this.answersBySession.set(sessionId, { where, answers: [...answers] });
  }

  /** Answers a call that the plugin asks about, named as in OpenCode. */
  answerCall({ sessionId, callId, tool }: WaitingCall): void {
    const name = tool.replace('.', '_');
    const found = this.takePermissionAnswer(sessionId, name);
    this.respond({ kind: 'call', callId }, 'The plugin', sessionId, name, found);
  }

  handleEvent(event: OpencodeEvent): void {
    if (event.type === 'session.created') {
      const { id, parentID } = event.properties.info;
      if (parentID !== undefined) this.parents.set(id, parentID);
    }
    if (event.type === 'permission.asked') {
      const { id, sessionID, permission } = event.properties;
      const found = this.takePermissionAnswer(sessionID, permission);
      const asked = { kind: 'permission', requestId: id } as const;
      this.respond(asked, 'OpenCode', sessionID, permission, found);
    }
    if (event.type === 'question.asked') {
      const { id, sessionID, questions } = event.properties;
      const found = questions.map(({ header, question }) =>
        this.takeAnswer(
          sessionID,
          (one) => 'question' in one && [header, question, 'question'].includes(one.question),
        ),
      );
      const all = found.every((one) => one !== undefined) ? found : undefined;
      const asked = { kind: 'question', requestId: id } as const;
      this.respond(asked, 'OpenCode', sessionID, questions[0]?.question ?? '', all);
    }
  }

  /** Resolves when no answer is being given. */
  async allSettled(): Promise<void> {
    await Promise.all(this.open);
  }

  /** A subagent's request uses the answers of its root session. */
  private answersOf(sessionId: string): PromptAnswers | undefined {
    let root = sessionId;
    for (let up = this.parents.get(root); up !== undefined; up = this.parents.get(root)) root = up;
    return this.answersBySession.get(root);
  }

  private takePermissionAnswer(sessionId: string, name: string): readonly Answer[] | undefined {
    const fits = (one: Answer) => 'permission' in one && one.permission === name;
    const found = this.takeAnswer(sessionId, fits);
    return found && [found];
  }

  private takeAnswer(sessionId: string, fits: (answer: Answer) => boolean): Answer | undefined {
    const answers = this.answersOf(sessionId)?.answers ?? [];
    const at = answers.findIndex(fits);
    return at < 0 ? undefined : answers.splice(at, 1)[0];
  }

  private respond(
    asked: PersonRequest,
    who: string,
    sessionId: string,
    name: string,
    answers: readonly Answer[] | undefined,
  ): void {
    const where = this.answersOf(sessionId)?.where ?? 'A session of its own';
    const what = asked.kind === 'question' ? 'question' : 'permission';
    if (!answers) {
      this.faults.add(
        `${where}: ${who} asked the ${what} "${name}", and the script has no answer.`,
      );
      // Permissions are rejected, so that the turn can end; a question can't be, and waits for the
      // time limit.
      if (what === 'question') return;
    }
    const refusal: Answer = { permission: name, reply: 'reject' };
    const work = this.stage
      .answer(asked, answers ?? [refusal])
      .catch((error: unknown) => this.faults.addError(`${where}: the ${what} "${name}"`, error));
    this.open.add(work);
    void work.finally(() => this.open.delete(work));
  }
}
