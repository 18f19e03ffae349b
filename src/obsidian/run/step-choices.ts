import type { RunAction } from '../../core/orchestrator/event';
import { stepsOf, type RunView } from '../../core/orchestrator/runs';
import type { Step } from '../../core/orchestrator/state';
import type { PickItem } from '../ui/dialog';
import type { ViewActions } from '../ui/view-actions';
import { attentionReasons, reasonCard } from './reason-card';
import { intentButton, type RunIntent, type RunIntentButton } from './run-intent';
import { canRetry, stepSession } from './run-words';
import { t } from '../language/text';

/** The action of a button at a task of a run, also offered by its command and the task's menu. */
export interface StepChoice {
  readonly action: keyof ViewActions;
  readonly icon: string;
  /** id of the task */
  readonly task: string;
  readonly title: string;
  /** label of its button */
  readonly label: string;
  readonly intent: RunIntent;
}

type ActionAndIcon = readonly [action: keyof ViewActions, icon: string];

const INTENT_ACTIONS: Readonly<Partial<Record<RunIntent['kind'], ActionAndIcon>>> = {
  mark_done: ['mark-step-done', 'square-check'],
  tick: ['mark-step-done', 'square-check'],
  skip: ['skip-step', 'skip-forward'],
  review: ['review-step', 'shield-question-mark'],
  session: ['open-step', 'messages-square'],
  board: ['open-task', 'file-text'],
};

const DECISION_ACTIONS: Readonly<Partial<Record<RunAction['type'], ActionAndIcon>>> = {
  mark_done: ['approve-step', 'check'],
  retry: ['retry-step', 'rotate-ccw'],
};

/** Actions on each task of a run, without duplicates: those of its card, else of its row. */
export function stepChoices(view: RunView): readonly StepChoice[] {
  const cards = attentionReasons(view).flatMap((why) =>
    'task' in why ? choicesForTask(why.task, reasonCard(view, why).buttons) : [],
  );
  const rows = stepsOf(view)
    .filter((step) => !canRetry(step))
    .flatMap((step) => choicesForTask({ id: step.task, title: step.title }, stepButtons(step)));
  const known = new Set<string>();
  return [...cards, ...rows].filter(({ action, task }) => {
    const before = known.size;
    return known.add(`${action} ${task}`).size > before;
  });
}

/** Buttons in the row of a task that is being worked on. */
export function stepButtons(step: Step): readonly RunIntentButton[] {
  const session = stepSession(step);
  const skip = intentButton(t('run.skipMore'), { kind: 'skip', task: step.task }, true);
  if (session === undefined) return [skip];
  return [intentButton(t('conversation.openSession'), { kind: 'session', session }), skip];
}

/** A task without a number gets no actions, since a run identifies tasks by id. */
function choicesForTask(
  task: { readonly id: string | null; readonly title: string } | null,
  buttons: readonly RunIntentButton[],
): readonly StepChoice[] {
  if (task === null || task.id === null) return [];
  const { id, title } = task;
  return buttons.flatMap(({ label, intent }) => {
    const meaning =
      intent.kind === 'act' ? DECISION_ACTIONS[intent.action.type] : INTENT_ACTIONS[intent.kind];
    if (meaning === undefined) return [];
    const [action, icon] = meaning;
    return [{ action, icon, task: id, title, label, intent }];
  });
}

/**
 * Actions of the panel, each for the focused task, else for one that the person picks.
 * @param focusedTask id of the focused task
 */
export function stepActions(
  choices: readonly StepChoice[],
  focusedTask: string | undefined,
  handlers: {
    readonly pick: (
      items: readonly PickItem<RunIntent>[],
      words: string,
    ) => Promise<RunIntent | undefined>;
    readonly onDo: (intent: RunIntent) => void;
  },
): ViewActions {
  const acts = new Map<keyof ViewActions, () => unknown>();
  for (const { action } of choices) {
    const fitting = choices.filter((one) => one.action === action);
    const own = fitting.filter(({ task }) => task === focusedTask);
    const items = (own.length > 0 ? own : fitting).map(({ title, label, intent }) => ({
      ...{ text: `${title} · ${label}`, value: intent },
    }));
    acts.set(action, async () => {
      const intent = await handlers.pick(items, t('run.whichTaskOfTheRun'));
      if (intent !== undefined) handlers.onDo(intent);
    });
  }
  return Object.fromEntries(acts);
}
