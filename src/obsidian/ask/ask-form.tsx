import { useState } from 'preact/hooks';
import type { Ask, AskAnswer } from '../../core/permission/ask';
import { useName } from '../ui/icon';
import { AskFacts, AskFrame, OfflineNote, StepButtons, type AskAround } from './ask-steps';
import { askText, changeView } from './ask-text';
import { DiffLines, ShownText } from '../ui/diff-view';
import { endOf } from '../permission/rule-text';
import { Select } from '../ui/fields';
import { plainLine, timeOfDay } from '../ui/text';
import { alwaysRule, type AlwaysProposal } from '../../core/permission/always-proposals';
import { deciderName } from '../../core/permission/decide';
import { ruleWords, type Rule } from '../../core/permission/rule';

interface AskFormProps extends AskAround {
  readonly ask: Ask;
  /** the note changed, and the new change is not here yet */
  readonly stale: boolean;
  /** ms since the epoch */
  readonly now: () => number;
  readonly onAnswer: (answer: AskAnswer) => void;
}

/** What one of our tools asks: what exactly would happen, and the three answers. */
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
      <Changed ask={ask} stale={stale} />
      <AskFacts {...{ ...text, requestId, objects: [text.object], files: true }}>
        <AskedBy ask={ask} />
      </AskFacts>
      <Content ask={ask} text={text} />
      <p class="atb-ask-note">
        {ask.change !== undefined &&
          'If the note or the request changes before you answer, you are asked again. '}
        {ask.expiresAt !== undefined &&
          `Without an answer it is denied at ${timeOfDay(ask.expiresAt)}.`}
      </p>
      <OfflineNote connected={props.connected} ours />
    </AskFrame>
  );
}

function Changed({ ask, stale }: { readonly ask: Ask; readonly stale: boolean }) {
  if (!stale && ask.replaces === undefined) return null;
  return (
    <p class="atb-ask-changed" role="status">
      {stale
        ? 'The note changed since this was asked. The new change is on its way.'
        : 'The note changed since this was asked. This is the new change.'}
    </p>
  );
}

/** The rule that led to asking; where none did, why it is asked. */
function AskedBy({ ask }: { readonly ask: Ask }) {
  const { rule, why } = ask.decision;
  if (rule.kind !== 'rule' && rule.kind !== 'preset') return <ShownText text={why} />;
  const [, what = rule.words, whose = ''] = /^(.*), ask(?: \((.*)\))?$/su.exec(rule.words) ?? [];
  return (
    <>
      {deciderName(rule)},{' '}
      <code>
        <ShownText text={what} />
      </code>{' '}
      is set to ask{whose !== '' && ` for ${plainLine(whose)}`}
    </>
  );
}

/** What is written, else what the agent sent. */
function Content({ ask, text }: { readonly ask: Ask; readonly text: ReturnType<typeof askText> }) {
  const { change } = ask;
  if (change !== undefined && change !== 'restricted') {
    return <DiffLines lines={changeView(change).lines} name={text.changeName} />;
  }
  return (
    <>
      {change === 'restricted' && (
        <p class="atb-ask-note">
          You have not allowed reading this note, so its content is not shown.
        </p>
      )}
      <Sent lines={text.sent} />
    </>
  );
}

function Sent({ lines }: { readonly lines: readonly string[] }) {
  const [named, name] = useName('What the agent sent');
  if (lines.length === 0) return null;
  return (
    <div class="atb-ask-sent" role="region" {...named} tabIndex={0}>
      {name}
      <ul>
        {lines.map((line, index) => (
          <li key={index}>
            <ShownText text={line} />
          </li>
        ))}
      </ul>
    </div>
  );
}

type Whom = AlwaysProposal['whom'][number];

const UNTIL = [
  ['ever', 'I remove it'],
  ['today', 'the end of today'],
  ['hour', '1 hour from now'],
] as const;

/** The second step of "always": what is recorded, for whom and for how long; the least is preset. */
function AlwaysStep(props: {
  readonly ask: Ask;
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
    const end = endOf(until, props.now());
    return alwaysRule(proposal, { pattern, whom, ...(end !== undefined && { until: end }) }, ask);
  };
  const choice = { class: 'atb-ask-choice' };
  const whomWords = {
    session: 'this session',
    agent: `every session of ${plainLine(ask.agent)}`,
    everyone: 'everyone',
  };
  return (
    <>
      <p class="atb-ask-sentence">
        From now on allow <strong>{proposal.permission}</strong> on{' '}
        <Select
          {...{ ...choice, name: 'What is allowed', value: pattern, onChange: setPattern }}
          options={proposal.patterns.map((one) => [one, one])}
        />{' '}
        for{' '}
        <Select
          {...{ ...choice, name: 'For whom', value: whom }}
          options={proposal.whom.map((one) => [one, whomWords[one]])}
          onChange={(value) => setWhom(value as Whom)}
        />{' '}
        until{' '}
        <Select
          {...{ ...choice, name: 'Until when', value: until, options: UNTIL, onChange: setUntil }}
        />
      </p>
      <Recorded rule={rule()} />
      <StepButtons
        {...{ armed, onBack, kind: 'primary', reply: 'always', words: 'Save and allow' }}
        onClick={() => props.onSave(rule())}
      />
    </>
  );
}

/** The rule letter for letter, as the settings will list it. */
function Recorded({ rule }: { readonly rule: Rule }) {
  return (
    <p class="atb-ask-note">
      This is added to your rules:{' '}
      <code class="atb-ask-pattern">
        <ShownText text={ruleWords(rule)} />
      </code>
      {rule.until !== undefined && ` until ${untilWords(rule.until)}`}
    </p>
  );
}

function untilWords(at: number): string {
  const time = timeOfDay(at);
  return time === '00:00' ? 'midnight' : time;
}
