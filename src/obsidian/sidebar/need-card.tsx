import { useArmed } from '../ask/armed';
import { needQuestion, needShort, type Need } from '../ask/need';
import { permissionText, type PermissionText } from '../ask/permission-text';
import { Icon } from '../part/icon';
import { useName } from '../part/use-name';
import type { DeskIntents } from './intents';

export type CardIntents = Pick<DeskIntents, 'review' | 'allowOnce'>;

interface CardProps<K extends Need['kind']> {
  readonly need: Extract<Need, { kind: K }>;
  /** from 0; a card that moved up takes no answer at once, so that no click meets another request */
  readonly place: number;
  readonly intents: CardIntents;
}

/** One thing that waits, answerable where it stands. */
export function NeedCard(props: CardProps<Need['kind']>) {
  const { need } = props;
  const [named, name] = useName(needQuestion(need));
  return (
    <div class="atb-card" role="group" {...named} data-need={need.request.requestId}>
      {name}
      <Icon
        name={need.kind === 'permission' ? 'shield-question-mark' : 'message-circle-question-mark'}
      />
      {need.kind === 'permission' ? (
        <Permission {...props} need={need} />
      ) : (
        <Question {...props} need={need} />
      )}
    </div>
  );
}

/** "Allow once" stands only where the card shows all that would be allowed. */
function Permission({ need, place, intents }: CardProps<'permission'>) {
  const { requestId } = need.request;
  const armed = useArmed(`${requestId} ${place}`);
  const text = permissionText(need.request);
  const whole = shownWhole(text);
  return (
    <div class="atb-card-body">
      <div>{text.question}</div>
      <div class="atb-card-text">
        {titleOf(need)} · {text.change ?? needShort(need)}
      </div>
      {whole !== null && <code class="atb-card-object">{whole}</code>}
      <div class="atb-buttons">
        <button type="button" class="mod-cta atb-button" onClick={() => intents.review(requestId)}>
          Review
        </button>
        {whole !== null && (
          <button
            type="button"
            class="atb-button"
            disabled={!armed}
            onClick={() => armed && intents.allowOnce(requestId)}
          >
            Allow once
          </button>
        )}
        <button
          type="button"
          class="atb-button-quiet"
          onClick={() => intents.review(requestId, 'deny')}
        >
          Deny…
        </button>
      </div>
    </div>
  );
}

function Question({ need, intents }: CardProps<'question'>) {
  return (
    <div class="atb-card-body">
      <div>{needQuestion(need)}</div>
      <div class="atb-card-text">{titleOf(need)} asks</div>
      <div class="atb-buttons">
        <button
          type="button"
          class="atb-button"
          onClick={() => intents.review(need.request.requestId)}
        >
          Answer
        </button>
      </div>
    </div>
  );
}

function titleOf({ session }: Need): string {
  return session.title === '' ? session.id : session.title;
}

/** UTF-16 units that a card shows; longer ones, and several, are reviewed in the dialog. */
const MOST_SHOWN = 160;

function shownWhole({ objects }: PermissionText): string | null {
  const [only] = objects;
  if (only === undefined || objects.length > 1) return null;
  return only.length > MOST_SHOWN || only.includes('\n') ? null : only;
}
