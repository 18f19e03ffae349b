import { useArmed } from '../ask/armed';
import { askText } from '../ask/ask-text';
import { DiffLines } from '../ask/diff';
import type { DiffLine } from '../ask/diff-lines';
import type { Need, NeedOf } from '../ask/need';
import { changeView } from '../ask/note-change';
import { OfflineNote } from '../ask/offline-note';
import { shownInFull } from '../ask/shown-in-full';
import { ShownText } from '../ask/shown-text';
import { Card, CardButtons, type AskMeans } from './ask-block';

/** What our own tools ask for a session: it stands below what was said, until it is answered. */
export function OwnAskCards(props: { readonly needs: readonly Need[]; readonly means: AskMeans }) {
  const asks = props.needs.filter((need) => need.kind === 'ask');
  if (asks.length === 0) return null;
  return (
    <div class="atb-talk-asks">
      {asks.map((need) => (
        <OwnAskCard key={need.request.requestId} need={need} means={props.means} />
      ))}
    </div>
  );
}

const NO_LINES: readonly DiffLine[] = [];

function OwnAskCard({ need, means }: { readonly need: NeedOf<'ask'>; readonly means: AskMeans }) {
  const { request: ask } = need;
  const { requestId, change, always } = ask;
  const armed = useArmed(requestId);
  const text = askText(ask);
  const restricted = change === 'restricted';
  const lines = change === undefined || restricted ? NO_LINES : changeView(change).lines;
  return (
    <Card icon="shield-question-mark" question={text.question} id={requestId}>
      <div class="atb-card-text">
        <ShownText text={text.object} />
        {text.change !== undefined && ` · ${text.change}`}
      </div>
      {restricted && <div class="atb-card-text">Its content is not shown.</div>}
      {text.sent.map((line, index) => (
        <code class="atb-card-object" key={index}>
          <ShownText text={line} />
        </code>
      ))}
      <DiffLines lines={lines} name={text.changeName} />
      <OfflineNote connected={means.connected() && need.session?.away !== true} ours />
      <CardButtons
        {...{ armed, whole: !restricted && shownInFull(lines), always: always !== undefined }}
        review={(step) => means.review(requestId, step)}
        onAllow={() => means.allowOnce(requestId)}
      />
    </Card>
  );
}
