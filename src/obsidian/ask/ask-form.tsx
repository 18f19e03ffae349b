import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { Ask, AskAnswer } from '../../core/permission/ask';
import { useName } from '../ui/icon';
import { useArmed } from '../ui/armed';
import {
  AskFrame,
  AskSteps,
  OfflineNote,
  StepButtons,
  type AskStep,
  type UnsentWords,
} from './ask-steps';
import { askText, changeView, type AskText } from './ask-text';
import { DiffLines, ShownText } from '../ui/diff-view';
import { endOfDay, plainLine, timeOfDay } from '../ui/text';
import { alwaysRule, type AlwaysProposal } from '../../core/permission/always-proposals';
import { ruleWords, type Rule } from '../../core/permission/rule';

interface AskFormProps {
  readonly ask: Ask;
  readonly origin: string;
  readonly task?: string | undefined;
  readonly connected: boolean;
  /** the note changed, and the new change is not here yet */
  readonly stale: boolean;
  readonly step?: AskStep;
  readonly queue: ComponentChildren;
  readonly unsent: UnsentWords;
  /** ms since the epoch */
  readonly now: () => number;
  readonly onAnswer: (answer: AskAnswer) => void;
}

/** What one of our tools asks: what exactly would happen, and the three answers. */
export function AskForm(props: AskFormProps) {
  const { ask, stale } = props;
  const [chosen, setStep] = useState<AskStep>(props.step ?? 'ask');
  const step = chosen === 'always' && ask.always === undefined ? 'ask' : chosen;
  const armed = useArmed(`${step} ${ask.requestId}`) && !stale;
  const answer = (given: AskAnswer) => {
    if (armed) props.onAnswer(given);
  };
  const allow = () => answer({ reply: 'once' });
  const text = askText(ask);
  const proposal = ask.always;
  const asked = `atb-asked-${ask.requestId}`;
  return (
    <AskFrame
      {...{ step, requestId: ask.requestId, callId: ask.callId, describedBy: asked }}
      {...{ origin: props.origin, task: props.task, onAllow: allow }}
    >
      <Changed ask={ask} stale={stale} />
      <Facts id={asked} ask={ask} text={text} />
      <Content ask={ask} text={text} />
      <Notes ask={ask} connected={props.connected} />
      <AskSteps
        {...{ step, armed, requestId: ask.requestId, onStep: setStep, onAllow: allow }}
        {...{ queue: props.queue, unsent: props.unsent }}
        always={
          proposal &&
          ((onBack) => (
            <AlwaysStep
              {...{ armed, ask, proposal, now: props.now, onBack }}
              onSave={(rule) => answer({ reply: 'always', rule })}
            />
          ))
        }
        onDeny={(words) => answer({ reply: 'reject', ...words })}
      />
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

function Facts(props: { readonly id: string; readonly ask: Ask; readonly text: AskText }) {
  const { text } = props;
  return (
    <dl class="atb-ask-facts" id={props.id}>
      <dt>{text.label}</dt>
      <dd>
        <code class="atb-ask-object is-file">
          <ShownText text={text.object} />
        </code>
      </dd>
      {text.change !== undefined && (
        <>
          <dt>Change</dt>
          <dd>{text.change}</dd>
        </>
      )}
      <dt>Asked by</dt>
      <dd>
        <AskedBy ask={props.ask} />
      </dd>
    </dl>
  );
}

/** The rule that led to asking; where none did, why it is asked. */
function AskedBy({ ask }: { readonly ask: Ask }) {
  const { rule, why } = ask.decision;
  if (rule.kind !== 'rule') return <ShownText text={why} />;
  const [, what = rule.words, whose = ''] = /^(.*), ask(?: \((.*)\))?$/su.exec(rule.words) ?? [];
  return (
    <>
      Rule {rule.number},{' '}
      <code>
        <ShownText text={what} />
      </code>{' '}
      is set to ask{whose !== '' && ` for ${plainLine(whose)}`}
    </>
  );
}

/** What is written, else what the agent sent. */
function Content({ ask, text }: { readonly ask: Ask; readonly text: AskText }) {
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

function Notes({ ask, connected }: { readonly ask: Ask; readonly connected: boolean }) {
  const { change, expiresAt } = ask;
  return (
    <>
      <p class="atb-ask-note">
        {change !== undefined &&
          'If the note or the request changes before you answer, you are asked again. '}
        {expiresAt !== undefined && `Without an answer it is denied at ${timeOfDay(expiresAt)}.`}
      </p>
      <OfflineNote connected={connected} ours />
    </>
  );
}

type Whom = AlwaysProposal['whom'][number];

const UNTIL = [
  ['ever', 'I remove it'],
  ['today', 'the end of today'],
  ['hour', '1 hour from now'],
] as const;

type Until = (typeof UNTIL)[number][0];

const HOUR = 3_600_000;

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
  const [until, setUntil] = useState<Until>('ever');
  const pattern = proposal.patterns.includes(wanted) ? wanted : (proposal.patterns[0] ?? '');
  const rule = (): Rule => {
    const end = endOf(until, props.now());
    return alwaysRule(proposal, { pattern, whom, ...(end !== undefined && { until: end }) }, ask);
  };
  const whomWords = {
    session: 'this session',
    agent: `every session of ${plainLine(ask.agent)}`,
    everyone: 'everyone',
  };
  return (
    <>
      <p class="atb-ask-sentence">
        From now on allow <strong>{proposal.permission}</strong> on{' '}
        <Choice
          name="What is allowed"
          value={pattern}
          options={proposal.patterns.map((one) => [one, one])}
          onChoose={setPattern}
        />{' '}
        for{' '}
        <Choice
          name="For whom"
          value={whom}
          options={proposal.whom.map((one) => [one, whomWords[one]])}
          onChoose={setWhom}
        />{' '}
        until <Choice name="Until when" value={until} options={UNTIL} onChoose={setUntil} />
      </p>
      <Recorded rule={rule()} />
      <StepButtons
        {...{ armed, onBack }}
        reply="always"
        words="Save and allow"
        onClick={() => props.onSave(rule())}
      />
    </>
  );
}

function endOf(until: Until, now: number): number | undefined {
  if (until === 'ever') return undefined;
  return until === 'hour' ? now + HOUR : endOfDay(now);
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

function Choice<T extends string>(props: {
  readonly name: string;
  readonly value: T;
  readonly options: readonly (readonly [T, string])[];
  readonly onChoose: (value: T) => void;
}) {
  return (
    <select
      class="dropdown atb-ask-choice"
      aria-label={props.name}
      value={props.value}
      onChange={({ currentTarget }) => {
        const option = props.options[currentTarget.selectedIndex];
        if (option !== undefined) props.onChoose(option[0]);
      }}
    >
      {props.options.map(([value, words]) => (
        <option key={value} value={value}>
          {words}
        </option>
      ))}
    </select>
  );
}
