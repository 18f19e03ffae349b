import type { Faults } from './faults';
import type { PersonAction } from './script';
import type { Stage } from './stage';

/**
 * The person's actions during one prompt. Each is done once the given number of answers was
 * processed; an action whose task does not exist yet waits for a later answer, at most until the
 * turn ends.
 */
export class PersonQueue {
  private waiting: readonly PersonAction[];
  private running: Promise<void> = Promise.resolve();

  constructor(
    private readonly stage: Stage,
    private readonly sessionId: string,
    actions: readonly PersonAction[],
    private readonly faults: Faults,
    private readonly where: string,
  ) {
    this.waiting = [...actions].sort((a, b) => a.after - b.after);
  }

  /** Performs the actions that are due after `answered` answers, in order. */
  performDue(answered: number): Promise<void> {
    this.running = this.running.then(() => this.run((action) => action.after <= answered));
    return this.running;
  }

  /** Performs the rest; actions that are still impossible become faults. */
  async finish(): Promise<void> {
    await this.running;
    await this.run(() => true);
    for (const { do: verb, task } of this.waiting) {
      this.faults.add(
        `${this.where}: the person could not ${verb} "${task}": no task has that title.`,
      );
    }
    this.waiting = [];
  }

  private async run(isDue: (action: PersonAction) => boolean): Promise<void> {
    const later: PersonAction[] = [];
    for (const action of this.waiting) {
      if (!isDue(action) || !(await this.perform(action))) later.push(action);
    }
    this.waiting = later;
  }

  private async perform(action: PersonAction): Promise<boolean> {
    const what = `${this.where}: the person could not ${action.do} "${action.task}"`;
    try {
      const acted = await this.stage.act(this.sessionId, action);
      if (acted.kind === 'failed') this.faults.add(`${what}: ${acted.message}`);
      return acted.kind !== 'not_yet';
    } catch (error) {
      this.faults.addError(what, error);
      return true;
    }
  }
}
