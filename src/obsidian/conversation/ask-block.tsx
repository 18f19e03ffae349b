import type { ComponentChildren } from 'preact';
import { useArmed } from '../ui/armed';
import { DiffLines, shownInFull, VisibleText } from '../ui/diff-view';
import { diffLines, type DiffLine } from '../ui/text-diff';
import { noteName } from '../ui/text';
import { askLines, askText, permissionText } from '../ask/ask-text';
import { OfflineNote } from '../ask/ask-steps';
import type { AskActions } from './conversation-actions';
import type { BlockOf } from '../../core/session/transcript/transcript';
import { Button, Icon } from '../ui/icon';
import { Card } from '../ui/banner';
import type { AttentionItem, AttentionItemOf } from '../model/attention';
import { COMMA, t } from '../language/text';

/** A permission request of the agent: what it would do, and the answers. */
export function PermissionBlock(props: {
  readonly block: BlockOf<'permission'>;
  readonly pending: boolean;
  readonly actions: AskActions;
}) {
  const { block, pending, actions } = props;
  const { request, reply } = block;
  const { question, short, objects, change, answers } = permissionText(request);
  if (!pending) {
    const icon = reply === 'reject' ? 'x' : 'check';
    return (
      <AnsweredRequest
        icon={icon}
        words={t(`permissionReply.${reply ?? 'none'}`, { what: [short, ...objects].join(' · ') })}
      />
    );
  }
  return (
    <PermissionCard
      {...{ id: request.requestId, question, actions, lines: diffLines(request) }}
      name={t('ask.changeTo', { note: noteName(objects[0] ?? short) })}
      always={request.always.length > 0}
      offline={<OfflineNote connected={actions.connected()} />}
    >
      <Objects texts={objects} />
      {change !== null && <div class="atb-card-text">{change}</div>}
      {answers.map((answer) => (
        <div class="atb-card-text" key={answer}>
          <VisibleText text={answer} />
        </div>
      ))}
    </PermissionCard>
  );
}

function Objects({ texts }: { readonly texts: readonly string[] }) {
  return texts.map((text, index) => (
    <code class="atb-card-object" key={index}>
      <VisibleText text={text} />
    </code>
  ));
}

/**
 * What exactly would happen, and the answers. Offers "Allow once" only if the card shows all of it.
 */
function PermissionCard(props: {
  readonly id: string;
  readonly question: string;
  /** the change as a diff, and its accessible name */
  readonly lines: readonly DiffLine[];
  readonly name: string;
  /** part of the change may not be shown */
  readonly restricted?: boolean;
  /** whether "always" can be answered */
  readonly always: boolean;
  readonly offline: ComponentChildren;
  readonly actions: AskActions;
  readonly children: ComponentChildren;
}) {
  const { id, question, lines, name, actions, restricted = false } = props;
  const armed = useArmed(id);
  const whole = !restricted && shownInFull(lines);
  const allow = () => armed && actions.allowOnce(id);
  return (
    <RequestCard {...{ icon: 'shield-question-mark', question, id }}>
      {props.children}
      <DiffLines lines={lines} name={name} />
      {props.offline}
      <div class="atb-buttons">
        {whole && (
          <Button kind="primary" words={t('common.allowOnce')} disabled={!armed} onClick={allow} />
        )}
        {props.always && (
          <Button words={t('ask.alwaysAllow')} onClick={() => actions.review(id, 'always')} />
        )}
        <Button kind="quiet" words={t('common.deny')} onClick={() => actions.review(id, 'deny')} />
        <Button
          kind={whole ? 'quiet' : 'primary'}
          class="atb-ask-review"
          words={t('conversation.review')}
          onClick={() => actions.review(id)}
        />
      </div>
    </RequestCard>
  );
}

/** A question of the agent: its options, and a button that opens the dialog for the answer. */
export function QuestionBlock(props: {
  readonly block: BlockOf<'question'>;
  readonly pending: boolean;
  readonly actions: AskActions;
}) {
  const { request, answers } = props.block;
  const [first] = request.questions;
  const question = first?.question ?? t('conversation.theAgentAsks');
  const answer = () => props.actions.review(request.requestId);
  if (!props.pending) {
    if (answers === undefined)
      return <AnsweredRequest icon="x" words={t('conversation.noLongerAskedOf', { question })} />;
    return request.questions.map((asked, index) => (
      <AnsweredRequest
        key={index}
        icon="check"
        words={t('conversation.answered', {
          question: asked.question,
          answer: (answers[index] ?? []).join(COMMA),
        }).trim()}
      />
    ));
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
      <OfflineNote connected={props.actions.connected()} />
      <div class="atb-buttons">
        <Button {...{ kind: 'primary', words: t('common.answer'), onClick: answer }} />
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
    <Card {...{ icon, name: question, requestId: id }} class="atb-talk-card">
      <div class="atb-talk-question">{question}</div>
      {props.children}
    </Card>
  );
}

function AnsweredRequest(props: { readonly icon: string; readonly words: string }) {
  return (
    <div class="atb-talk-answered">
      <Icon name={props.icon} />
      <span>{props.words}</span>
    </div>
  );
}

/** Requests of the plugin's own tools, shown below the transcript until they are answered. */
export function OwnAskCards(props: {
  readonly needs: readonly AttentionItem[];
  readonly actions: AskActions;
}) {
  const asks = props.needs.filter((need) => need.kind === 'ask');
  if (asks.length === 0) return null;
  return (
    <div class="atb-talk-asks">
      {asks.map((need) => (
        <OwnAskCard key={need.request.requestId} need={need} actions={props.actions} />
      ))}
    </div>
  );
}

function OwnAskCard(props: {
  readonly need: AttentionItemOf<'ask'>;
  readonly actions: AskActions;
}) {
  const { need, actions } = props;
  const { request: ask } = need;
  const { question, object, change, changeName, sent } = askText(ask);
  const restricted = ask.change === 'restricted';
  const connected = actions.connected() && need.session?.away !== true;
  return (
    <PermissionCard
      {...{
        id: ask.requestId,
        question,
        lines: askLines(ask),
        name: changeName,
        restricted,
        actions,
      }}
      always={ask.always !== undefined}
      offline={<OfflineNote connected={connected} ours />}
    >
      <div class="atb-card-text">
        <VisibleText text={object} />
        {change !== undefined && ` · ${change}`}
      </div>
      {restricted && <div class="atb-card-text">{t('conversation.itsContentIsNotShown')}</div>}
      <Objects texts={sent} />
    </PermissionCard>
  );
}
