import { IconButton } from '../part/icon';
import type { Answer } from './answer';
import { needOrigin, type Need } from './need';
import { PermissionForm, type Step } from './permission-form';
import { QuestionForm } from './question-form';

export interface AskDialogProps {
  readonly need: Need;
  /** from 0 */
  readonly index: number;
  readonly total: number;
  readonly connected: boolean;
  /** where a permission's dialog begins */
  readonly step: Step;
  readonly onAnswer: (need: Need, answer: Answer) => void;
  readonly onMove: (step: 1 | -1) => void;
}

/** What stands in the dialog: one need of the queue, and the way to its neighbours. */
export function AskDialog(props: AskDialogProps) {
  const { need } = props;
  const shared = {
    origin: needOrigin(need),
    connected: props.connected,
    queue: <Queue {...props} />,
    onAnswer: (answer: Answer) => props.onAnswer(need, answer),
  };
  const moveOnKey = (event: KeyboardEvent) => {
    if (!event.altKey || (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight')) return;
    event.preventDefault();
    props.onMove(event.key === 'ArrowRight' ? 1 : -1);
  };
  return (
    <div onKeyDown={moveOnKey}>
      {need.kind === 'permission' ? (
        <PermissionForm
          key={need.request.requestId}
          {...shared}
          request={need.request}
          step={props.step}
        />
      ) : (
        <QuestionForm key={need.request.requestId} {...shared} request={need.request} />
      )}
    </div>
  );
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
