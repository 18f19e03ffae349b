import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { Ask, AskAnswer } from '../../core/permission/ask';
import { useName } from '../part/use-name';
import { AlwaysStep } from './always-step';
import { useArmed } from './armed';
import { AskFrame } from './ask-frame';
import { askText, type AskText } from './ask-text';
import { Choices } from './choices';
import { DenyStep } from './deny-step';
import { DiffLines } from './diff';
import { changeView } from './note-change';
import { OfflineNote } from './offline-note';
import { plainLine } from './plain-line';
import { ShownText } from './shown-text';
import type { Step } from './step';
import { timeOfDay } from './time-of-day';
import type { UnsentWords } from './unsent-words';

export interface AskFormProps {
  readonly ask: Ask;
  readonly origin: string;
  readonly task?: string | undefined;
  readonly connected: boolean;
  /** the note changed, and the new change is not here yet */
  readonly stale: boolean;
  readonly step?: Step;
  readonly queue: ComponentChildren;
  readonly unsent: UnsentWords;
  /** ms since the epoch */
  readonly now: () => number;
  readonly onAnswer: (answer: AskAnswer) => void;
}

/** What one of our tools asks: what exactly would happen, and the three answers. */
export function AskForm(props: AskFormProps) {
  const { ask, stale } = props;
  const [chosen, setStep] = useState<Step>(props.step ?? 'ask');
  const step = chosen === 'always' && ask.always === undefined ? 'ask' : chosen;
  const armed = useArmed(`${step} ${ask.requestId}`) && !stale;
  const answer = (given: AskAnswer) => {
    if (armed) props.onAnswer(given);
  };
  const allow = () => answer({ reply: 'once' });
  const toStart = () => setStep('ask');
  const text = askText(ask);
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
      {step === 'ask' && (
        <Choices
          {...{ armed, queue: props.queue, onStep: setStep, onAllow: allow }}
          always={ask.always !== undefined}
        />
      )}
      {step === 'always' && ask.always !== undefined && (
        <AlwaysStep
          {...{ armed, ask, proposal: ask.always, now: props.now, onBack: toStart }}
          onSave={(rule) => answer({ reply: 'always', rule })}
        />
      )}
      {step === 'deny' && (
        <DenyStep
          {...{ armed, onBack: toStart, words: props.unsent.of(ask.requestId) }}
          onWords={(words) => props.unsent.keep(ask.requestId, words)}
          onDeny={(message) =>
            answer({ reply: 'reject', ...(message !== undefined && { message }) })
          }
        />
      )}
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
