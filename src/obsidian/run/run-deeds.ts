import { counted } from '../../core/orchestrator/counts';
import type { App } from 'obsidian';
import type { RunAction } from '../../core/orchestrator/event';
import type { RunAnswer, RunView } from '../../core/orchestrator/runs';
import type { Board } from '../../core/board/task';
import { ask, askText, confirm } from '../desk/dialog';
import { pick } from '../desk/pick';
import type { Deed } from './deed';
import { DOING_WORDS, TAKING_UP, waitsItsTurn } from './doing-words';
import type { RunViewDeps } from './run-deps';
import { canRetry, goalOf, stepsOf } from './run-of';
import { skipForm } from './skip-form';

/** Does what the person wants of a run; asks where it has to be asked, and says what was refused. */
export class RunDeeds {
  /** what is on its way: pressed twice is wanted once */
  private readonly under = new Set<string>();

  constructor(
    private readonly app: App,
    private readonly deps: RunViewDeps,
    /** opens the dialog that starts a run */
    private readonly startRun: () => void,
  ) {}

  async do(view: RunView, deed: Deed): Promise<void> {
    const key = `${view.id} ${JSON.stringify(deed)}`;
    if (this.under.has(key)) return;
    if (waitsItsTurn(deed) && this.deps.under.of(view.id) !== undefined) return;
    this.under.add(key);
    try {
      await this.done(view, deed);
    } finally {
      this.under.delete(key);
    }
  }

  boardOf({ board }: RunView): Board | undefined {
    return this.deps.overview.state.boards.find(({ path }) => path === board);
  }

  private async done(view: RunView, deed: Deed): Promise<void> {
    const { deps } = this;
    switch (deed.kind) {
      case 'act':
        return this.act(view, deed.action);
      case 'skip':
        return this.skip(view, deed.task);
      case 'retry':
        return this.retry(view);
      case 'mark_done':
        return this.markDone(view, deed);
      case 'replan':
        return this.replan(view);
      case 'finish':
        return this.finish(view);
      case 'cancel':
        return this.cancel(view);
      case 'take_up':
        return this.told(view, TAKING_UP, () => deps.runs.takeUp(view.id));
      case 'checkpoint':
        return this.checkpoint(view);
      case 'replay':
        return deps.notify(await deps.replay(view.id));
      case 'session':
        return deps.openSession(deed.session);
      case 'review':
        return deps.review(deed.session);
      case 'connect':
        return deps.connect();
      case 'start':
        return this.startRun();
      case 'note':
        return view.note === undefined
          ? deps.notify('This run has no note yet.')
          : deps.openNote(view.note);
      case 'board':
      case 'tick':
      case 'roll_back':
        return this.onBoard(view, deed);
    }
  }

  private async onBoard(
    view: RunView,
    deed: Extract<Deed, { kind: 'board' | 'tick' | 'roll_back' }>,
  ): Promise<void> {
    const { deps } = this;
    const board = this.boardOf(view);
    if (board === undefined) return deps.notify('The board of this run is not there.');
    if (deed.kind === 'roll_back') return deps.rollBack(board, deed.n);
    const task = board.tasks.find(({ id }) => id !== null && id === deed.task);
    if (deed.kind === 'board') return deps.openBoard(board, task);
    // A task without a number can't be told from others here: the note shows it.
    if (task === undefined) deps.openBoard(board, undefined);
    else deps.tick(board, task);
  }

  private act(view: RunView, action: RunAction): Promise<void> {
    return this.told(view, DOING_WORDS[action.type], () => this.deps.runs.act(view.id, action));
  }

  private async told(
    { id }: RunView,
    doing: string,
    task: () => Promise<RunAnswer<unknown>>,
  ): Promise<void> {
    const said = await this.deps.under.during(id, doing, task);
    if (!said.ok) this.deps.notify(said.message);
  }

  private async skip(view: RunView, wanted: string | undefined): Promise<void> {
    const step = await this.step(view, wanted, 'Skip which task?', () => true);
    if (step === undefined) return;
    const answer = await skipForm(this.app, step.title);
    if (answer !== undefined) await this.act(view, { type: 'skip', task: step.task, ...answer });
  }

  private async retry(view: RunView): Promise<void> {
    const step = await this.step(view, undefined, 'Try which task again?', canRetry);
    if (step !== undefined) await this.act(view, { type: 'retry', task: step.task });
  }

  private step(
    view: RunView,
    wanted: string | undefined,
    question: string,
    fits: (step: ReturnType<typeof stepsOf>[number]) => boolean,
  ) {
    const steps = stepsOf(view).filter(
      (one) => fits(one) && (wanted === undefined || one.task === wanted),
    );
    const choices = steps.map((step) => ({ text: step.title, value: step }));
    return pick(this.app, choices, question);
  }

  private async markDone(
    view: RunView,
    { task, title }: Extract<Deed, { kind: 'mark_done' }>,
  ): Promise<void> {
    const yes = await confirm(this.app, {
      title: `Mark ${title} done?`,
      text: 'The run takes your word for it, without a check. What waits for it can begin.',
      yes: 'Mark done',
    });
    if (yes) await this.act(view, { type: 'mark_done', task });
  }

  private async replan(view: RunView): Promise<void> {
    const words = await askText(this.app, {
      title: 'Ask for another plan',
      placeholder: 'What should be otherwise',
      yes: 'Ask',
      long: true,
    });
    if (words !== undefined) await this.act(view, { type: 'replan', words });
  }

  private async finish(view: RunView): Promise<void> {
    const { look } = view;
    const tasks = look.kind === 'plan' ? look.tasks : [];
    const open = tasks.filter(
      ({ status }) => status !== 'completed' && status !== 'cancelled',
    ).length;
    const left = open === 1 ? '1 task stays' : `${counted(open, 'task')} stay`;
    const yes = await confirm(this.app, {
      title: `Finish ${goalOf(view)} here?`,
      text: `The run ends as it stands. ${left} open on the board.`,
      yes: 'Finish here',
    });
    if (yes) await this.act(view, { type: 'finish' });
  }

  private async cancel(view: RunView): Promise<void> {
    const yes = await ask(this.app, {
      title: `Cancel the run ${goalOf(view)}?`,
      text: 'Turns that run are stopped. The board, its notes and what is done stay as they are.',
      answers: [{ label: 'Cancel run', value: true, warns: true }],
      no: 'Keep it going',
    });
    if (yes === true) await this.act(view, { type: 'cancel' });
  }

  private async checkpoint(view: RunView): Promise<void> {
    const { deps, app } = this;
    const label = await askText(app, {
      title: `Create checkpoint of ${this.boardOf(view)?.title ?? goalOf(view)}`,
      placeholder: 'What it is before, such as the refactoring',
      yes: 'Create',
      optional: true,
    });
    if (label === undefined) return;
    const made = await deps.runs.checkpoint(view.id, label === '' ? undefined : label);
    deps.notify(made.ok ? `Checkpoint ${made.value} is kept.` : made.message);
  }
}
