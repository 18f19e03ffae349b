import { useArmed } from '../ask/armed';
import { askText } from '../ask/ask-text';
import { DiffLines } from '../ask/diff';
import { diffLines, type DiffLine } from '../ask/diff-lines';
import { needQuestion, needShort, needTitle, type Need, type NeedOf } from '../ask/need';
import { changeView } from '../ask/note-change';
import { noteName } from '../ask/note-name';
import { permissionText } from '../ask/permission-text';
import { shownInFull } from '../ask/shown-in-full';
import { ShownText } from '../ask/shown-text';
import { Icon } from '../part/icon';
import { useName } from '../part/use-name';
import type { DeskIntents } from './intents';

export type CardIntents = Pick<DeskIntents, 'review' | 'allowOnce'>;

interface CardProps<K extends Need['kind']> {
  readonly need: NeedOf<K>;
  /** from 0; a card that moved up takes no answer at once, so that no click meets another request */
  readonly place: number;
  readonly intents: CardIntents;
}

/** One thing that waits, answerable where it stands. */
export function NeedCard(props: CardProps<Need['kind']>) {
  const { need } = props;
  const [named, name] = useName(needQuestion(need));
  const icon = need.kind === 'question' ? 'message-circle-question-mark' : 'shield-question-mark';
  return (
    <div class="atb-card" role="group" {...named} data-need={need.request.requestId}>
      {name}
      <Icon name={icon} />
      {need.kind === 'permission' && <Permission {...props} need={need} />}
      {need.kind === 'ask' && <OwnAsk {...props} need={need} />}
      {need.kind === 'question' && <Question {...props} need={need} />}
    </div>
  );
}

/** Lines of a change that a card has room for. */
const MOST_LINES = 8;
/** UTF-16 units that a card shows; longer ones, and several, are reviewed in the dialog. */
const MOST_SHOWN = 160;

function Permission(props: CardProps<'permission'>) {
  const { need } = props;
  const text = permissionText(need.request);
  const [only = '', more] = text.objects;
  const short = more === undefined && only.length <= MOST_SHOWN && !only.includes('\n');
  const change = { lines: diffLines(need.request), words: text.change ?? undefined };
  // An edit without its change is not shown in full by its path.
  const whole = short && only !== '' && !(text.edits && change.lines.length === 0);
  return <Asking {...props} {...{ change, whole }} object={short ? only : undefined} />;
}

function OwnAsk(props: CardProps<'ask'>) {
  const { change } = props.need.request;
  const { object, sent, change: words } = askText(props.need.request);
  const restricted = change === 'restricted';
  const lines = change === undefined || restricted ? [] : changeView(change).lines;
  // What the agent sent stands below the path where there is room for it.
  const said = [object, ...sent].join('\n');
  const short = sent.length <= 3 && said.length <= MOST_SHOWN && !sent.join('').includes('\n');
  const whole = !restricted && (sent.length === 0 || short);
  return (
    <Asking {...props} {...{ whole, change: { lines, words } }} object={short ? said : object} />
  );
}

/** "Allow once" stands only where the card shows all that would be allowed. */
function Asking(
  props: CardProps<'permission' | 'ask'> & {
    /** command, address or path, where there is room for it */
    readonly object: string | undefined;
    readonly change: {
      readonly lines: readonly DiffLine[];
      readonly words: string | undefined;
    };
    readonly whole: boolean;
  },
) {
  const { need, place, intents, object, change } = props;
  const { requestId } = need.request;
  const armed = useArmed(`${requestId} ${place}`);
  const fits = shownInFull(change.lines, MOST_LINES);
  return (
    <div class="atb-card-body">
      <div>{needQuestion(need)}</div>
      <div class="atb-card-text">
        {needTitle(need)} · {change.words ?? needShort(need)}
      </div>
      {object !== undefined && (
        <code class="atb-card-object">
          <ShownText text={object} />
        </code>
      )}
      {fits && <DiffLines lines={change.lines} name={`Change to ${noteName(object ?? '')}`} />}
      <div class="atb-buttons">
        <button type="button" class="mod-cta atb-button" onClick={() => intents.review(requestId)}>
          Review
        </button>
        {props.whole && fits && (
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
      <div class="atb-card-text">{needTitle(need)} asks</div>
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
