import type { RunAction } from '../../core/orchestrator/event';
import type { RunView } from '../../core/orchestrator/runs';
import type { WaitReason } from '../../core/orchestrator/state';
import type { Undo } from '../../core/ports';
import { Listeners } from '../../core/session/listeners';
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { Button } from '../ui/icon';
import { t } from '../language/text';

/** An action of a person on a run, by a button, a key, a menu or a command. */
export type RunIntent =
  | { readonly kind: 'act'; readonly action: RunAction }
  /** asks how and why; `task` undefined: asks which one */
  | { readonly kind: 'skip'; readonly task?: string }
  /** marks a task done without a check, after a confirmation */
  | { readonly kind: 'mark_done'; readonly task: string; readonly title: string }
  | { readonly kind: 'roll_back'; readonly n?: number }
  | { readonly kind: 'review' | 'session'; readonly session: string }
  | { readonly kind: 'board'; readonly task?: string | null }
  /** one of the person's own tasks */
  | { readonly kind: 'tick'; readonly task: string | null }
  /** `retry` asks which one if several tasks wait for it; `replan` asks what should change */
  | { readonly kind: 'retry' | 'replan' | 'finish' | 'cancel' | 'take_up' | 'checkpoint' }
  | { readonly kind: 'start' | 'connect' | 'note' | 'replay' };

/** A button for an action. The first of several is the most likely choice. */
export interface RunIntentButton {
  readonly label: string;
  readonly intent: RunIntent;
  /** drawn without a frame, for a secondary choice */
  readonly quiet?: boolean;
}

export function actionIntent(action: RunAction): RunIntent {
  return { kind: 'act', action };
}

export function intentButton(label: string, intent: RunIntent, quiet = false): RunIntentButton {
  return { label, intent, ...(quiet && { quiet }) };
}

export function openSessionButtons(session: string | undefined): readonly RunIntentButton[] {
  if (session === undefined) return [];
  return [intentButton(t('common.openConversation'), { kind: 'session', session }, true)];
}

/** An action with its icon, for a menu or an icon button. */
export interface RunChoice {
  readonly icon: string;
  readonly label: string;
  readonly intent: RunIntent;
}

export function runChoice(icon: string, label: string, intent: RunIntent): RunChoice {
  return { icon, label, intent };
}

const PAUSE = runChoice('pause', t('run.pauseRun'), actionIntent({ type: 'pause' }));
const RESUME = runChoice('play', t('run.resumeRun'), actionIntent({ type: 'resume' }));
const APPROVE = runChoice('play', t('run.approvePlanAndRun'), actionIntent({ type: 'approve' }));

/**
 * The action of the first button and of the key P. Undefined if the run is over, or waits for
 * something that no button can give.
 */
export function primaryAction({ state }: Pick<RunView, 'state'>): RunChoice | undefined {
  if (state.kind === 'going') return state.stage.kind === 'approving' ? APPROVE : PAUSE;
  const rests = state.kind === 'paused' || (state.kind === 'waiting' && state.why.some(canResume));
  return rests ? RESUME : undefined;
}

/** Whether resuming alone makes the run try again. */
function canResume(why: WaitReason): boolean {
  if (why.kind === 'limit') return why.limit === 'no_progress';
  return why.kind === 'plan' || why.kind === 'board';
}

/** Text shown from a person's action until the run has taken it. */
export const PENDING_TEXTS: Readonly<Record<RunAction['type'], string>> = {
  approve: t('run.approving'),
  replan: t('run.askingForAnotherPlan'),
  pause: t('run.pausing'),
  resume: t('run.resuming'),
  interrupt: t('run.stoppingTheTurns'),
  skip: t('run.skipping'),
  retry: t('run.tryingAgain'),
  mark_done: t('run.markingDone'),
  more: t('run.adding'),
  finish: t('run.finishing'),
  cancel: t('run.cancelling'),
  rolled_back: t('run.rollingBack'),
};

export const ROLLING_BACK = t('run.rollingBack');

export const TAKING_UP = t('run.takingItOver');

/**
 * Whether an action changes the run, so that it is ignored while another one is under way. Actions
 * that end or stop a run never are.
 */
export function changesRun(intent: RunIntent): boolean {
  return intent.kind === 'act'
    ? !STOPPING_ACTIONS.has(intent.action.type)
    : CHANGING_INTENTS.has(intent.kind);
}

const STOPPING_ACTIONS: ReadonlySet<RunAction['type']> = new Set(['cancel', 'finish', 'interrupt']);

const CHANGING_INTENTS: ReadonlySet<RunIntent['kind']> = new Set([
  ...(['skip', 'retry', 'mark_done', 'replan', 'take_up', 'checkpoint', 'roll_back'] as const),
]);

/** Actions on runs that are not finished yet, so that views can show them at once. */
export class PendingRunActions {
  readonly #doing = new Set<{ readonly run: string; readonly words: string }>();
  readonly #listeners = new Listeners<void>();

  /** Text for the action under way on a run, such as `Going back…`; undefined if there is none. */
  textOf(run: string): string | undefined {
    return [...this.#doing].findLast((one) => one.run === run)?.words;
  }

  /** Calls the listener when an action starts or ends. */
  onChange(listener: () => void): Undo {
    return this.#listeners.add(listener);
  }

  /** Registers an action while it runs. @param words text for the person */
  async track<T>(run: string, words: string, task: () => Promise<T>): Promise<T> {
    const doing = { run, words };
    this.#doing.add(doing);
    this.#listeners.call();
    try {
      return await task();
    } finally {
      this.#doing.delete(doing);
      this.#listeners.call();
    }
  }
}

/** Text for the action under way on the shown run; undefined if there is none. */
export const PendingActionContext = createContext<string | undefined>(undefined);

/** The buttons of a card or of the head. */
export function RunButtons(props: {
  readonly buttons: readonly RunIntentButton[];
  /** whether the first button is the main action of the view */
  readonly primary?: boolean;
  readonly onDo: (intent: RunIntent) => void;
}) {
  const doing = useContext(PendingActionContext);
  if (props.buttons.length === 0) return null;
  return (
    <div class="atb-buttons">
      {props.buttons.map(({ label, intent, quiet }, at) => (
        <Button
          key={label}
          kind={quiet === true ? 'quiet' : at === 0 && props.primary === true ? 'primary' : 'plain'}
          words={label}
          disabled={doing !== undefined && changesRun(intent)}
          onClick={() => props.onDo(intent)}
        />
      ))}
    </div>
  );
}
