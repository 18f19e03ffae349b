import type { RunAction } from '../../core/orchestrator/event';
import type { RunView } from '../../core/orchestrator/runs';
import type { WaitReason } from '../../core/orchestrator/state';
import type { Undo } from '../../core/ports';
import { Listeners } from '../../core/session/listeners';
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { Button } from '../ui/icon';
import { t } from '../language/text';

/** What a person can do about a run, by a button, a key, a menu or a command. */
export type RunIntent =
  | { readonly kind: 'act'; readonly action: RunAction }
  /** asks how, and why; `task` undefined: asks which */
  | { readonly kind: 'skip'; readonly task?: string }
  /** takes the person's word, after a question */
  | { readonly kind: 'mark_done'; readonly task: string; readonly title: string }
  | { readonly kind: 'roll_back'; readonly n?: number }
  | { readonly kind: 'review' | 'session'; readonly session: string }
  | { readonly kind: 'board'; readonly task?: string | null }
  /** one of the person's own tasks */
  | { readonly kind: 'tick'; readonly task: string | null }
  /** `retry` asks which, where several wait for it; `replan` asks what should be otherwise */
  | { readonly kind: 'retry' | 'replan' | 'finish' | 'cancel' | 'take_up' | 'checkpoint' }
  | { readonly kind: 'start' | 'connect' | 'note' | 'replay' };

/** A button that does it. The first of several is the one that most want. */
export interface RunIntentButton {
  readonly label: string;
  readonly intent: RunIntent;
  /** drawn without a frame: the lesser choice */
  readonly quiet?: boolean;
}

export function act(action: RunAction): RunIntent {
  return { kind: 'act', action };
}

export function button(label: string, intent: RunIntent, quiet = false): RunIntentButton {
  return { label, intent, ...(quiet && { quiet }) };
}

export function openSession(session: string | undefined): readonly RunIntentButton[] {
  if (session === undefined) return [];
  return [button(t('common.openConversation'), { kind: 'session', session }, true)];
}

/** A intent with its icon, for a menu or an icon button. */
export interface RunChoice {
  readonly icon: string;
  readonly label: string;
  readonly intent: RunIntent;
}

export function choice(icon: string, label: string, intent: RunIntent): RunChoice {
  return { icon, label, intent };
}

const PAUSE = choice('pause', t('run.pauseRun'), act({ type: 'pause' }));
const RESUME = choice('play', t('run.resumeRun'), act({ type: 'resume' }));
const APPROVE = choice('play', t('run.approvePlanAndRun'), act({ type: 'approve' }));

/**
 * What the first button and the key P do. Undefined where the run is over, or waits for something
 * that a button here can't give.
 */
export function playOf({ state }: Pick<RunView, 'state'>): RunChoice | undefined {
  if (state.kind === 'going') return state.stage.kind === 'approving' ? APPROVE : PAUSE;
  const rests = state.kind === 'paused' || (state.kind === 'waiting' && state.why.some(canResume));
  return rests ? RESUME : undefined;
}

/** Whether the person's word alone has the run try again. */
function canResume(why: WaitReason): boolean {
  if (why.kind === 'limit') return why.limit === 'no_progress';
  return why.kind === 'plan' || why.kind === 'board';
}

/** What is shown from the person's word on until a run has taken it. */
export const DOING_WORDS: Readonly<Record<RunAction['type'], string>> = {
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

export const GOING_BACK = t('run.rollingBack');

export const TAKING_UP = t('run.takingItOver');

/** Whether a intent changes the run: it waits while another one is under way. What ends or stops never does. */
export function waitsItsTurn(intent: RunIntent): boolean {
  return intent.kind === 'act' ? !STOPS.has(intent.action.type) : CHANGES.has(intent.kind);
}

const STOPS: ReadonlySet<RunAction['type']> = new Set(['cancel', 'finish', 'interrupt']);

const CHANGES: ReadonlySet<RunIntent['kind']> = new Set([
  ...(['skip', 'retry', 'mark_done', 'replan', 'take_up', 'checkpoint', 'roll_back'] as const),
]);

/** What the person asked of runs and is not done yet, so that views show it at once. */
export class UnderWay {
  readonly #doing = new Set<{ readonly run: string; readonly words: string }>();
  readonly #listeners = new Listeners<void>();

  /** What is being done to a run, as in `Going back…`; undefined where nothing is. */
  of(run: string): string | undefined {
    return [...this.#doing].findLast((one) => one.run === run)?.words;
  }

  /** Called when something begins or is over. */
  onChange(listener: () => void): Undo {
    return this.#listeners.add(listener);
  }

  /** @param words for the person, as long as the task is not over */
  async during<T>(run: string, words: string, task: () => Promise<T>): Promise<T> {
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

/** What is being done to the run that is shown; undefined where nothing is. */
export const UnderWayContext = createContext<string | undefined>(undefined);

/** The buttons of a card or of the head. */
export function RunButtons(props: {
  readonly buttons: readonly RunIntentButton[];
  /** the first is the one thing to do in this view */
  readonly primary?: boolean;
  readonly onDo: (intent: RunIntent) => void;
}) {
  const doing = useContext(UnderWayContext);
  if (props.buttons.length === 0) return null;
  return (
    <div class="atb-buttons">
      {props.buttons.map(({ label, intent, quiet }, at) => (
        <Button
          key={label}
          kind={quiet === true ? 'quiet' : at === 0 && props.primary === true ? 'primary' : 'plain'}
          words={label}
          disabled={doing !== undefined && waitsItsTurn(intent)}
          onClick={() => props.onDo(intent)}
        />
      ))}
    </div>
  );
}
