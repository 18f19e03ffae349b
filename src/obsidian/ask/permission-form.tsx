import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { PermissionRequest } from '../../protocol/requests';
import { ASK_TITLE_ID } from './ask-title';
import type { Answer } from './answer';
import { useArmed } from './armed';
import { Diff } from './diff';
import { OfflineNote } from './offline-note';
import { permissionText, type PermissionText } from './permission-text';

/** `always` and `deny` are the second steps of these two answers. */
export type Step = 'ask' | 'always' | 'deny';

export interface PermissionFormProps {
  readonly request: PermissionRequest;
  /** "build in Offline search for the vault" */
  readonly origin: string;
  readonly connected: boolean;
  /** where the dialog begins: `deny` where that was chosen before it opened */
  readonly step?: Step;
  /** stands before the buttons: the place in the queue */
  readonly queue: ComponentChildren;
  readonly onAnswer: (answer: Answer) => void;
}

/** One permission request: what exactly is asked, and the three answers. */
export function PermissionForm(props: PermissionFormProps) {
  const { request } = props;
  const [step, setStep] = useState<Step>(props.step ?? 'ask');
  const armed = useArmed(`${request.requestId} ${step}`);
  const text = permissionText(request);
  const form = useRef<HTMLDivElement>(null);
  const reply = (answer: Answer) => {
    if (armed) props.onAnswer(answer);
  };
  const allowOnKey = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || step !== 'ask') return;
    event.preventDefault();
    reply({ kind: 'permission', reply: 'once' });
  };
  // The button that led to a step is gone with it; a field for words takes the focus itself.
  useEffect(() => {
    if (step !== 'deny') form.current?.focus();
  }, [step]);
  return (
    <div
      class="atb-permission"
      role="alertdialog"
      aria-labelledby={ASK_TITLE_ID}
      aria-describedby={`atb-asked-${request.requestId}`}
      data-request={request.requestId}
      tabIndex={-1}
      ref={form}
      onKeyDown={allowOnKey}
    >
      <p class="atb-ask-origin">{props.origin}</p>
      <Asked request={request} text={text} />
      <Diff request={request} name={text.question} />
      <OfflineNote connected={props.connected} />
      {step === 'ask' && (
        <Choices {...{ armed, reply, request }} onStep={setStep} queue={props.queue} />
      )}
      {step === 'always' && <Always {...{ armed, reply, request }} onStep={setStep} />}
      {step === 'deny' && <Deny {...{ armed, reply }} onStep={setStep} />}
    </div>
  );
}

function Asked(props: { readonly request: PermissionRequest; readonly text: PermissionText }) {
  const { request, text } = props;
  return (
    <dl class="atb-ask-facts" id={`atb-asked-${request.requestId}`}>
      <dt>{text.label}</dt>
      <dd>
        {text.objects.map((object, index) => (
          <code class={objectClass(text)} key={index}>
            {object}
          </code>
        ))}
      </dd>
      {text.change !== null && (
        <>
          <dt>Change</dt>
          <dd>{text.change}</dd>
        </>
      )}
      <dt>Asked by</dt>
      <dd>
        OpenCode, <code>{request.permission}</code> is set to ask
      </dd>
    </dl>
  );
}

function objectClass({ files }: PermissionText): string {
  return files ? 'atb-ask-object is-file' : 'atb-ask-object';
}

interface StepProps {
  readonly armed: boolean;
  readonly reply: (answer: Answer) => void;
  readonly onStep: (step: Step) => void;
}

function Choices(
  props: StepProps & { readonly request: PermissionRequest; readonly queue: ComponentChildren },
) {
  return (
    <div class="atb-buttons atb-ask-buttons">
      {props.queue}
      <button
        type="button"
        class="atb-button-deny"
        data-reply="reject"
        disabled={!props.armed}
        onClick={() => props.onStep('deny')}
      >
        Deny…
      </button>
      {props.request.always.length > 0 && (
        <button
          type="button"
          class="atb-button"
          data-reply="always"
          disabled={!props.armed}
          onClick={() => props.onStep('always')}
        >
          Always allow…
        </button>
      )}
      <button
        type="button"
        class="mod-cta atb-button"
        data-reply="once"
        disabled={!props.armed}
        onClick={() => props.reply({ kind: 'permission', reply: 'once' })}
      >
        Allow once
      </button>
    </div>
  );
}

function Always(props: StepProps & { readonly request: PermissionRequest }) {
  return (
    <>
      <p class="atb-ask-sentence">
        From now on allow <strong>{props.request.permission}</strong> for{' '}
        {props.request.always.map((pattern, index) => (
          <code class="atb-ask-pattern" key={index}>
            {pattern}
          </code>
        ))}{' '}
        until OpenCode ends.
      </p>
      <div class="atb-buttons atb-ask-buttons">
        <button type="button" class="atb-button-quiet" onClick={() => props.onStep('ask')}>
          Back
        </button>
        <button
          type="button"
          class="mod-cta atb-button"
          data-reply="always"
          disabled={!props.armed}
          onClick={() => props.reply({ kind: 'permission', reply: 'always' })}
        >
          Save and allow
        </button>
      </div>
    </>
  );
}

function Deny(props: StepProps) {
  const [words, setWords] = useState('');
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => field.current?.focus(), []);
  const message = words.trim();
  return (
    <>
      <label class="atb-ask-words">
        Tell the agent why (optional)
        <textarea
          ref={field}
          rows={2}
          value={words}
          onInput={(event) => setWords(event.currentTarget.value)}
        />
      </label>
      <div class="atb-buttons atb-ask-buttons">
        <button type="button" class="atb-button-quiet" onClick={() => props.onStep('ask')}>
          Back
        </button>
        <button
          type="button"
          class="mod-warning atb-button"
          data-reply="reject"
          disabled={!props.armed}
          onClick={() =>
            props.reply({ kind: 'permission', reply: 'reject', ...(message !== '' && { message }) })
          }
        >
          Deny
        </button>
      </div>
    </>
  );
}
