import { useState } from 'preact/hooks';
import type { ToolPermissionRequest, ToolPermissionReply } from '../../core/permission/ask';
import { useAccessibleName } from '../ui/icon';
import { AskFacts, AskFrame, OfflineNote, StepButtons, type SharedAskProps } from './ask-steps';
import { askText, changeView } from './ask-text';
import { DiffLines, VisibleText } from '../ui/diff-view';
import { deciderWords, expiryOf, subjectWords } from '../permission/rule-text';
import { Select } from '../ui/fields';
import { plainLine, timeOfDay } from '../ui/text';
import { alwaysRule, type AlwaysProposal } from '../../core/permission/always-proposals';
import { ruleTarget, ruleWords, type Rule } from '../../core/permission/rule';
import { t, tNodes, translated } from '../language/text';

interface AskFormProps extends SharedAskProps {
  readonly ask: ToolPermissionRequest;
  /** the note changed, and the request with the new change has not arrived yet */
  readonly stale: boolean;
  /** ms since the epoch */
  readonly now: () => number;
  readonly onAnswer: (answer: ToolPermissionReply) => void;
}

/** A request of one of our tools: what would happen, and the three answers. */
export function AskForm(props: AskFormProps) {
  const { ask, stale, now, onAnswer } = props;
  const { requestId, callId, always: proposal } = ask;
  const text = askText(ask);
  const onSave = (rule: Rule) => onAnswer({ reply: 'always', rule });
  return (
    <AskFrame
      {...props}
      {...{ requestId, callId, subject: requestId }}
      always={proposal && ((step) => <AlwaysStep {...{ ...step, ask, proposal, now, onSave }} />)}
      onAllow={() => onAnswer({ reply: 'once' })}
      onDeny={(words) => onAnswer({ reply: 'reject', ...words })}
    >
      <ChangedNotice ask={ask} stale={stale} />
      <AskFacts {...{ ...text, requestId, objects: [text.object], files: true }}>
        <AskedBy ask={ask} />
      </AskFacts>
      <Content ask={ask} text={text} />
      <p class="atb-ask-note">
        {ask.change !== undefined && `${t('ask.askedAgain')} `}
        {ask.expiresAt !== undefined && t('ask.deniedAt', { time: timeOfDay(ask.expiresAt) })}
      </p>
      <OfflineNote connected={props.connected} ours />
    </AskFrame>
  );
}

function ChangedNotice({
  ask,
  stale,
}: {
  readonly ask: ToolPermissionRequest;
  readonly stale: boolean;
}) {
  if (!stale && ask.replaces === undefined) return null;
  return (
    <p class="atb-ask-changed" role="status">
      {stale ? t('ask.newChangeComes') : t('ask.newChange')}
    </p>
  );
}

/** The rule that requires the request; if none does, the reason. */
function AskedBy({ ask }: { readonly ask: ToolPermissionRequest }) {
  const { rule, decided, why } = ask.decision;
  if (!('words' in rule) || decided === undefined) return <VisibleText text={translated(why)} />;
  const code = (
    <code>
      <VisibleText text={ruleTarget(decided)} />
    </code>
  );
  const values = { decider: deciderWords(rule), rule: code };
  const whose = subjectWords(decided);
  return (
    <>
      {whose === ''
        ? tNodes('ask.setToAsk', values)
        : tNodes('ask.setToAskFor', { ...values, whose })}
    </>
  );
}

/** The change that would be written, else what the agent sent. */
function Content({
  ask,
  text,
}: {
  readonly ask: ToolPermissionRequest;
  readonly text: ReturnType<typeof askText>;
}) {
  const { change } = ask;
  if (change !== undefined && change !== 'restricted') {
    return <DiffLines lines={changeView(change).lines} name={text.changeName} />;
  }
  return (
    <>
      {change === 'restricted' && <p class="atb-ask-note">{t('ask.mayNotReadNote')}</p>}
      <SentLines lines={text.sent} />
    </>
  );
}

function SentLines({ lines }: { readonly lines: readonly string[] }) {
  const [named, name] = useAccessibleName(t('ask.whatTheAgentSent'));
  if (lines.length === 0) return null;
  return (
    <div class="atb-ask-sent" role="region" {...named} tabIndex={0}>
      {name}
      <ul>
        {lines.map((line, index) => (
          <li key={index}>
            <VisibleText text={line} />
          </li>
        ))}
      </ul>
    </div>
  );
}

type Whom = AlwaysProposal['whom'][number];

const UNTIL_OPTIONS = [
  ['ever', t('ask.iRemoveIt')],
  ['today', t('ask.endOfToday')],
  ['hour', t('ask.inOneHour')],
] as const;

/**
 * The second step of "always": what is recorded, for whom and for how long. The narrowest choice is
 * preset.
 */
function AlwaysStep(props: {
  readonly ask: ToolPermissionRequest;
  readonly proposal: AlwaysProposal;
  readonly armed: boolean;
  /** ms since the epoch */
  readonly now: () => number;
  readonly onBack: () => void;
  readonly onSave: (rule: Rule) => void;
}) {
  const { ask, proposal, armed, onBack } = props;
  const [wanted, setPattern] = useState('');
  const [whom, setWhom] = useState<Whom>(proposal.whom[0] ?? 'agent');
  const [until, setUntil] = useState('ever');
  const pattern = proposal.patterns.includes(wanted) ? wanted : (proposal.patterns[0] ?? '');
  const rule = (): Rule => {
    const end = expiryOf(until, props.now());
    return alwaysRule(proposal, { pattern, whom, ...(end !== undefined && { until: end }) }, ask);
  };
  const choice = { class: 'atb-ask-choice' };
  const whomWords = {
    session: t('ask.thisSession'),
    agent: t('ask.everySessionOf', { agent: plainLine(ask.agent) }),
    everyone: t('ask.everyone'),
  };
  return (
    <>
      <p class="atb-ask-sentence">
        {tNodes('ask.fromNowOn', {
          permission: <strong>{proposal.permission}</strong>,
          pattern: (
            <Select
              {...{ ...choice, name: t('ask.whatIsAllowed'), value: pattern }}
              options={proposal.patterns.map((one) => [one, one])}
              onChange={setPattern}
            />
          ),
          whom: (
            <Select
              {...{ ...choice, name: t('ask.forWhom'), value: whom }}
              options={proposal.whom.map((one) => [one, whomWords[one]])}
              onChange={(value) => setWhom(value as Whom)}
            />
          ),
          until: (
            <Select
              {...{ ...choice, name: t('ask.untilWhen'), value: until }}
              {...{ options: UNTIL_OPTIONS, onChange: setUntil }}
            />
          ),
        })}
      </p>
      <RecordedRule rule={rule()} />
      <StepButtons
        {...{ armed, onBack, kind: 'primary', reply: 'always', words: t('ask.saveAndAllow') }}
        onClick={() => props.onSave(rule())}
      />
    </>
  );
}

/** The rule exactly as the settings will list it. */
function RecordedRule({ rule }: { readonly rule: Rule }) {
  const code = (
    <code class="atb-ask-pattern">
      <VisibleText text={ruleWords(rule)} />
    </code>
  );
  return (
    <p class="atb-ask-note">
      {rule.until === undefined
        ? tNodes('ask.addedToRules', { rule: code })
        : tNodes('ask.addedToRulesUntil', { rule: code, time: untilWords(rule.until) })}
    </p>
  );
}

function untilWords(at: number): string {
  const time = timeOfDay(at);
  return time === '00:00' ? t('ask.midnight') : time;
}
