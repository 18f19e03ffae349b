import type { ComponentChildren } from 'preact';
import { useArmed } from '../ui/armed';
import { DiffLines, shownInFull, ShownText } from '../ui/diff-view';
import { diffLines } from '../ui/text-diff';
import { noteName } from '../ui/text';
import { askLines, askText, permissionText } from '../ask/ask-text';
import { OfflineNote, type AskStep } from '../ask/ask-steps';
import type { BlockOf } from '../../core/session/transcript/transcript';
import { Button, Icon } from '../ui/icon';
import { Card } from '../ui/banner';
import type { AttentionItem, AttentionItemOf } from '../model/attention';

export interface AskActions {
  /** Opens the dialog at a request, or at one of its second steps. */
  readonly review: (requestId: string, step?: AskStep) => void;
  readonly allowOnce: (requestId: string) => void;
  readonly connected: () => boolean;
}

const REPLIES = { once: 'Allowed once', always: 'Always allowed', reject: 'Denied' } as const;

/** A permission that the agent asks for: all that would happen, and the answers. */
export function PermissionBlock(props: {
  readonly block: BlockOf<'permission'>;
  readonly pending: boolean;
  readonly means: AskActions;
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
  const review = (step?: AskStep) => means.review(request.requestId, step);
  return (
    <RequestCard icon="shield-question-mark" question={question} id={request.requestId}>
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
    </RequestCard>
  );
}

/** The answers; "Allow once" only where the card shows all that would happen. */
function CardButtons(props: {
  readonly armed: boolean;
  readonly whole: boolean;
  readonly always: boolean;
  readonly onAllow: () => void;
  readonly review: (step?: AskStep) => void;
}) {
  const { armed, whole, review } = props;
  return (
    <div class="atb-buttons">
      {whole && (
        <Button
          kind="primary"
          words="Allow once"
          disabled={!armed}
          onClick={() => armed && props.onAllow()}
        />
      )}
      {props.always && <Button words="Always allow…" onClick={() => review('always')} />}
      <Button kind="quiet" words="Deny…" onClick={() => review('deny')} />
      <Button
        kind={whole ? 'quiet' : 'primary'}
        class="atb-ask-review"
        words="Review"
        onClick={() => review()}
      />
    </div>
  );
}

/** A question of the agent: its options, and the way to the dialog that takes the answer. */
export function QuestionBlock(props: {
  readonly block: BlockOf<'question'>;
  readonly pending: boolean;
  readonly means: AskActions;
}) {
  const { request, answers } = props.block;
  const [first] = request.questions;
  const question = first?.question ?? 'The agent asks';
  if (!props.pending) {
    if (answers === undefined) return <Answered icon="x" words={`No longer asked: ${question}`} />;
    return (
      <>
        {request.questions.map((asked, index) => (
          <Answered
            key={index}
            icon="check"
            words={`Answered: ${asked.question} ${(answers[index] ?? []).join(', ')}`.trim()}
          />
        ))}
      </>
    );
  }
  return (
    <RequestCard icon="message-circle-question-mark" question={question} id={request.requestId}>
      {first !== undefined && first.options.length > 0 && (
        <ul class="atb-ask-options">
          {first.options.map(({ label }, index) => (
            <li key={index}>{label}</li>
          ))}
        </ul>
      )}
      <OfflineNote connected={props.means.connected()} />
      <div class="atb-buttons">
        <Button
          kind="primary"
          words="Answer"
          onClick={() => props.means.review(request.requestId)}
        />
      </div>
    </RequestCard>
  );
}

function RequestCard(props: {
  readonly icon: string;
  readonly question: string;
  readonly id: string;
  readonly children: ComponentChildren;
}) {
  const { icon, question, id } = props;
  return (
    <Card {...{ icon, name: question, need: id }} class="atb-talk-card">
      <div class="atb-talk-question">{question}</div>
      {props.children}
    </Card>
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

/** What our own tools ask for a session: it stands below what was said, until it is answered. */
export function OwnAskCards(props: {
  readonly needs: readonly AttentionItem[];
  readonly means: AskActions;
}) {
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

function OwnAskCard(props: { readonly need: AttentionItemOf<'ask'>; readonly means: AskActions }) {
  const { need, means } = props;
  const { request: ask } = need;
  const { requestId, change, always } = ask;
  const armed = useArmed(requestId);
  const text = askText(ask);
  const restricted = change === 'restricted';
  const lines = askLines(ask);
  return (
    <RequestCard icon="shield-question-mark" question={text.question} id={requestId}>
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
    </RequestCard>
  );
}
