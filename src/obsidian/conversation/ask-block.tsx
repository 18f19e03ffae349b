import type { ComponentChildren } from 'preact';
import { useArmed } from '../ask/armed';
import { DiffLines } from '../ask/diff';
import { diffLines } from '../ask/diff-lines';
import { noteName } from '../ask/note-name';
import { permissionText } from '../ask/permission-text';
import { ShownText } from '../ask/shown-text';
import { shownInFull } from '../ask/shown-in-full';
import type { Step } from '../ask/step';
import { OfflineNote } from '../ask/offline-note';
import type { BlockOf } from '../../core/session/transcript/block';
import { Icon } from '../part/icon';
import { useName } from '../part/use-name';

export interface AskMeans {
  /** Opens the dialog at a request, or at one of its second steps. */
  readonly review: (requestId: string, step?: Step) => void;
  readonly allowOnce: (requestId: string) => void;
  readonly connected: () => boolean;
}

const REPLIES = { once: 'Allowed once', always: 'Always allowed', reject: 'Denied' } as const;

/** A permission that the agent asks for: all that would happen, and the answers. */
export function PermissionBlock(props: {
  readonly block: BlockOf<'permission'>;
  readonly pending: boolean;
  readonly means: AskMeans;
}) {
  const { block, pending, means } = props;
  const { request, reply } = block;
  const armed = useArmed(request.requestId);
  const { question, short, objects, change } = permissionText(request);
  if (!pending) {
    const words = reply === undefined ? 'No longer asked' : REPLIES[reply];
    const icon = reply === 'reject' ? 'x' : 'check';
    return <Answered icon={icon} words={`${words}: ${[short, ...objects].join(' · ')}`} />;
  }
  const lines = diffLines(request);
  const review = (step?: Step) => means.review(request.requestId, step);
  return (
    <Card icon="shield-question-mark" question={question} id={request.requestId}>
      {objects.map((object, index) => (
        <code class="atb-card-object" key={index}>
          <ShownText text={object} />
        </code>
      ))}
      {change !== null && <div class="atb-card-text">{change}</div>}
      <DiffLines lines={lines} name={`Change to ${noteName(objects[0] ?? short)}`} />
      <OfflineNote connected={means.connected()} />
      <CardButtons
        {...{ armed, review, whole: shownInFull(lines), always: request.always.length > 0 }}
        onAllow={() => means.allowOnce(request.requestId)}
      />
    </Card>
  );
}

/** The answers; "Allow once" only where the card shows all that would happen. */
export function CardButtons(props: {
  readonly armed: boolean;
  readonly whole: boolean;
  readonly always: boolean;
  readonly onAllow: () => void;
  readonly review: (step?: Step) => void;
}) {
  const { armed, whole, review } = props;
  return (
    <div class="atb-buttons">
      {whole && (
        <button
          type="button"
          class="mod-cta atb-button"
          disabled={!armed}
          onClick={() => armed && props.onAllow()}
        >
          Allow once
        </button>
      )}
      {props.always && (
        <button type="button" class="atb-button" onClick={() => review('always')}>
          Always allow…
        </button>
      )}
      <button type="button" class="atb-button-quiet" onClick={() => review('deny')}>
        Deny…
      </button>
      <button
        type="button"
        class={whole ? 'atb-button-quiet atb-ask-review' : 'mod-cta atb-button atb-ask-review'}
        onClick={() => review()}
      >
        Review
      </button>
    </div>
  );
}

/** A question of the agent: its options, and the way to the dialog that takes the answer. */
export function QuestionBlock(props: {
  readonly block: BlockOf<'question'>;
  readonly pending: boolean;
  readonly means: AskMeans;
}) {
  const { request, resolved } = props.block;
  const [first] = request.questions;
  const question = first?.question ?? 'The agent asks';
  if (!props.pending) {
    return (
      <Answered icon="check" words={`${resolved ? 'Answered' : 'No longer asked'}: ${question}`} />
    );
  }
  return (
    <Card icon="message-circle-question-mark" question={question} id={request.requestId}>
      {first !== undefined && first.options.length > 0 && (
        <ul class="atb-ask-options">
          {first.options.map(({ label }, index) => (
            <li key={index}>{label}</li>
          ))}
        </ul>
      )}
      <OfflineNote connected={props.means.connected()} />
      <div class="atb-buttons">
        <button
          type="button"
          class="mod-cta atb-button"
          onClick={() => props.means.review(request.requestId)}
        >
          Answer
        </button>
      </div>
    </Card>
  );
}

export function Card(props: {
  readonly icon: string;
  readonly question: string;
  readonly id: string;
  readonly children: ComponentChildren;
}) {
  const [named, name] = useName(props.question);
  return (
    <div class="atb-card atb-talk-card" role="group" {...named} data-need={props.id}>
      {name}
      <Icon name={props.icon} />
      <div class="atb-card-body">
        <div class="atb-talk-question">{props.question}</div>
        {props.children}
      </div>
    </div>
  );
}

function Answered(props: { readonly icon: string; readonly words: string }) {
  return (
    <div class="atb-talk-answered">
      <Icon name={props.icon} />
      <span>{props.words}</span>
    </div>
  );
}
