import { IconButton } from '../part/icon';
import type { Answer } from './answer';
import { AskForm } from './ask-form';
import { needOrigin, type Need } from './need';
import { PermissionForm } from './permission-form';
import { QuestionForm } from './question-form';
import type { Step } from './step';
import type { UnsentWords } from './unsent-words';

export interface AskDialogProps {
  readonly need: Need;
  /** stays while what is asked takes the place of what was asked before */
  readonly place: string;
  /** from 0 */
  readonly index: number;
  readonly total: number;
  readonly connected: boolean;
  /** the note changed, and the new change is not here yet */
  readonly stale: boolean;
  /** title of the task that the agent is at */
  readonly task?: string | undefined;
  /** where a permission's dialog begins */
  readonly step: Step;
  readonly unsent: UnsentWords;
  /** ms since the epoch */
  readonly now: () => number;
  readonly onAnswer: (need: Need, answer: Answer) => void;
  readonly onMove: (step: 1 | -1) => void;
}

/** What stands in the dialog: one need of the queue, and the way to its neighbours. */
export function AskDialog(props: AskDialogProps) {
  const moveOnKey = (event: KeyboardEvent) => {
    if (!event.altKey || (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight')) return;
    event.preventDefault();
    props.onMove(event.key === 'ArrowRight' ? 1 : -1);
  };
  return (
    <div onKeyDown={moveOnKey}>
      <Form key={props.place} {...props} />
    </div>
  );
}

function Form(props: AskDialogProps) {
  const { need, connected, step, task, unsent } = props;
  const shared = { origin: needOrigin(need), connected, queue: <Queue {...props} /> };
  const onAnswer = (answer: Answer) => props.onAnswer(need, answer);
  switch (need.kind) {
    case 'permission':
      return (
        <PermissionForm {...{ ...shared, step, task, unsent, onAnswer }} request={need.request} />
      );
    case 'question':
      return <QuestionForm {...{ ...shared, onAnswer }} request={need.request} />;
    case 'ask':
      return (
        <AskForm
          {...{ ...shared, step, task, unsent }}
          {...{ stale: props.stale, now: props.now, ask: need.request }}
          onAnswer={(answer) => onAnswer({ kind: 'ask', answer })}
        />
      );
  }
}

function Queue(props: AskDialogProps) {
  if (props.total < 2) return null;
  return (
    <div class="atb-ask-queue">
      <span>
        {props.index + 1} of {props.total}
      </span>
      <IconButton
        icon="chevron-left"
        label="Earlier request"
        disabled={props.index === 0}
        onClick={() => props.onMove(-1)}
      />
      <IconButton
        icon="chevron-right"
        label="Later request"
        disabled={props.index === props.total - 1}
        onClick={() => props.onMove(1)}
      />
    </div>
  );
}
